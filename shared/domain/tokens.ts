import { readAttributePath, attributeText, isAttributes, type Attributes } from './attributes.ts';

/**
 * Matches a token in a check: `:::path:::` or `:::path|default:::`, up to the next `:::`. A path does not begin with a
 * colon, and a token does not contain a newline.
 */
const TOKEN_FORMAT = /:::([^:\n][^\n]*?):::/g;

/** Matches unpaired surrogates, which have no UTF-8 form. */
const UNPAIRED_SURROGATES = /\p{Surrogate}/gu;

/** Whether a value possibly contains tokens. The test is cheap: true does not guarantee that there is a token. */
export function mayHoldTokens(value: unknown): boolean {
  return (JSON.stringify(value) ?? '').includes(':::');
}

export interface TokenSubstitution {
  /** The value with its tokens replaced. It is complete only if `unmatched` is empty. */
  readonly value: unknown;
  /** Paths of the tokens with neither an attribute nor a default, each once, in the order of their appearance. */
  readonly unmatched: readonly string[];
}

/**
 * Replaces tokens by attributes of a client (completion 1.12; reference 2.3), in all strings of a value at every depth,
 * except in keys. The replacement is always text: a list becomes `["a", "b"]`, and false becomes `false`. Tokens in it
 * are not replaced again. If an attribute is an object, it counts as missing.
 */
export function substituteTokens(value: unknown, attributes: Attributes): TokenSubstitution {
  const unmatched = new Set<string>();
  const substituted = replaceTexts(value, (text) => substituteText(text, attributes, unmatched));
  return { value: substituted, unmatched: [...unmatched] };
}

export function hasToken(text: string): boolean {
  return text.search(TOKEN_FORMAT) !== -1;
}

/** Returns the output for a check that cannot run because tokens have no value (reference 2.3). */
export function unmatchedText(paths: readonly string[]): string {
  return `Unmatched check token(s): ${paths.join(', ')}`;
}

/** Applies a function to all strings of a value at every depth, except to keys. */
export function replaceTexts(value: unknown, replace: (text: string) => string): unknown {
  if (typeof value === 'string') return replace(value);
  if (Array.isArray(value)) return value.map((item) => replaceTexts(item, replace));
  if (!isAttributes(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, replaceTexts(item, replace)]));
}

/** Replaces the tokens of one text, and adds the paths of tokens without a value to `unmatched`. */
export function substituteText(text: string, attributes: Attributes, unmatched: Set<string>): string {
  const substituted = text.replace(TOKEN_FORMAT, (_match, token: string) => {
    // Splits at the first bar only: a default can contain a bar or be empty.
    const bar = token.indexOf('|');
    const path = bar === -1 ? token : token.slice(0, bar);
    const value = readAttributePath(attributes, path.split('.'));
    if (value !== undefined && value !== null && !isAttributes(value)) return attributeText(value);
    if (bar !== -1) return token.slice(bar + 1);
    unmatched.add(path);
    return '';
  });
  return substituted.isWellFormed() ? substituted : substituted.replace(UNPAIRED_SURROGATES, '');
}

import { attributeAt, attributeText, isAttributes, type Attributes } from './attributes.ts';

/**
 * A token: `:::path:::` or `:::path|default:::`, ended by the next `:::`. A path does not begin with a colon, and a
 * token does not span lines.
 */
const TOKEN = /:::([^:\n][^\n]*?):::/g;

/** Unpaired surrogates, which have no UTF-8 form. */
const INVALID = /\p{Surrogate}/gu;

/** Whether a value may contain tokens; a cheap test with false positives. */
export function mayHoldTokens(value: unknown): boolean {
  return (JSON.stringify(value) ?? '').includes(':::');
}

export interface Substitution {
  /** The value, copied where it contained tokens; complete only if `unmatched` is empty. */
  readonly value: unknown;
  /** Paths without an attribute or a default, each once, in the order of their appearance. */
  readonly unmatched: readonly string[];
}

/**
 * Substitutes attributes of a client for tokens (completion 1.12; reference 2.3), in all strings of a value at every
 * depth, except names. The replacement is always text, in which tokens are not substituted again: a list becomes `["a",
 * "b"]`, and false becomes `false`. An attribute that is an object counts as missing.
 */
export function substituteTokens(value: unknown, attributes: Attributes): Substitution {
  const unmatched = new Set<string>();
  const substituted = replaceTexts(value, (text) => substituteText(text, attributes, unmatched));
  return { value: substituted, unmatched: [...unmatched] };
}

export function hasToken(text: string): boolean {
  return text.search(TOKEN) !== -1;
}

/** Returns the output of a check with tokens that have no value (reference 2.3). */
export function unmatchedText(paths: readonly string[]): string {
  return `Unmatched check token(s): ${paths.join(', ')}`;
}

/** Replaces all strings of a value, at every depth, except names. */
export function replaceTexts(value: unknown, replace: (text: string) => string): unknown {
  if (typeof value === 'string') return replace(value);
  if (Array.isArray(value)) return value.map((item) => replaceTexts(item, replace));
  if (!isAttributes(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, replaceTexts(item, replace)]));
}

/** Substitutes the tokens of one text and adds paths without a value to `unmatched`. */
export function substituteText(text: string, attributes: Attributes, unmatched: Set<string>): string {
  const substituted = text.replace(TOKEN, (_match, token: string) => {
    // Splits at the first bar only: a default may contain a bar or be empty.
    const bar = token.indexOf('|');
    const path = bar === -1 ? token : token.slice(0, bar);
    const value = attributeAt(attributes, path.split('.'));
    if (value !== undefined && value !== null && !isAttributes(value)) return attributeText(value);
    if (bar !== -1) return token.slice(bar + 1);
    unmatched.add(path);
    return '';
  });
  return substituted.isWellFormed() ? substituted : substituted.replace(INVALID, '');
}

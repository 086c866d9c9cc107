import { attributeAt, attributeText, isAttributes, type Attributes } from './attributes.ts';

/**
 * `:::path:::` or `:::path|default:::`, the shortest that there is; a path does not begin with a colon, and a token does
 * not go over the end of a line.
 */
const TOKEN = /:::([^:\n][^\n]*?):::/g;

/** What has no UTF-8 form. */
const INVALID = /\p{Surrogate}/gu;

/** Whether a value may hold tokens, told without looking closely. */
export function mayHoldTokens(value: unknown): boolean {
  return (JSON.stringify(value) ?? '').includes(':::');
}

export interface Substitution {
  /** The value with a copy of everything that held a token; only complete when nothing is unmatched. */
  readonly value: unknown;
  /** Paths without an attribute or a default, each once, in the order of their appearance. */
  readonly unmatched: readonly string[];
}

/**
 * Puts the attributes of a client in place of tokens (completion 1.12; reference 2.3), in the strings of a value at every
 * depth, names excepted. What a token becomes is always text and is not looked at again: a list is written as
 * `["a", "b"]`, `false` is a value like any other, an object is none.
 */
export function substituteTokens(value: unknown, attributes: Attributes): Substitution {
  const unmatched = new Set<string>();
  const substituted = replaceTexts(value, (text) => substituteText(text, attributes, unmatched));
  return { value: substituted, unmatched: [...unmatched] };
}

export function hasToken(text: string): boolean {
  return text.search(TOKEN) !== -1;
}

/** What is said of a check whose tokens have no value (reference 2.3). */
export function unmatchedText(paths: readonly string[]): string {
  return `Unmatched check token(s): ${paths.join(', ')}`;
}

/** The value with another text for each of its strings, at every depth, names excepted. */
export function replaceTexts(value: unknown, replace: (text: string) => string): unknown {
  if (typeof value === 'string') return replace(value);
  if (Array.isArray(value)) return value.map((item) => replaceTexts(item, replace));
  if (!isAttributes(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, replaceTexts(item, replace)]));
}

/** Substitutes the tokens of one text; paths without a value are added to `unmatched`. */
export function substituteText(text: string, attributes: Attributes, unmatched: Set<string>): string {
  const substituted = text.replace(TOKEN, (_whole, token: string) => {
    // Split once: a default may hold a bar, and may be empty.
    const bar = token.indexOf('|');
    const path = bar === -1 ? token : token.slice(0, bar);
    const found = attributeAt(attributes, path.split('.'));
    if (found !== undefined && found !== null && !isAttributes(found)) return attributeText(found);
    if (bar !== -1) return token.slice(bar + 1);
    unmatched.add(path);
    return '';
  });
  return substituted.isWellFormed() ? substituted : substituted.replace(INVALID, '');
}

/** Matches the names of programs and settings: `expire-on-resolve`, `entity-limit`, `api.bind`. */
const NAMES = /[\p{L}\p{N}]+(?:[-_.][\p{L}\p{N}]+)+/gu;
const BETWEEN = /[^\p{L}\p{N}]+/u;

/** Returns the index terms of a text: its words, and each program or setting name as one term. */
export function indexedWords(text: string): string[] {
  return [...text.split(BETWEEN), ...(text.match(NAMES) ?? [])].filter((word) => word !== '');
}

/** Returns the search terms of a query. A program or setting name is one term, so its single words do not match. */
export function searchedWords(text: string): string[] {
  const names = text.match(NAMES) ?? [];
  return [...names, ...text.replaceAll(NAMES, ' ').split(BETWEEN)].filter((word) => word !== '');
}

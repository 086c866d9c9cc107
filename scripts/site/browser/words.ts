/** Names as programs have them: `expire-on-resolve`, `entity_limit`, `api.bind`. */
const NAMES = /[\p{L}\p{N}]+(?:[-_.][\p{L}\p{N}]+)+/gu;
const BETWEEN = /[^\p{L}\p{N}]+/u;

/** What a text is found by: its words, and its names as a whole. */
export function indexedWords(text: string): string[] {
  return [...text.split(BETWEEN), ...(text.match(NAMES) ?? [])].filter((word) => word !== '');
}

/** What is looked for: a name means itself, and not its words anywhere. */
export function searchedWords(text: string): string[] {
  const names = text.match(NAMES) ?? [];
  return [...names, ...text.replaceAll(NAMES, ' ').split(BETWEEN)].filter((word) => word !== '');
}

/** Matches the names of programs and settings: `expire-on-resolve`, `entity-limit`, `api.bind`. */
const COMPOUND_NAMES = /[\p{L}\p{N}]+(?:[-_.][\p{L}\p{N}]+)+/gu;
const WORD_SEPARATORS = /[^\p{L}\p{N}]+/u;

/** Words that say nothing about the subject of a query. */
const STOP_WORDS = new Set(
  'a an and are as at be by can do does for from how i in is it me my of on or our the to we what when why with'.split(
    ' ',
  ),
);

/** Returns the index terms of a text: its words, and each program or setting name as one term. */
export function indexedWords(text: string): string[] {
  return [...text.split(WORD_SEPARATORS), ...(text.match(COMPOUND_NAMES) ?? [])].filter((word) => word !== '');
}

/**
 * Returns the search terms of a query, in order, without stop words unless there are only stop words. A program or
 * setting name is one term, so its single words do not match.
 */
export function searchedWords(text: string): string[] {
  const words = text.match(/[\p{L}\p{N}]+(?:[-_.][\p{L}\p{N}]+)*/gu) ?? [];
  const subjects = words.filter((word) => !STOP_WORDS.has(word.toLowerCase()));
  return subjects.length === 0 ? words : subjects;
}

/**
 * Returns the stem that the forms of an English word share, so that "silenced" finds "silences". The stem is often no
 * word: "silenc". Short words, and names with digits or hyphens, are only converted to lower case.
 */
export function wordStem(word: string): string {
  const lower = word.toLowerCase();
  if (!/^[a-z]{4,}$/.test(lower)) return lower;
  return removeVerbEnding(removePlural(lower)).replace(/(?<=\w{3})e$/, '');
}

function removePlural(word: string): string {
  if (/(?:ss|us|is)$/.test(word)) return word;
  return word.replace(/ies$/, 'y').replace(/(?<=x|ch|sh|ss)es$|s$/, '');
}

function removeVerbEnding(word: string): string {
  const [, root = word] = /^(\w*[aeiouy]\w*(?<=\w{3}))(?:ing|ed)$/.exec(word) ?? [];
  // "flapping" and "flap" share a stem, as do "polling" and "poll".
  if (root !== word) return root.replace(/([^aeiouylsz])\1$/, '$1');
  return word.replace(/(?<=\w{6})ment$|(?<=\w{3}[st])ion$/, '');
}

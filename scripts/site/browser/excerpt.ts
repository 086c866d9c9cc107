/** A part of an excerpt: a matched search word, or the text between two matches. */
export interface ExcerptPart {
  readonly text: string;
  readonly isWord: boolean;
}

const CHARACTERS_BEFORE_MATCH = 60;
const EXCERPT_CHARACTERS = 180;

/**
 * Returns an excerpt of a text around the first match, or the beginning of the text if nothing matches.
 *
 * @param stems beginnings of the words that match
 */
export function excerptOf(text: string, stems: readonly string[]): readonly ExcerptPart[] {
  const escaped = stems.map((stem) => stem.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`));
  const pattern = escaped.length === 0 ? '' : String.raw`(?<![\p{L}\p{N}])(?:${escaped.join('|')})[\p{L}\p{N}]*`;
  const first = pattern === '' ? -1 : text.search(new RegExp(pattern, 'iu'));
  const start = first <= CHARACTERS_BEFORE_MATCH ? 0 : text.indexOf(' ', first - CHARACTERS_BEFORE_MATCH) + 1;
  const part = `${start > 0 ? '… ' : ''}${text.slice(start, start + EXCERPT_CHARACTERS)}${start + EXCERPT_CHARACTERS < text.length ? ' …' : ''}`;
  if (pattern === '') return [{ text: part, isWord: false }];
  // `split` with a capturing group also returns the matches: every second part is a match.
  return part
    .split(new RegExp(`(${pattern})`, 'giu'))
    .map((piece, index) => ({ text: piece, isWord: index % 2 === 1 }))
    .filter((piece) => piece.text !== '');
}

/** A piece of an excerpt: one of the words that were looked for, or what is between them. */
export interface Piece {
  readonly text: string;
  readonly isWord: boolean;
}

const BEFORE = 60;
const LENGTH = 180;

/** The part of a text round the first of the words, in pieces; the beginning where none of them is. */
export function excerptOf(text: string, words: readonly string[]): readonly Piece[] {
  const pattern = words.map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)).join('|');
  const first = pattern === '' ? -1 : text.search(new RegExp(pattern, 'i'));
  const start = first <= BEFORE ? 0 : text.indexOf(' ', first - BEFORE) + 1;
  const part = `${start > 0 ? '… ' : ''}${text.slice(start, start + LENGTH)}${start + LENGTH < text.length ? ' …' : ''}`;
  if (pattern === '') return [{ text: part, isWord: false }];
  // Split with a group: every second piece is what it caught.
  return part
    .split(new RegExp(`(${pattern})`, 'gi'))
    .map((piece, index) => ({ text: piece, isWord: index % 2 === 1 }))
    .filter((piece) => piece.text !== '');
}

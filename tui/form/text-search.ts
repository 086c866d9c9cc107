import { run, type Line, type Run } from '../text/theme.ts';
import type { SearchField } from '../state/search-field.ts';

/** Returns the words of a search in lower case. */
function wordsOf({ line }: SearchField): readonly string[] {
  return line.text
    .toLowerCase()
    .split(' ')
    .filter((word) => word !== '');
}

/** Returns the indexes of the lines that contain every word of the search; empty if the search is empty. */
export function matchingLines(lines: readonly Line[], search: SearchField): readonly number[] {
  const words = wordsOf(search);
  if (words.length === 0) return [];
  return lines.flatMap((line, index) => {
    const text = line
      .map((piece) => piece.text)
      .join('')
      .toLowerCase();
    return words.every((word) => text.includes(word)) ? [index] : [];
  });
}

/**
 * Returns the line index of the next or previous match; `undefined` if there are no matches. The first match follows
 * the last.
 */
export function nextMatch(matches: readonly number[], from: number, step: 1 | -1): number | undefined {
  return step === 1
    ? (matches.find((at) => at > from) ?? matches[0])
    : (matches.findLast((at) => at < from) ?? matches.at(-1));
}

/** Returns a text for the number of matches and the current match: `3 of 12`, `12 matches`, `no match`. */
export function matchText(matches: readonly number[], at: number | undefined): string {
  const index = at === undefined ? -1 : matches.indexOf(at);
  if (matches.length === 0) return 'no match';
  if (index !== -1) return `${String(index + 1)} of ${String(matches.length)}`;
  return matches.length === 1 ? '1 match' : `${String(matches.length)} matches`;
}

/**
 * Highlights the words of the search in a line: bold, so that they are visible without colors, and inverse in
 * the current match.
 */
export function highlightWords(line: Line, search: SearchField, isPresent: boolean): Line {
  const words = wordsOf(search);
  if (words.length === 0) return line;
  return line.flatMap((piece) => markedPieces(piece, words, isPresent));
}

function markedPieces({ text, tone }: Run, words: readonly string[], isPresent: boolean): readonly Run[] {
  const lower = text.toLowerCase();
  // Some letters become longer in lower case. The positions of matches would then be wrong, so nothing is highlighted.
  if (lower.length !== text.length) return [run(text, tone)];
  const pieces: Run[] = [];
  let done = 0;
  for (;;) {
    const match = firstOf(lower, words, done);
    if (match === undefined) break;
    pieces.push(
      run(text.slice(done, match.start), tone),
      run(text.slice(match.start, match.end), isPresent ? 'cursor' : 'strong'),
    );
    done = match.end;
  }
  return done === 0 ? [run(text, tone)] : [...pieces, run(text.slice(done), tone)].filter((piece) => piece.text !== '');
}

function firstOf(
  text: string,
  words: readonly string[],
  from: number,
): { readonly start: number; readonly end: number } | undefined {
  let first: { readonly start: number; readonly end: number } | undefined;
  for (const word of words) {
    const start = text.indexOf(word, from);
    if (start !== -1 && (first === undefined || start < first.start)) first = { start, end: start + word.length };
  }
  return first;
}

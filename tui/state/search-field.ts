import { EMPTY_LINE, type LineEditor } from '../text/line-editor.ts';

/** The state of the search in a screen: its words, and the current match. */
export interface SearchField {
  readonly line: LineEditor;
  /** True while the user types the search, so that all keys go into its line. */
  readonly isOpen: boolean;
  /** The index of the line with the current match in a text; `undefined` if there is no current match. */
  readonly at?: number | undefined;
}

export const NO_SEARCH: SearchField = { line: EMPTY_LINE, isOpen: false };

/** Returns whether a text contains every word of the search, ignoring case. */
export function holdsWords(text: string, { line }: SearchField): boolean {
  const lower = text.toLowerCase();
  return line.text
    .toLowerCase()
    .split(' ')
    .every((word) => lower.includes(word));
}

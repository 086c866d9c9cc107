import { EMPTY_LINE, type LineEditor } from '../text/line-editor.ts';

/** What is looked for in the lines of a layer. */
export interface SearchField {
  readonly line: LineEditor;
  /** Whether it is being typed: then all keys go into it. */
  readonly isOpen: boolean;
  /** Of a text: the line of the present match. */
  readonly at?: number | undefined;
}

export const NO_SEARCH: SearchField = { line: EMPTY_LINE, isOpen: false };

/** Whether a text holds every word that is looked for; letter case never counts. */
export function holdsWords(text: string, { line }: SearchField): boolean {
  const lower = text.toLowerCase();
  return line.text
    .toLowerCase()
    .split(' ')
    .every((word) => lower.includes(word));
}

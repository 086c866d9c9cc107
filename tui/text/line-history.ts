import { lineOf, type LineEditor } from './line-editor.ts';

/** A line that is being edited, with its position in the history of earlier lines. */
export interface LineInHistory {
  readonly line: LineEditor;
  /** Index of the line in the history; equal to the length of the history for the new line. */
  readonly historyAt: number;
  /** The newly typed line, as it was before the user selected an earlier line. */
  readonly draft: LineEditor;
}

export function newestLine(line: LineEditor, history: readonly string[]): LineInHistory {
  return { line, historyAt: history.length, draft: line };
}

/**
 * Returns the previous (-1) or next (1) line of the history. The newly typed line follows the last line of the history.
 */
export function stepInHistory(
  { line, historyAt, draft: left }: LineInHistory,
  history: readonly string[],
  by: 1 | -1,
): LineInHistory {
  const draft = historyAt === history.length ? line : left;
  const at = Math.min(history.length, Math.max(0, historyAt + by));
  const earlier = history[at];
  return { line: earlier === undefined ? draft : lineOf(earlier), historyAt: at, draft };
}

import { lineOf, type LineEditor } from './line-editor.ts';

/** A line that is edited, and that earlier ones can be put in the place of. */
export interface LineInHistory {
  readonly line: LineEditor;
  /** Place in the history; its length: the line being typed. */
  readonly historyAt: number;
  /** The line being typed, as it was left for an earlier one. */
  readonly draft: LineEditor;
}

export function newestLine(line: LineEditor, history: readonly string[]): LineInHistory {
  return { line, historyAt: history.length, draft: line };
}

/** The line before, or the one behind; behind the newest is what is being typed. */
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

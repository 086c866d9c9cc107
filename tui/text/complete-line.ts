import type { LineEditor } from './line-editor.ts';

/** A completion that the user has chosen, but can still replace by the next one. */
export interface ChosenCompletion {
  /** The line as it was typed, before the first completion was chosen. */
  readonly typed: LineEditor;
  /** Index of the completion. */
  readonly at: number;
}

/** The completions of the word before the caret. */
export interface CompletionCandidates {
  /** Index in the line at which a completion is inserted. */
  readonly from: number;
  readonly candidates: readonly string[];
}

/**
 * Replaces the word before the caret by the next (1) or previous (-1) completion. The first follows the last.
 *
 * @param line the line as it is now
 * @returns the line, and the chosen completion; `undefined` if there is only one completion. The line is `undefined` if
 *   there is none
 */
export function chooseCompletion(
  line: LineEditor,
  { from, candidates }: CompletionCandidates,
  chosen: ChosenCompletion | undefined,
  by: 1 | -1,
): { readonly line: LineEditor; readonly chosen: ChosenCompletion | undefined } | undefined {
  if (candidates.length === 0) return undefined;
  const typed = chosen?.typed ?? line;
  const before = chosen?.at ?? (by === 1 ? -1 : 0);
  const at = (before + by + candidates.length) % candidates.length;
  const start = typed.text.slice(0, from) + (candidates[at] ?? '');
  const isOnly = candidates.length === 1;
  // If there is only one completion, a blank follows it, so that the user can type the next word. After an operator
  // there is no blank, because its value follows directly.
  const end = isOnly && !/[=<>~]$/.test(start) ? ' ' : '';
  return {
    line: { text: start + end + typed.text.slice(typed.caret), caret: start.length + end.length },
    chosen: isOnly ? undefined : { typed, at },
  };
}

import type { LineEditor } from '../../text/line-editor.ts';
import type { LineInHistory } from '../../text/line-history.ts';

/** The command line after `:`, shown over any screen. */
export interface CommandLayer extends LineInHistory {
  readonly kind: 'command';
  /**
   * The typed text and the index of the candidate that replaces it, while Tab cycles through the completions; otherwise
   * `undefined`.
   */
  readonly chosen: { readonly typed: LineEditor; readonly at: number } | undefined;
  /** The reason why the command failed, with the allowed values; `undefined` if it did not fail. */
  readonly problem: string | undefined;
}

import type { ChosenCompletion } from '../../text/complete-line.ts';
import type { LineInHistory } from '../../text/line-history.ts';

/** The command line after `:`, shown over any screen. */
export interface CommandLayer extends LineInHistory {
  readonly kind: 'command';
  /** The chosen completion while Tab cycles through the completions; otherwise `undefined`. */
  readonly chosen: ChosenCompletion | undefined;
  /** The reason why the command failed, with the allowed values; `undefined` if it did not fail. */
  readonly problem: string | undefined;
}

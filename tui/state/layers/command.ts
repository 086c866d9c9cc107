import type { LineEditor } from '../../text/line-editor.ts';
import type { LineInHistory } from '../../text/line-history.ts';

/** The command line after `:`, shown over any screen. */
export interface CommandLayer extends LineInHistory {
  readonly kind: 'command';
  /** The typed text and the index of the inserted candidate, while Tab cycles through the candidates. */
  readonly chosen: { readonly typed: LineEditor; readonly at: number } | undefined;
  /** Why the command failed, and the allowed values. */
  readonly problem: string | undefined;
}

import type { LineEditor } from '../../text/line-editor.ts';
import type { LineInHistory } from '../../text/line-history.ts';

/** The line after `:`, over whatever is shown. */
export interface CommandLayer extends LineInHistory {
  readonly kind: 'command';
  /** While Tab goes through the candidates: what was typed, and the place of the candidate that stands there now. */
  readonly chosen: { readonly typed: LineEditor; readonly at: number } | undefined;
  /** Why the line could not be carried out, and what is allowed. */
  readonly problem: string | undefined;
}

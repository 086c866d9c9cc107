import type { LineEditor } from '../../text/line-editor.ts';

/** The line after `:`, over whatever is shown. */
export interface CommandLayer {
  readonly kind: 'command';
  readonly line: LineEditor;
  /** While Tab goes through the candidates: what was typed, and the place of the candidate that stands there now. */
  readonly chosen: { readonly typed: LineEditor; readonly at: number } | undefined;
  /** Place in the history; its length: the line being typed. */
  readonly historyAt: number;
  /** Why the line could not be carried out, and what is allowed. */
  readonly problem: string | undefined;
}

import type { Effect } from '../effects.ts';
import type { LineEditor } from '../../text/line-editor.ts';

/** A dialog with a question and two buttons. Without an effect it is a message with one button. */
export interface ConfirmLayer {
  readonly kind: 'confirm';
  readonly title: string;
  /** Lines that name the affected objects. A long list of objects is already shortened. */
  readonly lines: readonly string[];
  /** Returns the lines of the next frame, if they can change while the dialog is open; default: `lines`. */
  readonly currentLines?: () => readonly string[];
  /** Label of the submit button. It says what the button does: `Resolve 3 events`. */
  readonly button: string;
  readonly focused: 'cancel' | 'submit';
  /** The text that the user must type to confirm, and the text typed so far; `undefined` if nothing must be typed. */
  readonly typed?: { readonly expected: string; readonly line: LineEditor } | undefined;
  readonly effect: Effect | undefined;
}

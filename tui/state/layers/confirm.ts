import type { Effect } from '../effects.ts';
import type { LineEditor } from '../../text/line-editor.ts';

/** A question with two buttons; without an effect it is a message with one button. */
export interface ConfirmLayer {
  readonly kind: 'confirm';
  readonly title: string;
  /** The affected objects, one a line; already limited in number. */
  readonly lines: readonly string[];
  /** The effect in words: `Resolve 3 events`. */
  readonly button: string;
  readonly focused: 'cancel' | 'submit';
  /** The text that the user must type to confirm, and the text typed so far. */
  readonly typed?: { readonly expected: string; readonly line: LineEditor } | undefined;
  readonly effect: Effect | undefined;
}

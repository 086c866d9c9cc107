import type { Effect } from '../effects.ts';
import type { LineEditor } from '../../text/line-editor.ts';

/** A question with two buttons; without an effect a statement with one. */
export interface ConfirmLayer {
  readonly kind: 'confirm';
  readonly title: string;
  /** What it is about, one line each; already bounded. */
  readonly lines: readonly string[];
  /** The effect in words: `Resolve 3 events`. */
  readonly button: string;
  readonly focused: 'cancel' | 'submit';
  /** What must be typed before it is done, and what has been. */
  readonly typed?: { readonly wanted: string; readonly line: LineEditor } | undefined;
  readonly effect: Effect | undefined;
}

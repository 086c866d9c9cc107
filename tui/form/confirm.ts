import { EMPTY_LINE } from '../text/line-editor.ts';
import type { Screen } from '../state/ports.ts';
import type { ConfirmLayer } from '../state/layers/confirm.ts';
import { openLayer } from '../state/layer-stack.ts';

/** Things that a dialog names; the rest is a number. */
const NAMED_MAX = 5;

/** From more things than this on their number must be typed (security S20). */
export const TYPED_ABOVE = 20;

/** A question to be answered before something is done. */
export interface Question extends Pick<ConfirmLayer, 'title' | 'lines' | 'button' | 'effect'> {
  /** How many things it is about. */
  readonly count: number;
  /** Default: the one that does it. */
  readonly focused?: ConfirmLayer['focused'];
}

/** Asks in a dialog; when it is about many things, their number must be typed first. */
export function askFirst(store: Screen, { count, focused = 'submit', ...question }: Question): void {
  const typed = count > TYPED_ABOVE ? { wanted: String(count), line: EMPTY_LINE } : undefined;
  openLayer(store, { kind: 'confirm', focused, typed, ...question });
}

/** Says something that one line cannot hold. */
export function report(store: Screen, title: string, lines: readonly string[]): void {
  askFirst(store, { title, lines: named(lines), button: 'Close', count: 0, effect: undefined });
}

/** The first few, and how many more there are. */
export function named(names: readonly string[]): readonly string[] {
  if (names.length <= NAMED_MAX) return names;
  const shown = names.slice(0, NAMED_MAX - 1);
  return [...shown, `and ${String(names.length - shown.length)} more`];
}

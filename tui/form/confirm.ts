import { EMPTY_LINE } from '../text/line-editor.ts';
import type { Screen } from '../state/ports.ts';
import type { ConfirmLayer } from '../state/layers/confirm.ts';
import { openLayer } from '../state/layer-stack.ts';

/** Maximum number of lines with names in a dialog. If there are more names, the last line says how many. */
const NAME_LINES_MAX = 5;

/** Number of objects above which the user must type the number to confirm (security S20). */
export const TYPED_CONFIRM_ABOVE = 20;

/** A question that the user must confirm before an effect runs. */
export interface ConfirmQuestion extends Pick<ConfirmLayer, 'title' | 'lines' | 'currentLines' | 'button' | 'effect'> {
  /** Number of objects that the effect changes. */
  readonly count: number;
  /** The button that has the focus; default: the submit button. */
  readonly focused?: ConfirmLayer['focused'];
}

/** Asks for confirmation in a dialog. For many objects the user must type their number first. */
export function openConfirmation(store: Screen, { count, focused = 'submit', ...question }: ConfirmQuestion): void {
  const typed = count > TYPED_CONFIRM_ABOVE ? { expected: String(count), line: EMPTY_LINE } : undefined;
  openLayer(store, { kind: 'confirm', focused, typed, ...question });
}

/** Shows a message that does not fit on one line, in a dialog with a button that closes it. */
export function showLongMessage(store: Screen, title: string, lines: readonly string[]): void {
  openConfirmation(store, { title, lines: namesWithinLimit(lines), button: 'Close', count: 0, effect: undefined });
}

/** Returns the names. If they are too many, returns the first names and a line with the number of the others. */
export function namesWithinLimit(names: readonly string[]): readonly string[] {
  if (names.length <= NAME_LINES_MAX) return names;
  const shown = names.slice(0, NAME_LINES_MAX - 1);
  return [...shown, `and ${String(names.length - shown.length)} more`];
}

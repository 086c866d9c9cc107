import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { KeyAction } from '../state/keys.ts';
import { moveCursor, settleCursor, type ListCursor } from '../state/list-cursor.ts';
import { desiredCursor } from '../state/list-state.ts';
import { listRows } from '../state/screen-layout.ts';
import type { LiveData } from '../model/live-data.ts';
import type { Screen, ScreenView } from '../state/ports.ts';
import { stopFollowing } from './follow-newest.ts';
import type { ListOfView } from './list-of-view.ts';

/** Time for which a cursor key pauses the sorting of the list, in milliseconds. */
const ORDER_PAUSE_MS = 400;

/**
 * Returns the cursor with its index in the current order of the rows. It is only for keys that move the cursor: the
 * order may have changed since the last frame.
 */
export function cursorNow(store: ScreenView & ListOfView): ListCursor {
  return settleCursor(desiredCursor(store.list), store.rows.order, listRows(store.state));
}

export function moveCursorTo(store: Screen & ListOfView, index: number): void {
  // Sorting pauses for a moment, so that the cursor moves over the rows that the user sees.
  if (!store.rows.frozen) store.rows.freeze();
  const cursor = moveCursor(cursorNow(store), index, store.rows.order, listRows(store.state));
  store.updateList({ cursor, isCursorMoved: true });
  store.update({ orderPausedUntilMs: store.options.now() + ORDER_PAUSE_MS });
}

/**
 * Moves the cursor to the first row. Until the user moves it, the cursor stays on the first row, even if another row
 * becomes the first.
 */
export function stayAtTop(store: Screen & ListOfView): void {
  store.rows.thaw();
  store.updateList({ isCursorMoved: false });
  store.update({ orderPausedUntilMs: 0 });
  store.settleList();
}

/**
 * Makes the cursor stay with its current row before a key acts on that row. Nothing changes if rows are marked or if
 * the cursor follows the newest row.
 *
 * @returns `false` if another row came under the cursor so recently that the user may have meant the previous row;
 *   otherwise `true`
 */
export function bindCursorToRow(store: Screen & Pick<LiveData, 'folds'> & ListOfView): boolean {
  const { following, cursor, marks } = store.list;
  if (cursor.key === undefined || marks.size > 0) return true;
  if (!following) store.updateList({ isCursorMoved: true });
  if (!store.window.consumeShift(store)) return true;
  stopFollowing(store);
  const fold = store.folds.fold(cursor.key);
  reportShiftedRows(store, fold === undefined ? cursor.key : `${fold.name} (${fold.sizeText})`);
  return false;
}

/** Shows a message that a key did nothing, because another row came under the cursor just before. */
export function reportShiftedRows(store: Screen, name: string): void {
  store.say(`the list has just moved: the cursor is now on ${safeLine(name)}; press the key again to confirm`);
}

/** The actions on the row under the cursor that are the same in all lists. */
const ROW_KEYS: ReadonlySet<KeyAction> = new Set(['mark', 'range', 'actions', 'copy', 'runbook', 'explain']);

export function isRowAction(action: KeyAction, actions: readonly KeyAction[]): boolean {
  return ROW_KEYS.has(action) || actions.includes(action);
}

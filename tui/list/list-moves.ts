import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { KeyAction } from '../state/keys.ts';
import { moveCursor, settleCursor, type ListCursor } from '../state/list-cursor.ts';
import { desiredCursor } from '../state/list-state.ts';
import { listRows } from '../state/screen-layout.ts';
import type { MessageSink, Opened, Screen, Shown } from '../state/ports.ts';
import { stopFollowing } from './follow-newest.ts';
import type { ListOfView } from './list-of-view.ts';

/** Time that a cursor key pauses the order. */
const ORDER_PAUSE_MS = 400;

/** Returns the cursor in the current order, which may have changed since the last frame. For movements only. */
export function cursorNow(store: Shown & ListOfView): ListCursor {
  return settleCursor(desiredCursor(store.list), store.rows.order, listRows(store.state));
}

export function moveTo(store: Screen & Opened & ListOfView, index: number): void {
  // The cursor moves in the order on the screen, and that order is paused for a moment.
  if (!store.rows.frozen) store.rows.freeze();
  const cursor = moveCursor(cursorNow(store), index, store.rows.order, listRows(store.state));
  store.updateList({ cursor, isCursorMoved: true });
  store.update({ orderPausedUntilMs: store.options.now() + ORDER_PAUSE_MS });
}

/** Moves to the first row, whichever that is: the list stays at its top until the cursor is moved. */
export function stayAtTop(store: Pick<Screen, 'update'> & ListOfView): void {
  store.rows.thaw();
  store.updateList({ isCursorMoved: false });
  store.update({ orderPausedUntilMs: 0 });
  store.settleList();
}

/**
 * Fixes the cursor on its row before a key acts on it, unless it follows the newest.
 *
 * @returns `false` if the row moved under the cursor so recently that the user may have meant another one
 */
export function takeHold(store: MessageSink & Opened & ListOfView): boolean {
  const { following, cursor, marks } = store.list;
  if (cursor.key === undefined || marks.size > 0) return true;
  if (!following) store.updateList({ isCursorMoved: true });
  if (!store.window.takeShift(store)) return true;
  stopFollowing(store);
  sayShifted(store, cursor.key);
  return false;
}

/** Explains why a key did nothing: another row had just moved under the cursor. */
export function sayShifted(store: MessageSink, key: string): void {
  store.say(`the list has just moved: the cursor is now on ${safeLine(key)}; press the key again to confirm`);
}

/** The keys of all lists that act on the row under the cursor. */
const ROW_KEYS: ReadonlySet<KeyAction> = new Set(['mark', 'range', 'actions', 'copy', 'runbook', 'explain']);

export function isRowAction(action: KeyAction, actions: readonly KeyAction[]): boolean {
  return ROW_KEYS.has(action) || actions.includes(action);
}

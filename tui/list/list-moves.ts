import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { KeyAction } from '../state/keys.ts';
import { moveCursor, settleCursor, type ListCursor } from '../state/list-cursor.ts';
import { wantedCursor } from '../state/list-state.ts';
import { listRows } from '../state/screen-layout.ts';
import type { Says, Opened, Screen, Shown } from '../state/ports.ts';
import { stopFollowing } from './following.ts';
import type { ListOfView } from './list-of-view.ts';

/** How long a cursor key keeps the rows where they are. */
const ORDER_PAUSE_MS = 400;

/** The cursor in the order as it is now, which may have moved on since the last frame. For movements only. */
export function cursorNow(store: Shown & ListOfView): ListCursor {
  return settleCursor(wantedCursor(store.list), store.rows.order, listRows(store.state));
}

export function moveTo(store: Screen & Opened & ListOfView, index: number): void {
  // The cursor moves in the order that is on the screen, and that order stays for a moment.
  if (!store.rows.frozen) store.rows.freeze();
  const cursor = moveCursor(cursorNow(store), index, store.rows.order, listRows(store.state));
  store.updateList({ cursor, held: true });
  store.update({ orderPausedUntilMs: store.options.now() + ORDER_PAUSE_MS });
}

/** To the first row, whatever comes to be it: the list stays at its top until the cursor is moved. */
export function stayAtTop(store: Pick<Screen, 'update'> & ListOfView): void {
  store.rows.thaw();
  store.updateList({ held: false });
  store.update({ orderPausedUntilMs: 0 });
  store.settleList();
}

/**
 * For a key that is about the row under the cursor: from now on the cursor stays on it, unless it follows the newest.
 * `false`: that row came under the cursor only as the key was pressed, so that perhaps another one was meant.
 */
export function takeHold(store: Says & Opened & ListOfView): boolean {
  const { following, cursor, marks } = store.list;
  if (cursor.key === undefined || marks.size > 0) return true;
  if (!following) store.updateList({ held: true });
  if (!store.window.takeShift(store)) return true;
  stopFollowing(store);
  sayShifted(store, cursor.key);
  return false;
}

/** For a key that did nothing, because another row came under the cursor just then. */
export function sayShifted(store: Says, key: string): void {
  store.say(`the list moved just now, and the cursor is on ${safeLine(key)}: press the key again to confirm`);
}

/** The keys about the row under the cursor that there are in every list. */
const ROW_KEYS: ReadonlySet<KeyAction> = new Set(['mark', 'range', 'actions', 'copy', 'runbook', 'explain']);

export function isAboutRow(action: KeyAction, actions: readonly KeyAction[]): boolean {
  return ROW_KEYS.has(action) || actions.includes(action);
}

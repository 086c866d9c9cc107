import { stopFollowing } from '../list/follow-newest.ts';
import { reportFold } from './folds.ts';
import { listRows } from '../state/screen-layout.ts';
import { movedPosition } from '../keys/movement-target.ts';
import { isRowAction, bindCursorToRow, cursorNow, stayAtTop, moveCursorTo } from '../list/list-moves.ts';
import { clamp } from '../state/list-cursor.ts';
import type { KeyAction } from '../state/keys.ts';
import type { ActionPorts } from '../keys/action-ports.ts';

/**
 * Runs before a key acts in a list. It makes sure that the key acts on the row that the user saw under the cursor.
 *
 * @returns `taken` if the key must have no further effect; otherwise `undefined`
 */
export function beforeListKey(store: ActionPorts, action: KeyAction | undefined): 'taken' | undefined {
  // The filter that the user has just typed takes effect first, because the key must not affect a row that the filter
  // hides.
  if (store.window.isOrderExpected && store.rows.filtering) store.settleList();
  else store.settleRows();
  if (action === undefined) return undefined;
  // Folding is in the menu of a row, but acts on the whole list.
  const isOnRow = action !== 'fold' && isRowAction(action, store.table?.menu ?? []);
  if (isOnRow && !bindCursorToRow(store)) return 'taken';
  return reportFold(store, action) ? 'taken' : undefined;
}

export function moveInList(store: ActionPorts, action: KeyAction): void {
  const { index } = cursorNow(store);
  const to = movedPosition(action, index, { rows: listRows(store.state), last: store.rows.order.length - 1 });
  if (to === undefined) return;
  stopFollowing(store);
  if (action === 'top') return stayAtTop(store);
  const from = store.list.cursor;
  moveCursorTo(store, to);
  if (action !== 'bottom') store.window.recordCursorMove(from, to - index, store);
}

/**
 * Moves the cursor to a row by its number in the list, counted from 1. If the number is too large, moves to the last
 * row.
 */
export function goToRow(store: ActionPorts, row: number): void {
  stopFollowing(store);
  moveCursorTo(store, clamp(row - 1, 0, store.rows.order.length - 1));
}

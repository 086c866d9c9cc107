import { VIEWS } from '../state/view-names.ts';
import type { Screen, Opened } from '../state/ports.ts';
import { stopFollowing } from '../list/follow-newest.ts';
import { listRows } from '../state/screen-layout.ts';
import { movedTo } from '../keys/movement-target.ts';
import { isRowAction, takeHold, cursorNow, stayAtTop, moveTo } from '../list/list-moves.ts';
import { isDigit } from './views.ts';
import type { KeyAction, KeyPress } from '../state/keys.ts';
import type { ActionPorts } from '../keys/action-ports.ts';

/** Maximum count; it also limits the effect of a stuck key. */
const COUNT_MAX = 99_999;

/**
 * Runs before a key acts in a list. A digit extends the count, and the row under the cursor is fixed.
 *
 * @returns the count before the key, or `taken` if the key has no further effect
 */
export function beforeListKey(
  store: ActionPorts,
  action: KeyAction | undefined,
  key: KeyPress,
): 'taken' | number | undefined {
  const { count } = store.state;
  if (isDigit(key) && (count ?? Number(key.text)) > 0) {
    typeCount(store, Number(key.text));
    return 'taken';
  }
  store.update({ count: undefined, digitAtMs: undefined });
  // A row that the user's new filter hides must not be affected.
  if (store.window.isOrderExpected && store.rows.filtering) store.settleList();
  else store.settleRows();
  if (action === undefined || !isRowAction(action, store.table?.menu ?? []) || takeHold(store)) return count;
  return 'taken';
}

export function moveInList(store: ActionPorts, action: KeyAction, count: number | undefined): void {
  const { index } = cursorNow(store);
  const to = movedTo(action, index, { rows: listRows(store.state), last: store.rows.order.length - 1, count });
  if (to === undefined) return;
  stopFollowing(store);
  if (action === 'top' && count === undefined) return stayAtTop(store);
  const from = store.list.cursor;
  moveTo(store, to);
  if (action !== 'top' && action !== 'bottom') store.window.noteMove(from, to - index, store);
}

/**
 * Starts or extends a count. The first digit may also open a view, which the next key decides (`settleDigit`).
 */
function typeCount(store: Screen & Opened, digit: number): void {
  const { count } = store.state;
  const mayBeView = count === undefined && VIEWS.some(({ number }) => number === digit);
  store.update({
    count: Math.min(COUNT_MAX, (count ?? 0) * 10 + digit),
    digitAtMs: mayBeView ? store.options.now() : undefined,
  });
}

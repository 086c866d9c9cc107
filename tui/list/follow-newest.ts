import { keyOf } from '../state/keys.ts';
import { listRows } from '../state/screen-layout.ts';
import { moveCursor } from '../state/list-cursor.ts';
import type { ListOfView } from './list-of-view.ts';
import type { Screen, StateAdjuster } from '../state/ports.ts';

/** Makes the cursor follow the newest row, or stops doing so. */
export function toggleFollowNewest(store: Screen & ListOfView): void {
  const { newestBy } = store.table ?? {};
  if (newestBy === undefined) return;
  if (store.list.following) {
    stopFollowing(store);
    return restoreSort(store, newestBy[0]);
  }
  if (!newestBy.includes(store.sort.column)) {
    store.updateList({ replacedSort: { sort: store.list.sort } });
    store.sortBy({ column: newestBy[0], reversed: false });
  }
  store.rows.thaw();
  store.window.expectOrder();
  store.updateList({ following: true });
  store.update({ orderPausedUntilMs: 0 });
  store.say(`following the newest row: move the cursor or press ${keyOf('follow')} to stop`);
}

/** Restores the sort order that following the newest row replaced, unless the user has chosen another one since. */
function restoreSort(store: Screen & ListOfView, followedColumn: string): void {
  const { replacedSort, sort } = store.list;
  store.updateList({ replacedSort: undefined });
  if (replacedSort === undefined || sort?.column !== followedColumn || sort.reversed) return;
  store.sortBy(replacedSort.sort ?? { column: store.table?.sort ?? followedColumn, reversed: false });
  store.updateList({ sort: replacedSort.sort });
}

/** Stops following the newest row, and shows a message about it. The cursor stays on its current row. */
export function stopFollowing(store: Screen & ListOfView): void {
  if (!store.list.following) return;
  store.updateList({ following: false, isCursorMoved: true });
  store.say(`no longer following the newest row: press ${keyOf('follow')} to follow again`);
}

/**
 * Moves the cursor to the newest row if it follows that row. Stops following if the list is sorted by another column.
 */
export function followNewest(store: StateAdjuster & Screen & ListOfView): void {
  const { list, rows, sort, state, table } = store;
  if (!list.following || rows.frozen) return;
  if (table?.newestBy?.includes(sort.column) !== true) return stopFollowing(store);
  const { order } = rows;
  const cursor = moveCursor(list.cursor, sort.reversed ? order.length - 1 : 0, order, listRows(state));
  store.adjustState({ views: { ...state.views, [state.view]: { ...list, cursor } } });
}

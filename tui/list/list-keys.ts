import { keyOf, type KeyAction, type KeyPress } from '../actions/keys.ts';
import { pressFeedKey } from '../actions/feed-keys.ts';
import { applyFilter, openPrompt } from './search-prompt.ts';
import { moveSort, openActionMenu, openColumnsMenu, openSortMenu, openViewMenu, reverseSort } from './list-menus.ts';
import { cursorNow, isAboutRow, moveTo, stayAtTop, takeHold } from './list-moves.ts';
import { askQuit } from '../actions/quit.ts';
import { listRows } from '../state/screen-layout.ts';
import { movedTo } from '../actions/scroll-keys.ts';
import { pressSide, stopFollowing } from '../actions/side-keys.ts';
import { goBack, isDigit, pressViewKey } from '../actions/view-keys.ts';
import { VIEWS } from '../state/view-names.ts';
import type { Screen, Says, Opened, Shown } from '../state/ports.ts';
import type { Known, Places } from '../model/known.ts';
import type { ListOfView } from './list-of-view.ts';
import type { ActionPorts } from '../actions/action-ports.ts';
import { tableOf } from './tables.ts';

/** Nobody means more rows than this; it also bounds what a stuck key can do. */
const COUNT_MAX = 99_999;

/** The keys of every list: events and tables. */
export function pressList(store: ActionPorts, action: KeyAction | undefined, key: KeyPress): void {
  const { count } = store.state;
  if (isDigit(key) && (count ?? Number(key.text)) > 0) return typeCount(store, Number(key.text));
  store.update({ count: undefined, digitAtMs: undefined });
  store.settleRows();
  const to = movedTo(action, cursorNow(store).index, {
    rows: listRows(store.state),
    last: store.rows.order.length - 1,
    count,
  });
  if (to !== undefined) {
    stopFollowing(store);
    return action === 'top' && count === undefined ? stayAtTop(store) : moveTo(store, to);
  }
  if (action !== undefined && isAboutRow(action, actionsOf(store)) && !takeHold(store)) return;
  if (action !== undefined && !pressViewKey(store, action, key) && !pressRows(store, action))
    pressFeedKey(store, action);
}

/** The first digit may be a view just as well: what follows tells (`settleDigit`). */
function typeCount(store: Screen & Opened, digit: number): void {
  const { count } = store.state;
  const mayBeView = count === undefined && VIEWS.some(({ number }) => number === digit);
  store.update({
    count: Math.min(COUNT_MAX, (count ?? 0) * 10 + digit),
    digitAtMs: mayBeView ? store.options.now() : undefined,
  });
}

/** What a key does to the rows of this view. `false`: nothing. */
function pressRows(store: ActionPorts, action: KeyAction): boolean {
  return pressSide(store, action) || pressTable(store, action) || act(store, action);
}

function pressTable(store: ActionPorts, action: KeyAction): boolean {
  const { actions = {}, others = {} } = tableOf(store.state.view) ?? {};
  actions[action]?.(store, meantRows(store));
  others[action]?.(store);
  return action in actions || action in others;
}

/** The marked rows, or the one that was drawn under the cursor, as they are now. */
function meantRows({ list, rows, table }: ListOfView): readonly unknown[] {
  const keys = list.marks.size > 0 ? [...list.marks] : list.cursor.key === undefined ? [] : [list.cursor.key];
  return table?.meant?.(keys) ?? keys.flatMap((key) => rows.get(key) ?? []).map(({ row }) => row);
}

function act(store: ActionPorts, action: KeyAction): boolean {
  const run = LIST_ACTIONS[action];
  run?.(store);
  return run !== undefined;
}

const LIST_ACTIONS: Partial<Readonly<Record<KeyAction, (store: ActionPorts) => void>>> = {
  mark: markUnderCursor,
  range: markRange,
  'mark-all': (store) => {
    const { order } = store.rows;
    store.updateList({ marks: new Set(order.slice(0, order.length).map(({ key }) => key)) });
  },
  'clear-marks': clearMarks,
  filter: openPrompt,
  sort: openSortMenu,
  'sort-reverse': reverseSort,
  'sort-left': (store) => moveSort(store, -1),
  'sort-right': (store) => moveSort(store, 1),
  columns: openColumnsMenu,
  actions: openActions,
  views: openViewMenu,
  back,
  quit: askQuit,
};

/** What can be done with the rows of the list that is shown. */
function actionsOf({ state }: Shown): readonly KeyAction[] {
  return Object.keys(tableOf(state.view)?.actions ?? {}) as readonly KeyAction[];
}

function openActions(store: ActionPorts): void {
  const { list } = store;
  const count = list.marks.size;
  const about = count > 0 ? `${String(count)} marked` : (list.cursor.key ?? '');
  // The order stands still behind a menu, so cursor and marks are those that it was opened for.
  openActionMenu(store, about, actionsOf(store), (action) => void pressTable(store, action));
}

function markUnderCursor(store: Screen & Opened & ListOfView): void {
  const { key } = store.list.cursor;
  if (key === undefined) return;
  const marks = new Set(store.list.marks);
  if (!marks.delete(key)) marks.add(key);
  store.updateList({ marks, lastMark: key });
  const at = store.rows.order.indexOf(key);
  if (at !== -1) moveTo(store, at + 1);
}

function markRange(store: Shown & Says & ListOfView): void {
  const { lastMark, marks } = store.list;
  const { order } = store.rows;
  const cursor = cursorNow(store);
  const from = lastMark === undefined ? -1 : order.indexOf(lastMark);
  if (from === -1)
    return store.say(`mark the first row with ${keyOf('mark')}, then ${keyOf('range')} marks up to the cursor`);
  const range = order.slice(Math.min(from, cursor.index), Math.max(from, cursor.index) + 1);
  store.updateList({ marks: new Set([...marks, ...range.map(({ key }) => key)]), lastMark: cursor.key });
}

function clearMarks(store: Pick<ListOfView, 'updateList'>): void {
  store.updateList({ marks: new Set(), lastMark: undefined });
}

function back(store: Screen & Says & Pick<Known, 'events'> & Places & ListOfView): void {
  if (store.list.marks.size > 0) return clearMarks(store);
  if (store.list.filter.text !== '') return applyFilter(store, '');
  if (store.state.message !== undefined) return store.update({ message: undefined });
  // Events are where the console begins: there is nothing behind them to go back to.
  if (store.state.view !== 'events') goBack(store);
}

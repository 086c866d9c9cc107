import { tableColumnAt } from '../list/table-columns.ts';
import { hintsState, savedTabs } from '../screens/chrome-props.ts';
import { hintAt } from '../screens/footer.tsx';
import { inspectBody } from '../screens/inspect/body.ts';
import { tabAt } from '../screens/tabs.ts';
import type { KeyAction } from '../state/keys.ts';
import type { MouseEvent } from '../terminal/input-event.ts';
import { isTooSmall } from '../state/console-state.ts';
import { keyContext } from '../keys/key-context.ts';
import { layOutList } from '../list/list-layout.ts';
import { moveCursorTo } from '../list/list-moves.ts';
import { listLayout } from '../state/screen-layout.ts';
import { isPage } from '../state/view-names.ts';
import type { ScreenView } from '../state/ports.ts';
import type { LiveData } from '../model/live-data.ts';
import type { ListOfView } from '../list/list-of-view.ts';
import type { ActionPorts } from '../keys/action-ports.ts';
import { isSortable } from '../list/table-column.ts';
import { applyView } from './saved-views.ts';
import { openView } from '../screens/open-view.ts';
import { focusPane } from '../screens/events/pane-actions.ts';

/** Number of rows that one step of the mouse wheel scrolls. */
const WHEEL_ROWS = 3;

/** Maximum time in milliseconds between the two clicks of a double click. */
const DOUBLE_CLICK_MS = 400;

/** Screen row of the tabs in a tall header, counted from 0. */
const TABS_ROW = 2;

/**
 * Handles the mouse wheel, and clicks on tabs, column titles, rows and the key hints in the last row. A double click
 * opens a row.
 *
 * @param press callback that performs the action of a key
 */
export function handleMouse(store: ActionPorts, event: MouseEvent, press: (action: KeyAction) => void): void {
  // A mouse report can still arrive after mouse support was turned off.
  if (!store.state.mouse || isTooSmall(store.state.size)) return;
  if (event.action === 'wheelup' || event.action === 'wheeldown') return scrollByWheel(store, event.action, press);
  if (event.action !== 'press' || event.button !== 'left') return;
  if (event.row === store.state.size.rows - 1) return clickHint(store, event, press);
  // Other clicks only act on a view, not while a dialog or another screen is over it.
  if (store.state.layers.length === 0 && store.state.prompt === undefined) clickCell(store, event, press);
}

/** Performs the action whose hint was clicked, like its key. */
function clickHint(store: ActionPorts, { column }: MouseEvent, press: (action: KeyAction) => void): void {
  const layer = store.state.layers.at(-1);
  // These screens have no hints in their last row.
  if (store.feed.connection.kind === 'refused' || layer?.kind === 'command') return;
  const hasRows = layer?.kind !== 'inspect' || inspectBody(store, layer).table !== undefined;
  const action = hintAt({ ...hintsState(store), hasRows }, column);
  if (action !== undefined) press(action);
}

function scrollByWheel(store: ScreenView, way: 'wheelup' | 'wheeldown', press: (action: KeyAction) => void): void {
  const context = keyContext(store.state);
  // In a text field, or in a dialog with a question, there are no rows to scroll.
  if (context === 'form' || context === 'confirm' || context === 'prompt' || context === 'search') return;
  if (context === 'command') return;
  if (context === 'menu') return press(way === 'wheelup' ? 'menu-up' : 'menu-down');
  for (let row = 0; row < WHEEL_ROWS; row += 1) press(way === 'wheelup' ? 'up' : 'down');
}

function clickCell(store: ActionPorts, { row, column }: MouseEvent, press: (action: KeyAction) => void): void {
  const { state } = store;
  const layout = listLayout(state);
  if (layout.header > TABS_ROW && row === TABS_ROW) {
    const tab = tabAt({ view: state.view, saved: savedTabs(store) }, state.size.columns, column);
    if (tab === undefined) return;
    if ('view' in tab) return openView(store, tab.view);
    const saved = state.savedViews.get(tab.saved);
    if (saved !== undefined) applyView(store, saved);
    return;
  }
  if (isPage(state.view)) return;
  const first = layout.header + layout.above;
  const isInPane = column >= layout.columns && row >= first - 1 && row < first + layout.list;
  if (layout.side > 0) focusPane(store, isInPane);
  if (isInPane) return;
  if (row === first - 1) return sortByTitle(store, column);
  const key = row < first || row >= first + layout.list ? undefined : store.window.keyAtRow(row - first);
  if (key === undefined) return;
  store.settleRows();
  const index = store.rows.order.indexOf(key);
  if (index === -1) return;
  const { clicked } = state;
  const nowMs = store.options.now();
  moveCursorTo(store, index);
  store.update({ clicked: { key, atMs: nowMs } });
  if (clicked?.key === key && nowMs - clicked.atMs <= DOUBLE_CLICK_MS) press('open');
}

/** Sorts the list by the clicked column. If it is already sorted by that column, reverses the order. */
function sortByTitle(store: ScreenView & LiveData & ListOfView, cell: number): void {
  const column = sortableColumnAt(store, cell);
  if (column === undefined) return;
  const { sort } = store;
  store.sortBy({ column, reversed: sort.column === column && !sort.reversed });
}

function sortableColumnAt(store: ScreenView & LiveData & ListOfView, cell: number): string | undefined {
  const column = tableColumnAt(layOutList(store).placed, cell);
  return column !== undefined && isSortable(column) ? column.id : undefined;
}

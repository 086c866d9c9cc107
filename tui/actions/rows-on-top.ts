import type { ActionHandler } from '../keys/action.ts';
import type { ActionPorts } from '../keys/action-ports.ts';
import { layOutList } from '../list/list-layout.ts';
import { moveCursorTo } from '../list/list-moves.ts';
import type { SortState } from '../model/list-order.ts';
import { inspectBody, cursorOrder } from '../screens/inspect/body.ts';
import { layOutInspectTable } from '../screens/inspect/layout.ts';
import { sortsOf, type ColumnChoice } from '../screens/view-columns.ts';
import { putLayer } from '../state/layer-stack.ts';
import type { InspectLayer } from '../state/layers/inspect.ts';
import { moveCursor, settleCursor } from '../state/list-cursor.ts';
import type { ListState } from '../state/list-state.ts';
import { viewTitle } from '../state/view-names.ts';

/**
 * The rows that list actions affect: those of the topmost screen of a client, check or aggregate, or otherwise those of
 * the view.
 */
export interface RowsOnTop extends Pick<ListState, 'marks' | 'lastMark' | 'sideways' | 'wide'> {
  /** Key of the row that was drawn under the cursor. */
  readonly cursor: string | undefined;
  /** Returns the keys of all rows that match the filter. */
  readonly keys: () => readonly string[];
  /** The sort order; `undefined` if the rows are not sorted by a column. */
  readonly sort: SortState | undefined;
  readonly sortableColumns: readonly ColumnChoice[];
  readonly sortTitle: string;
  /** The name of the default order if it is not the order of a column; otherwise `undefined`. */
  readonly defaultOrderName: string | undefined;
  /** Returns true if columns or parts of a text are cut off on the right. */
  readonly hasMore: () => boolean;
  readonly setMarks: (marks: ReadonlySet<string>, lastMark: string | undefined) => void;
  readonly look: (change: Partial<Pick<ListState, 'sideways' | 'wide'>>) => void;
  readonly sortBy: (sort: SortState | undefined) => void;
  /** Moves the cursor to the next row. */
  readonly goDown: () => void;
}

/**
 * Returns an action handler that receives the rows of the topmost screen. It does nothing if that screen has no rows.
 */
export function handleRowsOnTop(run: (rows: RowsOnTop, store: ActionPorts) => void): ActionHandler {
  return (store) => {
    const layer = store.state.layers.at(-1);
    const rows = layer?.kind === 'inspect' ? inspectedRows(store, layer) : viewRows(store);
    if (rows !== undefined) run(rows, store);
  };
}

function viewRows(store: ActionPorts): RowsOnTop {
  const { list, rows, sort, state, whereColumn } = store;
  const { order } = rows;
  return {
    ...list,
    cursor: list.cursor.key,
    keys: () => order.slice(0, order.length).map(({ key }) => key),
    sort,
    sortableColumns: sortsOf(state.view, whereColumn, shownAttributes(store)),
    sortTitle: `Sort ${viewTitle(state.view).toLowerCase()} by`,
    defaultOrderName: undefined,
    hasMore: () => layOutList(store).hasMore,
    setMarks: (marks, lastMark) => store.updateList({ marks, lastMark }),
    look: (change) => store.updateList(change),
    sortBy: (next) => {
      if (next !== undefined) store.sortBy(next);
    },
    goDown: () => {
      const at = list.cursor.key === undefined ? -1 : order.indexOf(list.cursor.key);
      if (at !== -1) moveCursorTo(store, at + 1);
    },
  };
}

/** Returns the ids of the columns of attributes that are shown or sorted by. */
function shownAttributes({ list, sort, table }: ActionPorts): readonly string[] {
  const isOwn = table?.columns.some(({ id }) => id === sort.column) === true;
  return isOwn || list.added.includes(sort.column) ? list.added : [...list.added, sort.column];
}

function inspectedRows(store: ActionPorts, layer: InspectLayer): RowsOnTop | undefined {
  const { table, rows, height } = inspectBody(store, layer);
  if (table === undefined) return undefined;
  const order = cursorOrder(rows);
  // The rows may have changed, because a response may have arrived since the last frame.
  const from = settleCursor(layer.cursor, order, height);
  // The topmost layer is read again, because a menu may be open over the rows by now.
  const put = (change: Partial<InspectLayer>): void => {
    const top = store.state.layers.at(-1);
    if (top?.kind === 'inspect') putLayer(store, { ...top, ...change });
  };
  return {
    ...layer,
    lastMark: undefined,
    cursor: layer.cursor.key,
    keys: () => rows.map(({ key }) => key),
    sortableColumns: table.columns.filter(({ compare }) => compare !== undefined),
    sortTitle: 'Sort by',
    defaultOrderName: 'worst first',
    hasMore: () => layOutInspectTable(store, layer, table, rows).hasMore,
    setMarks: (marks) => put({ marks }),
    look: put,
    sortBy: (sort) => put({ sort }),
    goDown: () => put({ cursor: moveCursor(from, from.index + 1, order, height) }),
  };
}

export function markRow({ cursor, marks: marked, setMarks, goDown }: RowsOnTop): void {
  if (cursor === undefined) return;
  const marks = new Set(marked);
  if (!marks.delete(cursor)) marks.add(cursor);
  setMarks(marks, cursor);
  goDown();
}

/** Sorts by the next or the previous column. The first column follows the last. */
export function sortByAdjacentColumn({ sort, sortableColumns: sorts, sortBy }: RowsOnTop, step: 1 | -1): void {
  const at = sorts.findIndex(({ id }) => id === sort?.column);
  const from = at === -1 && step === -1 ? 0 : at;
  const next = sorts.at((from + step) % Math.max(1, sorts.length));
  if (next !== undefined) sortBy({ column: next.id, reversed: false });
}

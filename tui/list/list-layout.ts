import type { LiveData } from '../model/live-data.ts';
import { hasColumn } from '../model/where-column.ts';
import type { ScreenView } from '../state/ports.ts';
import { listRows } from '../state/screen-layout.ts';
import type { ListOfView } from './list-of-view.ts';
import { layOutTable, type TableLayout } from './table-layout.ts';

const EMPTY_LAYOUT: TableLayout = { placed: [], left: 0, right: 0, shift: 0, hasMore: false };

/** Returns the drawn columns of the shown list and their positions. */
export function layOutList(store: ScreenView & LiveData & ListOfView): TableLayout {
  const { state, list, nowMs, rows, table } = store;
  if (table === undefined) return EMPTY_LAYOUT;
  const { top } = list.cursor;
  const window = rows.order.slice(top, top + listRows(state));
  if (table.layOut !== undefined) return table.layOut(store, window);
  const columns = table.columns.filter(({ id }) => hasColumn(id, store.whereColumn));
  return layOutTable({ columns }, list, { columns: state.size.columns, window, nowMs });
}

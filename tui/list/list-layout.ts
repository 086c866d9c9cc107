import type { LiveData } from '../model/live-data.ts';
import { hasColumn } from '../model/where-column.ts';
import type { ScreenView } from '../state/ports.ts';
import { listLayout, listRows } from '../state/screen-layout.ts';
import type { ListOfView } from './list-of-view.ts';
import { columnOf } from './list-table.ts';
import { layOutTable, type TableLayout } from './table-layout.ts';

const EMPTY_LAYOUT: TableLayout = { placed: [], left: 0, right: 0, shift: 0, hasMore: false };

/** Returns the drawn columns of the shown list and their positions. */
export function layOutList(store: ScreenView & LiveData & ListOfView): TableLayout {
  const { state, list, nowMs, rows, sort, table, window, whereColumn } = store;
  if (table === undefined) return EMPTY_LAYOUT;
  const { top } = list.cursor;
  const records = rows.order.slice(top, top + listRows(state));
  const columns = table.columns.filter(({ id }) => hasColumn(id, whereColumn) && !list.hidden.has(id));
  const placed = columns.map((column) => ({ column, width: 0 }));
  const drawn = records.map((record) => table.drawn?.(store, record, placed).row ?? record.row);
  // Until a new filter is evaluated, the rows on the screen are not those of the list.
  const listKey = rows.filtering
    ? `filtering ${String(nowMs)}`
    : [table.name, sort.column, sort.reversed, list.fold, list.filter.text, whereColumn].join('\n');
  const attributes = list.added.flatMap((id) => columnOf(table, id) ?? []);
  const content = window.measure.measure(listKey, [...columns, ...attributes], drawn, nowMs);
  const viewport = { columns: listLayout(state).columns, rows: drawn, content, nowMs };
  return table.layOut?.(store, records, content) ?? layOutTable({ columns }, list, viewport);
}

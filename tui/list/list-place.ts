import type { Known, Places } from '../model/known.ts';
import { isColumnThere } from '../model/where-column.ts';
import type { Shown } from '../state/ports.ts';
import { listRows } from '../state/screen-layout.ts';
import type { ListOfView } from './list-of-view.ts';
import { placeTable, type TablePlace } from './table-place.ts';

const NO_PLACE: TablePlace = { placed: [], left: 0, right: 0, shift: 0, hasMore: false };

/** Returns where the columns of the shown list are drawn. */
export function listPlace(store: Shown & Known & Places & ListOfView): TablePlace {
  const { state, list, nowMs, rows, table } = store;
  if (table === undefined) return NO_PLACE;
  const { top } = list.cursor;
  const window = rows.order.slice(top, top + listRows(state));
  if (table.place !== undefined) return table.place(store, window);
  const columns = table.columns.filter(({ id }) => isColumnThere(id, store.whereColumn));
  return placeTable({ columns }, list, { columns: state.size.columns, window, nowMs });
}

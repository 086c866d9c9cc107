import type { KeyAction } from '../actions/keys.ts';
import type { TableRows } from './table-rows.ts';
import type { ListOfView } from './list-of-view.ts';
import type { ActionPorts } from '../actions/action-ports.ts';

/** What a key does in this table to the marked rows, or to the one under the cursor. `false`: nothing. */
export function pressTable(store: ActionPorts, rows: TableRows, action: KeyAction): boolean {
  const act = rows.table.actions[action];
  if (act === undefined) return false;
  act(store, actedOnRows(store, rows));
  return true;
}

/** The marked rows, or the one that was drawn under the cursor, as they are now; those that are gone are left out. */
export function actedOnRows({ list }: Pick<ListOfView, 'list'>, rows: TableRows): readonly unknown[] {
  const keys = list.marks.size > 0 ? [...list.marks] : list.cursor.key === undefined ? [] : [list.cursor.key];
  return keys.flatMap((key) => {
    const entry = rows.get(key);
    return entry === undefined ? [] : [entry.row];
  });
}

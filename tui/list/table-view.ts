import type { KeyAction } from '../actions/keys.ts';
import type { ActionPorts } from '../actions/action-ports.ts';
import type { ListTable } from './list-table.ts';

/** An action of the view on the marked rows, or on the one under the cursor. */
export type TableAction<Row> = (store: ActionPorts, rows: readonly Row[]) => void;

/** A view that is a list. */
export interface TableView<Row, Drawn = Row, Searched = Row> extends ListTable<Row, Drawn, Searched> {
  /** By the names in `KEYS`, which say the key and the words. */
  readonly actions: Partial<Readonly<Record<KeyAction, TableAction<Row>>>>;
  /** What keys do here that is about none of the rows, or not offered in the menu. */
  readonly others?: Partial<Readonly<Record<KeyAction, (store: ActionPorts) => void>>>;
}

/** A table whatever its rows are: they only ever meet the definition that they came from. */
export type AnyTable = TableView<unknown>;

export function tableView<Row, Drawn = Row, Searched = Row>(view: TableView<Row, Drawn, Searched>): AnyTable {
  return view as unknown as AnyTable;
}

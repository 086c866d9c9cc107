import type { ListOrder, SortState } from '../model/list-order.ts';
import type { ListState } from '../state/list-state.ts';
import type { TableRows } from './table-rows.ts';

/** What every list can do with its order. */
export interface ListRows {
  /** All rows there are, whatever the filter says. */
  readonly size: number;
  readonly order: ListOrder;
  readonly frozen: boolean;
  /** Whether its filter may find other rows by the mere passing of time. */
  readonly usesTime: boolean;
  /** Pauses the order as it is now. */
  freeze(): void;
  thaw(): void;
}

/** The part of a list that is drawn. */
export interface DrawnRows {
  /** Whether the row of this key is drawn. */
  holds(key: string): boolean;
  /** Key of what is drawn in a row of the list, counted from 0, whatever has moved since. */
  keyAtRow(row: number): string | undefined;
  /** Another row may come under the cursor by what a person does, also some frames later. */
  expectOrder(): void;
  /** Whether the row under the cursor is another one than it was when somebody decided on a key. */
  hasJustShifted(nowMs: number): boolean;
}

/** The list of the view that is shown. */
export interface ListOfView {
  /** What is set in it. */
  readonly list: ListState;
  /** A page has no rows of its own; nothing of it asks. */
  readonly rows: ListRows;
  /** Its rows, when it is a table: the events have a list of their own. */
  readonly table: TableRows | undefined;
  readonly window: DrawnRows;
  readonly sort: SortState;
  updateList(change: Partial<ListState>): void;
  sortBy(sort: SortState): void;
  /** Brings the rows up to date with everything that arrived. Keys may come faster than frames. */
  settleRows(): void;
  /** The same, with the cursor and the marks. */
  settleList(): void;
}

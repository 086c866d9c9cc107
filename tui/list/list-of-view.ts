import type { SortState } from '../model/list-order.ts';
import type { ListRows } from '../model/list-rows.ts';
import type { ListCursor } from '../state/list-cursor.ts';
import type { Opened } from '../state/ports.ts';
import type { ListState } from '../state/list-state.ts';
import type { ListTable } from './list-table.ts';

/** The part of a list that is drawn. */
export interface DrawnRows {
  /** Whether the row of this key is drawn. */
  holds(key: string): boolean;
  /** Key of what is drawn in a row of the list, counted from 0, whatever has moved since. */
  keyAtRow(row: number): string | undefined;
  /** Another row may come under the cursor by what a person does, also some frames later. */
  expectOrder(): void;
  /** Whether one's own filter or order is on its way. */
  readonly isOrderExpected: boolean;
  /** The list is another one, which nobody has seen yet. */
  open(store: Pick<ListOfView, 'list'>): void;
  /** The cursor was moved by some rows: what has come there since the last frame is not what was meant. */
  noteMove(from: Pick<ListCursor, 'key'>, by: number, store: Opened & Pick<ListOfView, 'list'>): void;
  /** Whether a key would be about another row than it was when somebody decided on it; told once. */
  takeShift(store: Opened & Pick<ListOfView, 'list'>): boolean;
}

/** The list of the view that is shown. */
export interface ListOfView {
  /** What is set in it. */
  readonly list: ListState;
  /** A page has no rows of its own; nothing of it asks. */
  readonly rows: ListRows;
  /** What it is a list of; `undefined`: it is a page. */
  readonly table: ListTable<unknown> | undefined;
  readonly window: DrawnRows;
  readonly sort: SortState;
  updateList(change: Partial<ListState>): void;
  sortBy(sort: SortState): void;
  /** Brings the rows up to date with everything that arrived. Keys may come faster than frames. */
  settleRows(): void;
  /** Brings rows, cursor and marks up to date with everything that arrived. */
  settleList(): void;
}

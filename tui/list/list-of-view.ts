import type { SortState } from '../model/list-order.ts';
import type { ListRows } from '../model/list-rows.ts';
import type { ListCursor } from '../state/list-cursor.ts';
import type { Opened } from '../state/ports.ts';
import type { ListState } from '../state/list-state.ts';
import type { ListTable } from './list-table.ts';

/** The visible part of a list. */
export interface DrawnRows {
  /** Returns whether the row of this key is drawn. */
  holds(key: string): boolean;
  /** Returns the key of the row that was drawn at an index of the window, even if the rows have moved since. */
  keyAtRow(row: number): string | undefined;
  /** Records that the user's action may move another row under the cursor, also some frames later. */
  expectOrder(): void;
  /** True if a filter or order of the user is not in effect yet. */
  readonly isOrderExpected: boolean;
  /** Records that another list is shown, which the user has not seen yet. */
  open(store: Pick<ListOfView, 'list'>): void;
  /**
   * Records a movement of the cursor. A row that came to its target since the last frame is not the one that
   * the user meant.
   */
  noteMove(from: Pick<ListCursor, 'key'>, by: number, store: Opened & Pick<ListOfView, 'list'>): void;
  /** Returns true, once, if a key would act on another row than the user saw. */
  takeShift(store: Opened & Pick<ListOfView, 'list'>): boolean;
}

/** The list of the shown view. */
export interface ListOfView {
  /** The settings of the list. */
  readonly list: ListState;
  /** The rows; a page has none, and does not use this. */
  readonly rows: ListRows;
  /** The table of the list; `undefined` for a page. */
  readonly table: ListTable<unknown> | undefined;
  readonly window: DrawnRows;
  readonly sort: SortState;
  updateList(change: Partial<ListState>): void;
  sortBy(sort: SortState): void;
  /** Updates the rows with everything that arrived, because keys may come faster than frames. */
  settleRows(): void;
  /** Updates rows, cursor and marks with everything that arrived. */
  settleList(): void;
}

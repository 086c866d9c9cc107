import type { FoldCriterion } from '../model/fold-by.ts';
import type { SortState } from '../model/list-order.ts';
import type { ListRows } from '../model/list-rows.ts';
import type { ListCursor } from '../state/list-cursor.ts';
import type { ScreenView } from '../state/ports.ts';
import type { ListState } from '../state/list-state.ts';
import type { ColumnMeasure } from './content-widths.ts';
import type { ListTable } from './list-table.ts';

/** The visible part of a list, as drawn in the last frame. */
export interface DrawnRows {
  /** Measures the texts of the rows that have been on the screen. */
  readonly measure: ColumnMeasure;
  /** Returns whether the row with this key is on the screen. */
  holds(key: string): boolean;
  /**
   * Returns the key of the row that was drawn at an index, counted from the first visible row, even if the rows have
   * moved since.
   */
  keyAtRow(row: number): string | undefined;
  /**
   * Records that the user changed the filter or the sort order. This can move another row under the cursor, even some
   * frames later.
   */
  expectOrder(): void;
  /** True if the filter or sort order that the user chose is not in effect yet. */
  readonly isOrderExpected: boolean;
  /** Records that another list was opened, so that a key does not act on a row that the user has not seen yet. */
  open(store: Pick<ListOfView, 'list'>): void;
  /**
   * Records that the user moved the cursor by `by` rows. If the cursor is then not on the row that was drawn there, the
   * next key is treated as possibly meant for that other row.
   */
  recordCursorMove(from: Pick<ListCursor, 'key'>, by: number, store: ScreenView & Pick<ListOfView, 'list'>): void;
  /** Returns true if a key would act on another row than the user saw. The next call then returns false. */
  consumeShift(store: ScreenView & Pick<ListOfView, 'list'>): boolean;
}

/** The list of the shown view. */
export interface ListOfView {
  /** The state of the list: its cursor, marks, filter, sort order and hidden columns. */
  readonly list: ListState;
  /** The rows of the list. A page has no rows and must not use this property. */
  readonly rows: ListRows;
  /** The definition of the list as a table; `undefined` for a page. */
  readonly table: ListTable<unknown> | undefined;
  readonly window: DrawnRows;
  readonly sort: SortState;
  updateList(change: Partial<ListState>): void;
  sortBy(sort: SortState): void;
  /** Folds the list of events, or shows each event as one row (`undefined`). */
  foldBy(by: FoldCriterion | undefined): void;
  /**
   * Updates the rows with all changes that have arrived. It runs before a key acts on a row, because keys can come
   * faster than frames.
   */
  settleRows(): void;
  /** Updates rows, cursor and marks with all changes that have arrived. */
  settleList(): void;
}

import type { SearchOf } from '../../shared/domain/search-language.ts';
import type { ListOrder } from './list-order.ts';

/**
 * A row of a list. The object stays the same while the row exists, so that cursor, marks and lists can refer to
 * it.
 */
export interface ListRecord<Row = unknown> {
  readonly key: string;
  /** The value. If it decides the position in a list, it only changes while the record is not in that list. */
  row: Row;
  /** True if the row no longer exists but is still shown, because the order is paused. */
  gone: boolean;
  /** The value that filters evaluate, and its lower-case text if that is stored. */
  readonly searchRow: unknown;
  readonly words: string | undefined;
  /** True if the row matches the filter with the number `checkedBy`. */
  matches: boolean;
  checkedBy: number;
}

/** An order of rows. `compare` is a total order. */
export interface RowOrder<Item extends ListRecord> {
  readonly compare: (a: Item, b: Item) => number;
  /** Returns the number that decides first, smaller before larger; a constant if no number decides. */
  readonly rankOf: (item: Item) => number;
  /** Returns true if an item keeps its position after this change. Most results change no sorted value. */
  readonly keepsPosition: (before: Item['row'], after: Item['row']) => boolean;
  /** Returns all of `items` in this order. */
  readonly sortAll: <Some extends Item>(items: readonly Some[]) => Some[];
}

/** The operations that every list has. */
export interface ListRows {
  /** Number of all rows, without the filter. */
  readonly size: number;
  /** The shown rows in order, paused or live. */
  readonly order: ListOrder<ListRecord>;
  readonly frozen: boolean;
  /** True if the matches of the filter may change just because time passes. */
  readonly usesTime: boolean;
  /** True while a filter is being evaluated, or its texts are being built. */
  readonly filtering: boolean;
  /** True if the user waits for the result and its beginning is not shown either. */
  readonly isFilterAwaited: boolean;
  /**
   * The first matches of a new filter, as far as they are known; `undefined` if they are shown or not
   * collected.
   */
  readonly beginning: ListOrder<ListRecord> | undefined;
  /** True if only the beginning of the list is shown, and more may follow. */
  readonly isBeginningOnly: boolean;
  /** Returns the current row; `undefined` if it does not exist. */
  get(key: string): ListRecord | undefined;
  setSort(order: RowOrder<ListRecord>): void;
  /** Starts to evaluate a filter; the list changes when `work` has finished. `undefined` shows all rows. */
  setFilter(filter: SearchOf<unknown> | undefined): void;
  /** Starts to build the search texts before the first filter needs them; `work` does it. */
  prepareFilter(): void;
  /** Evaluates the current filter again, because time has passed. */
  refilter(): void;
  /** Returns whether a new filter matches the row of this key. */
  willMatch(key: string, nowMs: number): boolean;
  /** Shows the first matches until the filter is in effect. */
  showBeginning(): void;
  /**
   * Evaluates one chunk of a new filter.
   *
   * @returns true if nothing is left to do
   */
  work(nowMs: number): boolean;
  /**
   * Finishes the evaluation of a new filter now, however long it takes, because the next action depends on it.
   */
  finishFilter(nowMs: number): void;
  /** Pauses the current order; values keep changing in their rows. */
  freeze(): void;
  thaw(): void;
  /** Moves waiting rows to their positions while the list is not visible. */
  settle(): void;
}

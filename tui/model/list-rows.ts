import type { ParsedSearch } from '../../shared/domain/search-language.ts';
import type { ListOrder } from './list-order.ts';

/**
 * A row of a list. The object stays the same as long as the row exists, so that the cursor, marks and lists can refer
 * to it.
 */
export interface ListRecord<Row = unknown> {
  readonly key: string;
  /** The data of the row. Before a change that moves the row in a list, the record is removed from that list. */
  row: Row;
  /** True if the row no longer exists but is still shown, because sorting is paused. */
  isRemoved: boolean;
  /** The data that filters evaluate; `words` is its text in lower case, or `undefined` if that text is not stored. */
  readonly searchRow: unknown;
  readonly words: string | undefined;
  /** True if the row matched the filter that evaluated it last. `lastFilterNumber` is the number of that filter. */
  matches: boolean;
  lastFilterNumber: number;
}

/** A sort order of rows. `compare` is a total order: it returns 0 only for the same row. */
export interface RowOrder<Item extends ListRecord> {
  readonly compare: (a: Item, b: Item) => number;
  /** Returns the number by which rows are sorted first, in ascending order. It is constant if `compare` alone sorts. */
  readonly rankOf: (item: Item) => number;
  /** Returns true if a change of the row does not move it in the list. Most results change no sorted value. */
  readonly keepsPosition: (before: Item['row'], after: Item['row']) => boolean;
  /** Returns all of `items`, sorted in this order. */
  readonly sortAll: <Some extends Item>(items: readonly Some[]) => Some[];
  /**
   * Returns the number by which folds are sorted, in ascending order; default: the rank of their first row. Folds with
   * the same number are sorted by their first rows.
   */
  readonly foldRank?: (fold: { readonly size: number; readonly first: Item | undefined }) => number;
}

/** The properties and operations of every list: its rows, order and filter. */
export interface ListRows {
  /** Number of all rows, without the filter. */
  readonly size: number;
  /** The shown rows in their order, whether sorting is paused or not. */
  readonly order: ListOrder<ListRecord>;
  readonly frozen: boolean;
  /** True if the matches of the filter can change just because time passes. */
  readonly usesTime: boolean;
  /** True while a filter is being evaluated, or while search texts are being built. */
  readonly filtering: boolean;
  /** True while a filter is being evaluated and its first matches are not shown yet. */
  readonly isFilterAwaited: boolean;
  /**
   * The first matches of a new filter that were found so far; `undefined` if the list already shows them, or if they
   * are not collected.
   */
  readonly firstMatches: ListOrder<ListRecord> | undefined;
  /** True while the list shows only the first matches of a new filter, and more may follow. */
  readonly isBeginningOnly: boolean;
  /** Returns the row with this key; `undefined` if it does not exist. */
  get(key: string): ListRecord | undefined;
  setSort(order: RowOrder<ListRecord>): void;
  /**
   * Starts to evaluate a filter. The list changes as soon as `work` has evaluated all rows. Without a filter
   * (`undefined`), all rows are shown.
   */
  setFilter(filter: ParsedSearch<unknown> | undefined): void;
  /** Starts to build the search texts in advance, so that the first filter is fast; `work` builds them in chunks. */
  prepareFilter(): void;
  /** Evaluates the current filter again, because time has passed. */
  refilter(): void;
  /**
   * Returns whether the newest filter matches the row with this key, even if that filter is not completely evaluated
   * yet.
   */
  willMatch(key: string, nowMs: number): boolean;
  /** Shows the first matches until the new filter is completely evaluated. */
  showBeginning(): void;
  /**
   * Evaluates one chunk of a new filter, or builds one chunk of search texts.
   *
   * @returns true if nothing is left to do
   */
  work(nowMs: number): boolean;
  /**
   * Finishes the evaluation of a new filter now, however long it takes, because the next action depends on it.
   */
  finishFilter(nowMs: number): void;
  /** Pauses the sorting of the list: values still change in their rows, but no row moves, appears or disappears. */
  freeze(): void;
  thaw(): void;
  /**
   * Moves rows that were inserted since the last read to their positions, so that they do not accumulate while the list
   * is not read.
   */
  mergeInserted(): void;
}

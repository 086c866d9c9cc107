import type { SearchOf } from '../../shared/domain/search-language.ts';
import type { ListOrder } from './list-order.ts';

/** A row of a list: one object for as long as the row lives, so that cursor, marks and lists can hold on to it. */
export interface ListRecord<Row = unknown> {
  readonly key: string;
  /** Another value only while the record is in no list whose order it decides. */
  row: Row;
  /** The row went away, and is still shown because the order is paused. */
  gone: boolean;
  /** What filters look at, and the lower-case text of it where that is kept. */
  readonly searchRow: unknown;
  readonly words: string | undefined;
  /** Whether it matches the filter number `checkedBy`. */
  matches: boolean;
  checkedBy: number;
}

/** An order of rows. `compare` is total. */
export interface RowOrder<Item extends ListRecord> {
  readonly compare: (a: Item, b: Item) => number;
  /** What decides first, smaller before larger; the same for all where it cannot be told by a number. */
  readonly rankOf: (item: Item) => number;
  /** Whether an item whose row changes so keeps its place: most results change nothing that is sorted by. */
  readonly keepsPlace: (before: Item['row'], after: Item['row']) => boolean;
  /** All of `items` in this order. */
  readonly sortAll: <Some extends Item>(items: readonly Some[]) => Some[];
}

/** What every list can do with its rows, whatever they are. */
export interface ListRows {
  /** All rows there are, whatever the filter says. */
  readonly size: number;
  /** The shown rows in order, paused or live. */
  readonly order: ListOrder<ListRecord>;
  readonly frozen: boolean;
  /** Whether its filter may find other rows by the mere passing of time. */
  readonly usesTime: boolean;
  /** Whether a filter is being evaluated, or prepared for. */
  readonly filtering: boolean;
  /** Whether somebody waits for the result, and has not seen the beginning of it either. */
  readonly isFilterAwaited: boolean;
  /** What a new filter finds first, as far as it is known; undefined: it is shown, or not looked for. */
  readonly beginning: ListOrder<ListRecord> | undefined;
  /** Whether only the beginning of the list is shown, and there may be more of it. */
  readonly isBeginningOnly: boolean;
  /** The row as it is now; `undefined`: gone, or never there. */
  get(key: string): ListRecord | undefined;
  setSort(order: RowOrder<ListRecord>): void;
  /** Starts to evaluate a filter; the list changes when `work` has come to its end. `undefined`: show everything. */
  setFilter(filter: SearchOf<unknown> | undefined): void;
  /** Starts to make the text that filters search, ahead of the first of them; `work` does it. */
  prepareFilter(): void;
  /** Evaluates the present filter again, because time has passed. */
  refilter(): void;
  /** Whether a new filter finds what is under this key. */
  isToBeFound(key: string, nowMs: number): boolean;
  /** Shows what is known of the beginning, until the filter is in effect. */
  showBeginning(): void;
  /** Evaluates one slice of a new filter. @returns whether nothing is left to do */
  work(nowMs: number): boolean;
  /** Puts a new filter into effect now, however long that takes: what follows is about its result. */
  finishFilter(nowMs: number): void;
  /** Pauses the order as it is now; values go on changing in their places. */
  freeze(): void;
  thaw(): void;
  /** Puts what waits for its place there, while nobody looks. */
  settle(): void;
}

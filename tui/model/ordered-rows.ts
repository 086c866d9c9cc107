import { isSearchMatch, type ParsedSearch } from '../../shared/domain/search-language.ts';
import { reusableResults, isNarrowerSearch, type ReusableResults } from '../../shared/domain/search-narrowing.ts';
import { FilterRun, fixedOrder, type Candidates } from './filter-run.ts';
import type { ListOrder } from './list-order.ts';
import type { ListRecord, RowOrder } from './list-rows.ts';
import { SortedList } from './sorted-list.ts';

/** Share of all rows. If fewer rows match, sorting the matches is faster than filtering the sorted list of all rows. */
const FEW_ROWS_SHARE = 1 / 8;

/** Number of rows that can be evaluated in any order without a noticeable delay. */
const FEW_ROWS = 1000;

/** Number of recent filters whose results are reused, for example while the user types and deletes letters. */
const CACHED_FILTERS_MAX = 16;

/** Receives the changes of the rows that match the filter. */
export interface RowsObserver<Item> {
  /**
   * Called before the data of a row changes, and before the row is removed.
   *
   * @param moves false if the change does not affect the position of the row
   */
  beforeChange(record: Item, moves: boolean): void;
  /** Called after the data of a row has changed, and after the row was added. `moves` is the same as before. */
  afterChange(record: Item, moves: boolean): void;
  /** Called after all matches were replaced, because the filter or the order changed. */
  replaced(): void;
}

/**
 * Rows, and the sorted list of the rows that match the filter, updated with every change. While sorting is paused
 * (`freeze`), values change in their rows, but new rows are not shown, and removed rows stay, marked as `isRemoved`.
 */
export class OrderedRows<Item extends ListRecord> {
  readonly #records = new Map<string, Item>();
  /** All rows in insertion order; `undefined` after a row was added or removed. */
  #inMemory: readonly Item[] | undefined;
  #sort: RowOrder<Item>;
  #all: SortedList<Item>;
  #matching: SortedList<Item>;
  #filter: ParsedSearch<Item['searchRow']> | undefined;
  #filterNumber = 0;
  /** The newest filters by their numbers, at most `CACHED_FILTERS_MAX`. */
  readonly #filters = new Map<number, ParsedSearch<Item['searchRow']>>();
  /**
   * The results of each earlier filter, by its number, that are also valid for the current filter: matches, misses, or
   * both.
   */
  readonly #reusableResults = new Map<number, ReusableResults>();
  #filterRun: FilterRun<Item> | undefined;
  #frozen: readonly Item[] | undefined;
  readonly #ghosts = new Map<string, Item>();
  #observer: RowsObserver<Item> | undefined;

  constructor(sort: RowOrder<Item>) {
    this.#sort = sort;
    this.#all = new SortedList(sort.compare, sort.rankOf);
    this.#matching = this.#all;
  }

  get size(): number {
    return this.#records.size;
  }

  get(key: string): Item | undefined {
    return this.#records.get(key);
  }

  records(): IterableIterator<Item> {
    return this.#records.values();
  }

  /** The current sort order. */
  get sort(): RowOrder<Item> {
    return this.#sort;
  }

  /** Returns the rows that match the filter in their order, even while sorting is paused. */
  matchingRecords(): readonly Item[] {
    return this.#matching.toArray();
  }

  /** Sets the object that receives the changes of the matching rows, in place of an earlier one. */
  observe(observer: RowsObserver<Item> | undefined): void {
    this.#observer = observer;
  }

  /**
   * Returns the row with this key if it was removed and is still shown because sorting is paused; otherwise
   * `undefined`.
   */
  protected removedRow(key: string): Item | undefined {
    return this.#ghosts.get(key);
  }

  /** Stores new data in a record and moves the record to its position in the lists; a new record is added. */
  protected put(record: Item, row: Item['row'], nowMs: number): void {
    const isPresent = this.#records.get(record.key) === record;
    // Most changes are one more result with the same status, and such a row keeps its position.
    const moves = !isPresent || !this.#sort.keepsPosition(record.row, row);
    // While another filter is being evaluated, it is unknown whether a row is in the list of the previous filter.
    const isPlaced = isPresent && !moves && !this.#isEvaluating;
    const before = record.matches;
    this.#observer?.beforeChange(record, moves);
    if (!isPresent) this.#addRecord(record);
    else if (!isPlaced) this.#removeFromLists(record, moves);
    record.row = row;
    this.#evaluate(record, nowMs);
    this.#observer?.afterChange(record, moves);
    if (moves) this.#all.insert(record);
    if (this.#matching === this.#all || (isPlaced && record.matches === before)) return;
    if (record.matches) this.#matching.insert(record);
    else if (isPlaced) this.#matching.remove(record);
  }

  protected drop(record: Item): void {
    this.#observer?.beforeChange(record, true);
    this.#removeFromLists(record, true);
    this.#removeRecord(record);
  }

  /** Replaces all rows at once, which is cheaper than applying single changes if most rows change. */
  protected replace(
    rows: ReadonlyMap<string, Item['row']>,
    nowMs: number,
    make: (key: string, row: Item['row']) => Item,
  ): void {
    for (const record of this.#records.values()) if (!rows.has(record.key)) this.#removeRecord(record);
    for (const [key, row] of rows) {
      const existing = this.#records.get(key);
      const record = existing ?? this.#ghosts.get(key) ?? make(key, row);
      if (existing === undefined) this.#addRecord(record);
      record.row = row;
      this.#evaluate(record, nowMs);
    }
    const inOrder = this.#sort.sortAll(this.#inMemoryOrder());
    const filter = this.#filterRun === undefined ? this.#filter : this.#filterRun.filter;
    this.#all = listOf(inOrder, this.#sort);
    this.#matching =
      filter === undefined
        ? this.#all
        : listOf(
            inOrder.filter(({ matches }) => matches),
            this.#sort,
          );
  }

  /** Sorts all rows in a new order. Later changes are inserted in this order. */
  setSort(sort: RowOrder<Item>): void {
    this.#sort = sort;
    const records = sort.sortAll(this.#inMemoryOrder());
    const shown = this.#matching === this.#all ? undefined : new Set(this.#matching.toArray());
    this.#all = listOf(records, sort);
    this.#matching =
      shown === undefined
        ? this.#all
        : listOf(
            records.filter((record) => shown.has(record)),
            sort,
          );
    this.#observer?.replaced();
    // A user who changes the order wants to see the new one, even while the list is paused.
    if (this.#frozen !== undefined) this.freeze();
    // The first matches depend on the order, so a running evaluation starts again.
    if (this.#filterRun?.kind === 'filter') this.setFilter(this.#filterRun.filter);
  }

  /** Returns whether `a` comes before `b` in the current order, or is the same row. */
  isAtOrBefore(a: Item, b: Item): boolean {
    return this.#sort.compare(a, b) <= 0;
  }

  /**
   * Starts to evaluate a filter. The list changes as soon as `evaluateChunk` is done. Without a filter (`undefined`),
   * all rows are shown.
   */
  setFilter(filter: ParsedSearch<Item['searchRow']> | undefined): void {
    const isNarrower = this.#isNarrower(filter);
    this.#filterNumber += 1;
    if (filter !== undefined) this.#filters.set(this.#filterNumber, filter);
    this.#filters.delete(this.#filterNumber - CACHED_FILTERS_MAX);
    this.#reusableResults.clear();
    this.#filterRun = new FilterRun({ kind: 'filter', filter, isNarrower }, this.#candidates(isNarrower));
  }

  /** Starts to build the search texts in advance, in chunks by `evaluateChunk`, so that the first filter is fast. */
  prepareFilter(): void {
    this.#filterRun ??= new FilterRun(
      { kind: 'make-text', filter: this.#filter, isNarrower: false },
      { inOrder: this.#inMemoryOrder() },
    );
  }

  get filtering(): boolean {
    return this.#filterRun !== undefined;
  }

  /** True while a filter is being evaluated and its first matches are not shown yet. */
  get isFilterAwaited(): boolean {
    return this.#isEvaluating && !this.isBeginningOnly;
  }

  get #isEvaluating(): boolean {
    return this.#filterRun?.kind === 'filter';
  }

  /** True if the filter depends on the current time, so that it must be evaluated again from time to time. */
  get usesTime(): boolean {
    return this.#filter?.usesTime ?? false;
  }

  /** Evaluates the current filter again, because time has passed. */
  refilter(): void {
    if (this.#filterRun === undefined) this.setFilter(this.#filter);
  }

  /**
   * The first matches of a new filter that were found so far; `undefined` if the list already shows them, or if they
   * are not collected.
   */
  get firstMatches(): ListOrder<Item> | undefined {
    // While the current filter is only evaluated again, the list keeps showing its earlier matches.
    const firstMatches = this.#filterRun?.filter === this.#filter ? undefined : this.#filterRun?.firstMatches;
    return firstMatches && fixedOrder(firstMatches, (key) => this.#records.get(key));
  }

  /**
   * Returns whether the newest filter matches the row with this key, even if that filter is not completely evaluated
   * yet.
   */
  willMatch(key: string, nowMs: number): boolean {
    const record = this.#records.get(key);
    return record !== undefined && this.#isMatch(record, nowMs);
  }

  /** Shows the first matches until the new filter is completely evaluated. */
  showBeginning(): void {
    this.#filterRun?.show();
  }

  /** True while the list shows only the first matches of a new filter, and more may follow. */
  get isBeginningOnly(): boolean {
    return this.#filterRun?.shown !== undefined;
  }

  /**
   * Evaluates one chunk of a new filter, or builds one chunk of search texts.
   *
   * @returns true if nothing is left to do
   */
  work(nowMs: number, slice?: number): boolean {
    const run = this.#filterRun;
    if (run === undefined) return true;
    const isOver =
      run.kind === 'make-text'
        ? run.evaluateChunk(({ words }) => words !== undefined, slice)
        : run.filter === undefined || run.evaluateChunk((record) => this.#isMatch(record, nowMs), slice);
    if (!isOver) return false;
    this.#filterRun = undefined;
    if (run.kind === 'make-text') return true;
    this.#filter = run.filter;
    this.#matching = run.filter === undefined ? this.#all : this.#collectMatches(run);
    this.#observer?.replaced();
    if (this.#frozen !== undefined) this.freeze();
    return true;
  }

  /**
   * Finishes the evaluation of a new filter now, however long it takes, because the next action depends on it.
   */
  finishFilter(nowMs: number): void {
    while (!this.work(nowMs));
  }

  get frozen(): boolean {
    return this.#frozen !== undefined;
  }

  /** Pauses the sorting of the list: values still change in their rows, but no row moves, appears or disappears. */
  freeze(): void {
    this.#frozen = this.#matching.toArray();
  }

  /**
   * Moves rows that were inserted since the last read to their positions. Otherwise they would accumulate while the
   * list is not visible, and the next read would have to sort all of them at once.
   */
  mergeInserted(): void {
    this.#all.mergeInserted();
    if (this.#matching !== this.#all) this.#matching.mergeInserted();
  }

  thaw(): void {
    this.#frozen = undefined;
    this.#ghosts.clear();
  }

  /** The shown rows in their order, whether sorting is paused or not. */
  get order(): ListOrder<Item> {
    const standing = this.#filterRun?.shown ?? this.#frozen;
    if (standing !== undefined) {
      return fixedOrder(standing, (key) => this.#records.get(key) ?? this.#ghosts.get(key));
    }
    const matching = this.#matching;
    return {
      length: matching.length,
      indexOf: (key) => {
        const record = this.#records.get(key);
        return record === undefined ? -1 : matching.indexOf(record);
      },
      at: (index) => matching.at(index),
      slice: (start, end) => matching.slice(start, end),
    };
  }

  /**
   * Returns the rows in insertion order. In this order they are adjacent in memory, so reading them is several times as
   * fast as in list order.
   */
  #inMemoryOrder(): readonly Item[] {
    this.#inMemory ??= [...this.#records.values()];
    return this.#inMemory;
  }

  /**
   * Returns whether a filter can only match rows in the current list of matches. False while another filter is being
   * evaluated, because rows that changed meanwhile can match and be missing in that list.
   */
  #isNarrower(filter: ParsedSearch<Item['searchRow']> | undefined): boolean {
    if (this.#isEvaluating || filter === undefined || this.#filter === undefined) return false;
    return isNarrowerSearch(filter, this.#filter);
  }

  #candidates(isNarrower: boolean): Candidates<Item> {
    const inOrder = (isNarrower ? this.#matching : this.#all).toArray();
    const areFew = inOrder.length < Math.max(FEW_ROWS, this.size * FEW_ROWS_SHARE);
    return areFew ? { inOrder } : { inOrder, inMemory: () => this.#inMemoryOrder() };
  }

  /** Returns the rows that match the filter that was just evaluated, in order. */
  #collectMatches({ isNarrower, count }: Pick<FilterRun<Item>, 'isNarrower' | 'count'>): SortedList<Item> {
    if (isNarrower) return this.#matching.filtered(({ matches }) => matches);
    if (count >= this.size * FEW_ROWS_SHARE) return this.#all.filtered(({ matches }) => matches);
    const matching = this.#inMemoryOrder().filter(({ matches }) => matches);
    return listOf(this.#sort.sortAll(matching), this.#sort);
  }

  /**
   * Returns whether a row matches the newest filter. The result of an earlier filter is reused if it is also valid for
   * this one.
   */
  #isMatch(record: Item, nowMs: number): boolean {
    if (record.lastFilterNumber === this.#filterNumber) return record.matches;
    const { matched, missed } = this.#reusableResultsOf(record.lastFilterNumber);
    // The record keeps the result of the earlier filter, because that result is more useful for the next filter than
    // the new one.
    if (!record.matches && missed) return false;
    if (record.matches && matched) return true;
    this.#evaluate(record, nowMs);
    return record.matches;
  }

  #reusableResultsOf(number: number): ReusableResults {
    let carried = this.#reusableResults.get(number);
    if (carried === undefined) {
      const [next, before] = [this.#filters.get(this.#filterNumber), this.#filters.get(number)];
      carried = next === undefined || before === undefined ? NO_REUSABLE_RESULTS : reusableResults(next, before);
      this.#reusableResults.set(number, carried);
    }
    return carried;
  }

  #evaluate(record: Item, nowMs: number): void {
    // While a new filter is being evaluated, changed rows are evaluated with it, because the list of the previous
    // filter is about to be replaced.
    const filter = this.#filterRun === undefined ? this.#filter : this.#filterRun.filter;
    record.matches =
      filter === undefined ||
      isSearchMatch(filter, record.searchRow, Math.floor(nowMs / 1000), filter.usesWords ? record.words : undefined);
    record.lastFilterNumber = this.#filterNumber;
  }

  #addRecord(record: Item): void {
    this.#inMemory = undefined;
    this.#ghosts.delete(record.key);
    this.#records.set(record.key, record);
    record.isRemoved = false;
  }

  #removeRecord(record: Item): void {
    this.#inMemory = undefined;
    this.#records.delete(record.key);
    record.isRemoved = true;
    if (this.#frozen !== undefined) this.#ghosts.set(record.key, record);
  }

  #removeFromLists(record: Item, moves: boolean): void {
    if (moves) this.#all.remove(record);
    if (this.#matching !== this.#all) this.#matching.remove(record);
  }
}

const NO_REUSABLE_RESULTS: ReusableResults = { matched: false, missed: false };

/**
 * Returns a `SortedList` of records.
 *
 * @param records records that are already sorted in this order
 */
function listOf<Item extends ListRecord>(
  records: readonly Item[],
  { compare, rankOf }: RowOrder<Item>,
): SortedList<Item> {
  const list = new SortedList(compare, rankOf);
  list.replace(records);
  return list;
}

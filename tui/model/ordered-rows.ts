import { isSearchMatch, type SearchOf } from '../../shared/domain/search-language.ts';
import { carriedVerdicts, isNarrowerSearch, type CarriedVerdicts } from '../../shared/domain/search-narrowing.ts';
import { FilterRun, standingOrder, type Candidates } from './filter-run.ts';
import type { ListOrder } from './list-order.ts';
import type { ListRecord, RowOrder } from './list-rows.ts';
import { SortedList } from './sorted-list.ts';

/** Share of all rows up to which sorting the matches is faster than finding them in the sorted list. */
const FEW_SHARE = 1 / 8;

/** Number of rows that can be evaluated in any order without a noticeable delay. */
const FEW = 1000;

/** Number of filters whose results are reused, such as those of a few letters typed and deleted. */
const FILTERS_KEPT = 16;

/**
 * Rows, and the sorted list of those that match the filter, updated change by change. While the order is paused
 * (`freeze`), the shown list stays the same: values change in their rows, new rows wait, and removed rows stay
 * as `gone`.
 */
export class OrderedRows<Item extends ListRecord> {
  readonly #records = new Map<string, Item>();
  /** All rows in memory order, valid until one is added or removed. */
  #inMemory: readonly Item[] | undefined;
  #sort: RowOrder<Item>;
  #all: SortedList<Item>;
  #matching: SortedList<Item>;
  #filter: SearchOf<Item['searchRow']> | undefined;
  #filterNumber = 0;
  /** The latest filters by their numbers. */
  readonly #filters = new Map<number, SearchOf<Item['searchRow']>>();
  /** The conclusions from the results of earlier filters, by their numbers, for the current one. */
  readonly #carried = new Map<number, CarriedVerdicts>();
  #run: FilterRun<Item> | undefined;
  #frozen: readonly Item[] | undefined;
  readonly #ghosts = new Map<string, Item>();

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

  /** Returns a row that is gone and still shown. */
  protected ghost(key: string): Item | undefined {
    return this.#ghosts.get(key);
  }

  /** Sets the row of a record and its position; a new record is added. */
  protected put(record: Item, row: Item['row'], nowMs: number): void {
    const isPresent = this.#records.get(record.key) === record;
    // Most changes are one more result with the same status, and such a row keeps its position.
    const moves = !isPresent || !this.#sort.keepsPosition(record.row, row);
    // While another filter is being evaluated, membership in the previous filter's list is unknown.
    const isPlaced = isPresent && !moves && !this.#isEvaluating;
    const before = record.matches;
    if (!isPresent) this.#admit(record);
    else if (!isPlaced) this.#take(record, moves);
    record.row = row;
    this.#judge(record, nowMs);
    if (moves) this.#all.insert(record);
    if (this.#matching === this.#all || (isPlaced && record.matches === before)) return;
    if (record.matches) this.#matching.insert(record);
    else if (isPlaced) this.#matching.remove(record);
  }

  protected drop(record: Item): void {
    this.#take(record, true);
    this.#forget(record);
  }

  /** Replaces all rows: cheaper than one by one if most of them change. */
  protected replace(
    rows: ReadonlyMap<string, Item['row']>,
    nowMs: number,
    make: (key: string, row: Item['row']) => Item,
  ): void {
    for (const record of this.#records.values()) if (!rows.has(record.key)) this.#forget(record);
    for (const [key, row] of rows) {
      const existing = this.#records.get(key);
      const record = existing ?? this.#ghosts.get(key) ?? make(key, row);
      if (existing === undefined) this.#admit(record);
      record.row = row;
      this.#judge(record, nowMs);
    }
    const inOrder = this.#sort.sortAll(this.#inMemoryOrder());
    const filter = this.#run === undefined ? this.#filter : this.#run.filter;
    this.#all = listOf(inOrder, this.#sort);
    this.#matching =
      filter === undefined
        ? this.#all
        : listOf(
            inOrder.filter(({ matches }) => matches),
            this.#sort,
          );
  }

  /** Sorts all rows once; from then on changes are inserted in the new order. */
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
    // A user who changes the order wants to see it, even while the current one is paused.
    if (this.#frozen !== undefined) this.freeze();
    // The first matches of a running filter depend on the order.
    if (this.#run?.kind === 'filter') this.setFilter(this.#run.filter);
  }

  /** Returns whether `a` comes before `b` or is the same. */
  isUpTo(a: Item, b: Item): boolean {
    return this.#sort.compare(a, b) <= 0;
  }

  /** Starts to evaluate a filter; the list changes when `work` has finished. `undefined` shows all rows. */
  setFilter(filter: SearchOf<Item['searchRow']> | undefined): void {
    const isNarrower = this.#isNarrower(filter);
    this.#filterNumber += 1;
    if (filter !== undefined) this.#filters.set(this.#filterNumber, filter);
    this.#filters.delete(this.#filterNumber - FILTERS_KEPT);
    this.#carried.clear();
    this.#run = new FilterRun({ kind: 'filter', filter, isNarrower }, this.#candidates(isNarrower));
  }

  /** Starts to build the search texts before the first filter needs them; `work` does it. */
  prepareFilter(): void {
    this.#run ??= new FilterRun(
      { kind: 'make-text', filter: this.#filter, isNarrower: false },
      { inOrder: this.#inMemoryOrder() },
    );
  }

  get filtering(): boolean {
    return this.#run !== undefined;
  }

  /** True if the user waits for the result and its beginning is not shown either. */
  get isFilterAwaited(): boolean {
    return this.#isEvaluating && !this.isBeginningOnly;
  }

  get #isEvaluating(): boolean {
    return this.#run?.kind === 'filter';
  }

  /** True if the list of matches must be evaluated again from time to time. */
  get usesTime(): boolean {
    return this.#filter?.usesTime ?? false;
  }

  /** Evaluates the current filter again, because time has passed. */
  refilter(): void {
    if (this.#run === undefined) this.setFilter(this.#filter);
  }

  /**
   * The first matches of a new filter, as far as they are known; `undefined` if they are shown or not
   * collected.
   */
  get beginning(): ListOrder<Item> | undefined {
    // The current filter is only evaluated again, and its earlier matches stay until that is done.
    const firstMatches = this.#run?.filter === this.#filter ? undefined : this.#run?.beginning;
    return firstMatches && standingOrder(firstMatches, (key) => this.#records.get(key));
  }

  /** Returns whether a new filter matches the row of this key. */
  willMatch(key: string, nowMs: number): boolean {
    const record = this.#records.get(key);
    return record !== undefined && this.#isMatch(record, nowMs);
  }

  /** Shows the first matches until the filter is in effect. */
  showBeginning(): void {
    this.#run?.show();
  }

  /** True if only the beginning of the list is shown, and more may follow. */
  get isBeginningOnly(): boolean {
    return this.#run?.shown !== undefined;
  }

  /**
   * Evaluates one chunk of a new filter.
   *
   * @returns true if the filter is in effect, so that nothing is left to do
   */
  work(nowMs: number, slice?: number): boolean {
    const run = this.#run;
    if (run === undefined) return true;
    const isOver =
      run.kind === 'make-text'
        ? run.work(({ words }) => words !== undefined, slice)
        : run.filter === undefined || run.work((record) => this.#isMatch(record, nowMs), slice);
    if (!isOver) return false;
    this.#run = undefined;
    if (run.kind === 'make-text') return true;
    this.#filter = run.filter;
    this.#matching = run.filter === undefined ? this.#all : this.#collectMatches(run);
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

  /** Pauses the current order. */
  freeze(): void {
    this.#frozen = this.#matching.toArray();
  }

  /**
   * Inserts waiting rows. While a list is not visible they would pile up, and the first access would pay for
   * all at once.
   */
  settle(): void {
    this.#all.settle();
    if (this.#matching !== this.#all) this.#matching.settle();
  }

  thaw(): void {
    this.#frozen = undefined;
    this.#ghosts.clear();
  }

  /** The shown rows in order, paused or live. */
  get order(): ListOrder<Item> {
    const standing = this.#run?.shown ?? this.#frozen;
    if (standing !== undefined) {
      return standingOrder(standing, (key) => this.#records.get(key) ?? this.#ghosts.get(key));
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
   * Returns the rows in insertion order. They are adjacent in memory, which is several times as fast as screen
   * order.
   */
  #inMemoryOrder(): readonly Item[] {
    this.#inMemory ??= [...this.#records.values()];
    return this.#inMemory;
  }

  /**
   * Returns false during another evaluation, because changed rows were judged by that filter and are missing in
   * the previous list.
   */
  #isNarrower(filter: SearchOf<Item['searchRow']> | undefined): boolean {
    if (this.#isEvaluating || filter === undefined || this.#filter === undefined) return false;
    return isNarrowerSearch(filter, this.#filter);
  }

  #candidates(isNarrower: boolean): Candidates<Item> {
    const inOrder = (isNarrower ? this.#matching : this.#all).toArray();
    const areFew = inOrder.length < Math.max(FEW, this.size * FEW_SHARE);
    return areFew ? { inOrder } : { inOrder, inMemory: () => this.#inMemoryOrder() };
  }

  /** Returns the matching rows in order. */
  #collectMatches({ isNarrower, count }: Pick<FilterRun<Item>, 'isNarrower' | 'count'>): SortedList<Item> {
    if (isNarrower) return this.#matching.filtered(({ matches }) => matches);
    if (count >= this.size * FEW_SHARE) return this.#all.filtered(({ matches }) => matches);
    const matching = this.#inMemoryOrder().filter(({ matches }) => matches);
    return listOf(this.#sort.sortAll(matching), this.#sort);
  }

  /** Returns whether a row matches. An earlier result is used if it is sufficient. */
  #isMatch(record: Item, nowMs: number): boolean {
    if (record.checkedBy === this.#filterNumber) return record.matches;
    const { matched, missed } = this.#carriedFrom(record.checkedBy);
    // The earlier result is kept, because it implies more than the new one would.
    if (!record.matches && missed) return false;
    if (record.matches && matched) return true;
    this.#judge(record, nowMs);
    return record.matches;
  }

  #carriedFrom(number: number): CarriedVerdicts {
    let carried = this.#carried.get(number);
    if (carried === undefined) {
      const [next, before] = [this.#filters.get(this.#filterNumber), this.#filters.get(number)];
      carried = next === undefined || before === undefined ? NOTHING_CARRIED : carriedVerdicts(next, before);
      this.#carried.set(number, carried);
    }
    return carried;
  }

  #judge(record: Item, nowMs: number): void {
    // During an evaluation, changes are judged by the new filter: the old list is about to be replaced.
    const filter = this.#run === undefined ? this.#filter : this.#run.filter;
    record.matches =
      filter === undefined ||
      isSearchMatch(filter, record.searchRow, Math.floor(nowMs / 1000), filter.usesWords ? record.words : undefined);
    record.checkedBy = this.#filterNumber;
  }

  #admit(record: Item): void {
    this.#inMemory = undefined;
    this.#ghosts.delete(record.key);
    this.#records.set(record.key, record);
    record.gone = false;
  }

  #forget(record: Item): void {
    this.#inMemory = undefined;
    this.#records.delete(record.key);
    record.gone = true;
    if (this.#frozen !== undefined) this.#ghosts.set(record.key, record);
  }

  #take(record: Item, moves: boolean): void {
    if (moves) this.#all.remove(record);
    if (this.#matching !== this.#all) this.#matching.remove(record);
  }
}

const NOTHING_CARRIED: CarriedVerdicts = { matched: false, missed: false };

/**
 * Returns a sorted list.
 *
 * @param records already in this order
 */
function listOf<Item extends ListRecord>(
  records: readonly Item[],
  { compare, rankOf }: RowOrder<Item>,
): SortedList<Item> {
  const list = new SortedList(compare, rankOf);
  list.replace(records);
  return list;
}

import { isNarrowerSearch } from '../../shared/domain/search-narrowing.ts';
import type { Search, SearchRow } from '../../shared/domain/search.ts';
import type { EventRow } from '../../shared/schemas/feed.ts';
import { EventTally, type EventCounts } from './event-counts.ts';
import { EventRecord } from './event-record.ts';
import { SortedList } from './sorted-list.ts';
import { EVENT_COLUMN, eventSort, type EventSort } from './event-sort.ts';
import type { ListOrder } from './list-order.ts';

/** Which events a list shows. */
export interface EventFilter {
  readonly matches: (row: SearchRow, nowSeconds: number) => boolean;
  /** Whether an event can start or stop matching only because time passes. */
  readonly usesTime: boolean;
  /** What was searched for; with it a filter that finds less than the one before looks only at what that one found. */
  readonly search?: Search;
}

/** Up to this share of all events it is faster to sort what a filter found than to look for it in the sorted list. */
const FEW_SHARE = 1 / 8;

/**
 * Events evaluated per slice of a new filter, so that no key waits for a whole registry: less than a millisecond, or a
 * few when the text to search is not made yet.
 */
const FILTER_SLICE = 2500;

interface FilterRun {
  /** `make-text`: no filter is coming into effect; only what any of them looks at is made. */
  readonly kind: 'filter' | 'make-text';
  readonly filter: EventFilter | undefined;
  readonly pending: readonly EventRecord[];
  /** It finds nothing outside of the list of matching events. */
  readonly isNarrower: boolean;
  next: number;
}

/**
 * Every event of the backend, the sorted list of those that match the filter, and the counters, all kept up to date
 * change by change. While the order is paused (`freeze`) the shown list stays as it is: values change in place, new
 * events wait, and resolved ones stay as `gone`.
 */
export class EventRegistry {
  readonly #records = new Map<string, EventRecord>();
  #sort: EventSort = eventSort({ column: EVENT_COLUMN, reversed: false });
  #all = new SortedList(this.#sort.compare, this.#sort.rankOf);
  #matching = this.#all;
  readonly #tally = new EventTally();
  #filter: EventFilter | undefined;
  #filterNumber = 0;
  #run: FilterRun | undefined;
  #generation = 0;
  #inSnapshot = false;
  #frozen: readonly EventRecord[] | undefined;
  readonly #ghosts = new Map<string, EventRecord>();

  get counts(): EventCounts {
    return this.#tally.all;
  }

  /** Of the events of one client. */
  countsOf(client: string): EventCounts {
    return this.#tally.byClient.of(client);
  }

  /** Of the events of one check, on all clients. */
  countsOfCheck(check: string): EventCounts {
    return this.#tally.byCheck.of(check);
  }

  /** Events that the silenced entry of this id covers now. */
  silencedCount(id: string): number {
    return this.#tally.bySilence.of(id);
  }

  /** Events there are, whatever the filter says. */
  get size(): number {
    return this.#records.size;
  }

  /** The event as it is now; `undefined` when it is resolved or was never there. */
  get(key: string): EventRecord | undefined {
    return this.#records.get(key);
  }

  records(): IterableIterator<EventRecord> {
    return this.#records.values();
  }

  /**
   * Takes the newest state of an event; `null`: it is resolved.
   *
   * @param happensNow whether it is known to have happened now
   * @returns the event as it is now; `undefined`: there is none any more
   */
  apply(key: string, row: EventRow | null, nowMs: number, happensNow = true): EventRecord | undefined {
    const known = this.#records.get(key);
    if (row === null) {
      if (known !== undefined) this.#drop(known, nowMs);
      return undefined;
    }
    const record = known ?? this.#ghosts.get(key) ?? new EventRecord(key, row);
    // What a snapshot brings is not known to have just happened.
    if (happensNow && !this.#inSnapshot && (known === undefined || isNews(known.row, row))) record.changedAtMs = nowMs;
    // Most changes are one more result with the same status: such an event keeps its place.
    const moves = known === undefined || !this.#sort.keepsPlace(known.row, row);
    if (known === undefined) {
      this.#admit(record);
      this.#tally.add(row, 1);
    } else {
      this.#take(record, moves);
      this.#tally.replace(record.row, row);
    }
    record.row = row;
    record.generation = this.#generation;
    this.#judge(record, nowMs);
    this.#put(record, moves);
    return record;
  }

  /** Sorts everything anew, once; from then on changes are put in their places by the new order. */
  setSort(sort: EventSort): void {
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
    // Who asks for another order wants to see it, also while the present one is paused.
    if (this.#frozen !== undefined) this.freeze();
  }

  /** Whether `a` comes before `b` or is it. */
  isUpTo(a: EventRecord, b: EventRecord): boolean {
    return this.#sort.compare(a, b) <= 0;
  }

  /** A snapshot begins: what it does not mention is gone at its end, and is shown until then. */
  beginSnapshot(): void {
    this.#inSnapshot = true;
    this.#generation += 1;
  }

  endSnapshot(nowMs: number): void {
    if (!this.#inSnapshot) return;
    this.#inSnapshot = false;
    for (const record of this.#all.toArray()) {
      if (record.generation !== this.#generation) this.apply(record.key, null, nowMs);
    }
  }

  /** Starts to evaluate a filter; the list changes when `work` has come to its end. `undefined`: show everything. */
  setFilter(filter: EventFilter | undefined): void {
    this.#filterNumber += 1;
    const isNarrower = this.#isNarrower(filter);
    const pending = isNarrower ? this.#matching.toArray() : this.#inMemoryOrder();
    this.#run = { kind: 'filter', filter, pending, isNarrower, next: 0 };
  }

  /** Starts to make the text that filters search, ahead of the first of them; `work` does it. */
  prepareFilter(): void {
    this.#run ??= {
      kind: 'make-text',
      filter: this.#filter,
      pending: this.#inMemoryOrder(),
      isNarrower: false,
      next: 0,
    };
  }

  get filtering(): boolean {
    return this.#run !== undefined;
  }

  /** Whether somebody waits for the result. */
  get isFilterAwaited(): boolean {
    return this.#run?.kind === 'filter';
  }

  /** Whether the list of matching events must be evaluated again now and then. */
  get usesTime(): boolean {
    return this.#filter?.usesTime ?? false;
  }

  /** Evaluates the present filter again, because time has passed. */
  refilter(): void {
    if (this.#run === undefined) this.setFilter(this.#filter);
  }

  /**
   * Evaluates one slice of a new filter.
   *
   * @returns whether the filter is in effect now, so that nothing is left to do
   */
  work(nowMs: number, slice = FILTER_SLICE): boolean {
    const run = this.#run;
    if (run === undefined) return true;
    if (run.kind === 'filter' && run.filter === undefined) run.next = run.pending.length;
    for (const record of run.pending.slice(run.next, run.next + slice)) {
      if (run.kind === 'make-text') void record.searchRow;
      else if (record.checkedBy !== this.#filterNumber) this.#judge(record, nowMs);
    }
    run.next += slice;
    if (run.next < run.pending.length) return false;
    this.#run = undefined;
    if (run.kind === 'make-text') return true;
    this.#filter = run.filter;
    this.#matching = run.filter === undefined ? this.#all : listOf(this.#found(run), this.#sort);
    if (this.#frozen !== undefined) this.freeze();
    return true;
  }

  /** Puts a new filter into effect now, however long that takes: what follows is about its result. */
  finishFilter(nowMs: number): void {
    while (!this.work(nowMs));
  }

  get frozen(): boolean {
    return this.#frozen !== undefined;
  }

  /** Pauses the order as it is now. */
  freeze(): void {
    this.#frozen = this.#matching.toArray();
  }

  /** While nobody looks at the lists, arrivals would pile up in them, and the first look would pay for all at once. */
  settle(): void {
    this.#all.settle();
    if (this.#matching !== this.#all) this.#matching.settle();
  }

  thaw(): void {
    this.#frozen = undefined;
    this.#ghosts.clear();
  }

  /** The shown events in order, paused or live. */
  get order(): ListOrder<EventRecord> {
    const frozen = this.#frozen;
    if (frozen !== undefined) {
      return {
        length: frozen.length,
        indexOf: (key) => {
          const record = this.#records.get(key) ?? this.#ghosts.get(key);
          return record === undefined ? -1 : frozen.indexOf(record);
        },
        at: (index) => frozen[index],
        slice: (start, end) => frozen.slice(start, end),
      };
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

  /** In the order in which they came: neighbours in memory, which is several times as fast as their order on the screen. */
  #inMemoryOrder(): readonly EventRecord[] {
    return [...this.#records.values()];
  }

  /** While another filter is being evaluated, what it made of changed events is not in the list of the one before. */
  #isNarrower(filter: EventFilter | undefined): boolean {
    if (this.isFilterAwaited || filter?.search === undefined || this.#filter?.search === undefined) return false;
    return isNarrowerSearch(filter.search, this.#filter.search);
  }

  /** The events that match, in order. */
  #found({ isNarrower }: FilterRun): readonly EventRecord[] {
    if (isNarrower) return this.#matching.toArray().filter(({ matches }) => matches);
    const found = this.#inMemoryOrder().filter(({ matches }) => matches);
    if (found.length < this.size * FEW_SHARE) return this.#sort.sortAll(found);
    return this.#all.toArray().filter(({ matches }) => matches);
  }

  #judge(record: EventRecord, nowMs: number): void {
    // While a new filter is being evaluated, changes are judged by the new one: the old list is about to go.
    const filter = this.#run === undefined ? this.#filter : this.#run.filter;
    record.matches = filter === undefined || filter.matches(record.searchRow, Math.floor(nowMs / 1000));
    record.checkedBy = this.#filterNumber;
  }

  #admit(record: EventRecord): void {
    this.#ghosts.delete(record.key);
    this.#records.set(record.key, record);
    record.gone = false;
  }

  #drop(record: EventRecord, nowMs: number): void {
    this.#take(record, true);
    this.#tally.add(record.row, -1);
    this.#records.delete(record.key);
    record.gone = true;
    record.changedAtMs = nowMs;
    if (this.#frozen !== undefined) this.#ghosts.set(record.key, record);
  }

  #take(record: EventRecord, moves: boolean): void {
    if (moves) this.#all.remove(record);
    if (this.#matching !== this.#all) this.#matching.remove(record);
  }

  #put(record: EventRecord, moves: boolean): void {
    if (moves) this.#all.insert(record);
    if (this.#matching !== this.#all && record.matches) this.#matching.insert(record);
  }
}

/** @param records already in this order */
function listOf(records: readonly EventRecord[], { compare, rankOf }: EventSort): SortedList<EventRecord> {
  const list = new SortedList(compare, rankOf);
  list.replace(records);
  return list;
}

function isNews(before: EventRow, after: EventRow): boolean {
  return (
    before.status !== after.status ||
    before.action !== after.action ||
    before.silenced_by.length !== after.silenced_by.length
  );
}

import { compareText } from '../../shared/domain/compare-text.ts';
import type { ParsedSearch } from '../../shared/domain/search-language.ts';
import { EventFold } from './event-fold.ts';
import type { EventRecord } from './event-record.ts';
import type { EventRegistry } from './event-registry.ts';
import { foldValue, foldingOf, isFoldKey, type FoldCriterion, type Folding, type FoldValue } from './fold-by.ts';
import type { ListOrder } from './list-order.ts';
import type { ListRecord, ListRows, RowOrder } from './list-rows.ts';
import type { RowsObserver } from './ordered-rows.ts';
import { SortedList } from './sorted-list.ts';

/** A row of the folded list: a fold, or a single event. */
export type FoldedRow = EventFold | EventRecord;

/**
 * Share of all events. If more of them change between two reads of the list, folding all events again is cheaper than
 * moving each one.
 */
const REBUILD_SHARE = 1 / 4;

/** Number of changed events that are moved one by one in any case. */
const FEW_CHANGES = 1000;

const NO_FOLDS: readonly EventFold[] = [];
const NO_EARLIER_FOLDS: ReadonlyMap<FoldValue, EventFold> = new Map();

/** The events of an unfolded fold, as rows below the row of the fold. */
interface UnfoldedSection {
  readonly fold: EventFold;
  /** Position of the fold among all folds. */
  readonly at: number;
  /** Positions of its first event, and after its last event, in the list. */
  readonly start: number;
  readonly end: number;
}

/**
 * The list of events with similar events folded into one row each. A fold has the position of its first event; a sort
 * order can rank folds by their size. A single event is not folded. The rows are updated with every change.
 */
export class EventFolds implements ListRows, RowsObserver<EventRecord> {
  readonly #events: EventRegistry;
  #folding: Folding | undefined;
  #folds = new Map<FoldValue, EventFold>();
  /** The folds before all events are folded again, so that folds stay the same objects. Empty at other times. */
  #earlierFolds: ReadonlyMap<FoldValue, EventFold> = NO_EARLIER_FOLDS;
  /** Number of times that all events were folded. It tells which folds of an event are valid. */
  #foldingNumber = 0;
  /** Number of events that are in a fold. */
  #eventCount = 0;
  #list = new SortedList<EventFold>(() => 0);
  /** The folds whose events have changed and that are not in `#list` until the next read. */
  readonly #unplaced = new Set<EventFold>();
  /** Number of changes since the last read. */
  #changes = 0;
  /** True if all events must be folded again at the next read. */
  #isStale = true;
  readonly #unfolded = new Set<EventFold>();
  #sections: readonly UnfoldedSection[] | undefined;
  #frozen: readonly FoldedRow[] | undefined;

  /** Number of the frame that is drawn next. */
  #frame = 1;
  /** The event that was last taken out of its folds, because it moves or is gone, and the number of the next frame. */
  #lastMoved:
    { readonly record: EventRecord; readonly folds: readonly EventFold[]; readonly frame: number } | undefined;

  constructor(events: EventRegistry) {
    this.#events = events;
  }

  /** The criterion by which the list is folded; `undefined` if it is not folded. */
  get criterion(): FoldCriterion | undefined {
    return this.#folding?.by;
  }

  /** Folds the list, or shows each event as one row (`undefined`). All folds are folded again. */
  setCriterion(by: FoldCriterion | undefined): void {
    this.thaw();
    this.#folding = by === undefined ? undefined : foldingOf(by);
    this.#folds = new Map();
    this.#unplaced.clear();
    this.#unfolded.clear();
    this.#events.observe(by === undefined ? undefined : this);
    this.#isStale = by !== undefined;
  }

  /** Shows the events of a fold below its row, or hides them. */
  toggle(fold: EventFold): void {
    const isUnfolded = this.#unfolded.has(fold);
    // An event can belong to several folds, but a list must not contain it twice.
    if (this.#folding?.isMultiple === true) this.#unfolded.clear();
    if (isUnfolded) this.#unfolded.delete(fold);
    else this.#unfolded.add(fold);
    this.#sections = undefined;
    // A user who unfolds wants to see the events at once, even while sorting is paused.
    if (this.frozen) this.freeze();
  }

  isUnfolded(fold: EventFold): boolean {
    return this.#unfolded.has(fold);
  }

  /** Returns the unfolded fold that shows the event with this key as one of its rows; `undefined` if there is none. */
  unfoldedAround(key: string): EventFold | undefined {
    const record = this.#events.get(key);
    if (record === undefined || this.#unfolded.size === 0) return undefined;
    return this.#foldsOf(record).find((fold) => this.#unfolded.has(fold) && this.#isShown(fold));
  }

  /** Returns the fold with this key; `undefined` if there is none, or if the key is that of an event. */
  fold(key: string): EventFold | undefined {
    if (this.#folding === undefined || !isFoldKey(key)) return undefined;
    this.#sortInChangedFolds();
    return this.#folds.get(foldValue(this.#folding.by, key));
  }

  /** Number of events that match the filter. */
  get eventCount(): number {
    this.#sortInChangedFolds();
    return this.#eventCount;
  }

  get size(): number {
    return this.#events.size;
  }

  get(key: string): ListRecord | undefined {
    return this.fold(key) ?? this.#events.get(key);
  }

  get order(): ListOrder<FoldedRow> {
    const frozen = this.#frozen;
    if (frozen !== undefined) {
      return {
        length: frozen.length,
        indexOf: (key) => frozen.findIndex((row) => row.key === key),
        at: (index) => frozen[index],
        slice: (start, end) => frozen.slice(start, end),
      };
    }
    this.#sortInChangedFolds();
    return {
      length: this.#list.length + this.#shownSections().reduce((sum, { fold }) => sum + fold.size, 0),
      indexOf: (key) => this.#indexOf(key),
      at: (index) => this.#slice(index, index + 1)[0],
      slice: (start, end) => this.#slice(start, end),
    };
  }

  get frozen(): boolean {
    return this.#frozen !== undefined;
  }

  get usesTime(): boolean {
    return this.#events.usesTime;
  }

  get filtering(): boolean {
    return this.#events.filtering;
  }

  get isFilterAwaited(): boolean {
    return this.#events.isFilterAwaited;
  }

  /** The first matches of a filter are not shown, because the size of each fold is only known at the end. */
  get firstMatches(): undefined {
    return undefined;
  }

  get isBeginningOnly(): boolean {
    return false;
  }

  setSort(order: RowOrder<ListRecord>): void {
    this.#events.setSort(order);
  }

  setFilter(filter: ParsedSearch<unknown> | undefined): void {
    this.#events.setFilter(filter);
  }

  prepareFilter(): void {
    this.#events.prepareFilter();
  }

  refilter(): void {
    this.#events.refilter();
  }

  willMatch(key: string, nowMs: number): boolean {
    return this.#events.willMatch(key, nowMs);
  }

  showBeginning(): void {
    // There are no first matches to show.
  }

  work(nowMs: number): boolean {
    return this.#events.work(nowMs);
  }

  finishFilter(nowMs: number): void {
    this.#events.finishFilter(nowMs);
  }

  freeze(): void {
    this.#frozen = undefined;
    const { order } = this;
    this.#frozen = order.slice(0, order.length);
    this.#events.freeze();
  }

  thaw(): void {
    this.#frozen = undefined;
    this.#events.thaw();
  }

  mergeInserted(): void {
    this.#events.mergeInserted();
    this.#sortInChangedFolds();
  }

  beforeChange(record: EventRecord, moves: boolean): void {
    if (this.#isStale) return;
    this.#changes += 1;
    if (this.#changes > Math.max(FEW_CHANGES, this.#events.size * REBUILD_SHARE)) {
      this.#isStale = true;
      return;
    }
    const folds = this.#foldsOf(record);
    for (const fold of folds) fold.uncount(record);
    if (!moves) return;
    this.#lastMoved = { record, folds, frame: this.#frame };
    this.#takeOut(record);
  }

  afterChange(record: EventRecord, moves: boolean): void {
    if (this.#isStale) return;
    const folds = record.matches ? this.#foldsFor(record) : NO_FOLDS;
    for (const fold of folds) fold.count(record);
    // Most changes are one more result with the same status. Such an event stays in its fold, at its position.
    const moved =
      this.#lastMoved?.record === record && this.#lastMoved.frame === this.#frame ? this.#lastMoved.folds : NO_FOLDS;
    const before = moves ? moved : this.#foldsOf(record);
    if (!moves && areSameFolds(before, folds)) return;
    this.#takeOut(record);
    if (folds.length === 0) return;
    for (const fold of folds) {
      this.#removeFromList(fold);
      fold.insert(record);
    }
    this.#putInto(record, folds, before);
  }

  replaced(): void {
    this.#isStale = true;
    // A user who changes the filter or the order wants to see the new rows, even while sorting is paused.
    if (this.#frozen !== undefined) this.freeze();
  }

  /** Removes a fold from the list before its events change, because they decide its position. */
  #removeFromList(fold: EventFold): void {
    if (this.#unplaced.has(fold)) return;
    this.#list.remove(fold);
    this.#unplaced.add(fold);
  }

  /** Must be called when a frame is drawn: the events of each fold then count as shown. */
  frameDrawn(): void {
    this.#frame += 1;
  }

  /**
   * Returns the events that were in a fold when the last frame was drawn, without events that joined it since: a key
   * must not act on events that the user has not seen.
   */
  shownEvents(fold: EventFold): readonly EventRecord[] {
    return fold.events().filter(({ foldedBeforeFrame }) => foldedBeforeFrame < this.#frame);
  }

  /** Returns the folds that contain an event. */
  #foldsOf({ folds, lastFoldingNumber }: EventRecord): readonly EventFold[] {
    return lastFoldingNumber === this.#foldingNumber ? (folds as readonly EventFold[]) : NO_FOLDS;
  }

  /** @param before the folds in which the last frame showed the event */
  #putInto(record: EventRecord, folds: readonly EventFold[], before: readonly EventFold[]): void {
    if (!areSameFolds(before, folds)) record.foldedBeforeFrame = this.#frame;
    record.folds = folds;
    record.lastFoldingNumber = this.#foldingNumber;
    this.#eventCount += 1;
  }

  /** Removes an event, which is no longer counted, from its folds. */
  #takeOut(record: EventRecord): void {
    const folds = this.#foldsOf(record);
    if (folds.length === 0) return;
    for (const fold of folds) {
      this.#removeFromList(fold);
      fold.remove(record);
    }
    record.folds = NO_FOLDS;
    this.#eventCount -= 1;
  }

  /** Returns the folds to which an event belongs by its data. A missing fold is added. */
  #foldsFor(record: EventRecord): readonly EventFold[] {
    const folding = this.#folding;
    if (folding === undefined) return NO_FOLDS;
    const value = folding.valueOf(record);
    return typeof value === 'object' ? value.map((one) => this.#foldFor(one)) : this.#foldFor(value).singleton;
  }

  #foldFor(value: FoldValue): EventFold {
    let fold = this.#folds.get(value);
    if (fold !== undefined) return fold;
    fold = this.#earlierFolds.get(value) ?? new EventFold(this.#folding ?? foldingOf('check'), value, this.#events);
    this.#folds.set(value, fold);
    this.#unplaced.add(fold);
    return fold;
  }

  /** Moves all changed folds to their positions. */
  #sortInChangedFolds(): void {
    this.#changes = 0;
    if (this.#isStale) this.#foldAll();
    if (this.#unplaced.size === 0) return;
    for (const fold of this.#unplaced) this.#moveToPosition(fold);
    this.#unplaced.clear();
    this.#sections = undefined;
  }

  #moveToPosition(fold: EventFold): void {
    if (fold.size === 0) {
      this.#folds.delete(fold.value);
      return this.#forget(fold);
    }
    fold.settleFirst();
    this.#list.insert(fold);
  }

  #forget(fold: EventFold): void {
    fold.isRemoved = true;
    this.#unfolded.delete(fold);
  }

  /** Folds all events that match the filter. Folds that still have events stay the same objects. */
  #foldAll(): void {
    this.#isStale = false;
    this.#foldingNumber += 1;
    this.#eventCount = 0;
    const earlier = this.#folds;
    for (const fold of earlier.values()) fold.clear();
    this.#folds = new Map();
    this.#earlierFolds = earlier;
    for (const record of this.#events.matchingRecords()) {
      const folds = this.#foldsFor(record);
      const previous =
        record.lastFoldingNumber === this.#foldingNumber - 1 ? (record.folds as readonly EventFold[]) : NO_FOLDS;
      // A user who folds the list knows its events, and may type the next key before a frame shows the folds.
      const before = earlier.size === 0 ? folds : previous;
      for (const fold of folds) fold.append(record);
      this.#putInto(record, folds, before);
    }
    this.#earlierFolds = NO_EARLIER_FOLDS;
    for (const fold of earlier.values()) if (fold.size === 0) this.#forget(fold);
    for (const fold of this.#folds.values()) fold.settleFirst();
    const { compare, rankOf, foldRank } = this.#events.sort;
    const rank = foldRank ?? (({ first }: EventFold) => (first === undefined ? 0 : rankOf(first)));
    const compareFolds = (a: EventFold, b: EventFold): number =>
      compareFirstEvents(a, b, compare) || compareText(a.key, b.key);
    this.#list = new SortedList(compareFolds, rank);
    this.#list.replace([...this.#folds.values()].toSorted((a, b) => rank(a) - rank(b) || compareFolds(a, b)));
    this.#unplaced.clear();
    this.#sections = undefined;
  }

  /** Returns whether a fold has a row of its own. If not, its only event is a row. */
  #isShown(fold: EventFold): boolean {
    return fold.size > 1 || this.#folding?.isMultiple === true;
  }

  #rowOf(fold: EventFold): FoldedRow {
    return this.#isShown(fold) ? fold : (fold.first ?? fold);
  }

  #shownSections(): readonly UnfoldedSection[] {
    if (this.#sections !== undefined) return this.#sections;
    const unfolded = [...this.#unfolded].filter((fold) => this.#isShown(fold));
    const placed = unfolded.map((fold) => ({ fold, at: this.#list.indexOf(fold) })).toSorted((a, b) => a.at - b.at);
    let before = 0;
    this.#sections = placed.map(({ fold, at }) => {
      const start = at + 1 + before;
      before += fold.size;
      return { fold, at, start, end: start + fold.size };
    });
    return this.#sections;
  }

  /** Returns the position of a row. The position of an event that is folded is that of its fold. */
  #indexOf(key: string): number {
    this.#sortInChangedFolds();
    const fold = this.fold(key);
    if (fold !== undefined) return this.#indexOfFold(fold);
    const record = this.#events.get(key);
    if (record === undefined) return -1;
    const folds = this.#foldsOf(record);
    const section = this.#shownSections().find((one) => folds.includes(one.fold));
    if (section !== undefined) return section.start + section.fold.indexOf(record);
    const [first] = folds;
    return first === undefined ? -1 : this.#indexOfFold(first);
  }

  #indexOfFold(fold: EventFold): number {
    const at = this.#list.indexOf(fold);
    if (at === -1) return -1;
    return this.#shownSections().reduce((sum, section) => (section.at < at ? sum + section.fold.size : sum), at);
  }

  #slice(start: number, end: number): readonly FoldedRow[] {
    const rows: FoldedRow[] = [];
    /** The number of positions and of folds before the next part of the list. */
    let before = 0;
    let folds = 0;
    const addFolds = (until: number): void => {
      const [from, to] = [Math.max(start, before), Math.min(end, until)];
      if (to > from) {
        for (const fold of this.#list.slice(folds + from - before, folds + to - before)) rows.push(this.#rowOf(fold));
      }
    };
    for (const section of this.#shownSections()) {
      addFolds(section.start);
      folds = section.at + 1;
      const [from, to] = [Math.max(start, section.start), Math.min(end, section.end)];
      if (to > from) rows.push(...section.fold.slice(from - section.start, to - section.start));
      before = section.end;
    }
    addFolds(Infinity);
    return rows;
  }
}

function areSameFolds(a: readonly EventFold[], b: readonly EventFold[]): boolean {
  return a === b || (a.length === b.length && a.every((fold, index) => fold === b[index]));
}

function compareFirstEvents(a: EventFold, b: EventFold, compare: (a: EventRecord, b: EventRecord) => number): number {
  if (a.first === undefined || b.first === undefined || a.first === b.first) return 0;
  return compare(a.first, b.first);
}

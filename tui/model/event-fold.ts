import { severityOf, STATUS_BY_SEVERITY, SEVERITIES_WORST_FIRST, type Severity } from '../../shared/domain/severity.ts';
import type { EventRow } from '../../shared/schemas/feed.ts';
import { countOf } from '../words/changes.ts';
import type { EventRecord } from './event-record.ts';
import { foldKey, type Folding, type FoldValue } from './fold-by.ts';
import type { ListRecord, RowOrder } from './list-rows.ts';
import { SortedList } from './sorted-list.ts';
import { targetOf, type EventTarget } from './target.ts';

/** The numbers of events of a fold by client and by check. */
interface NameCounts {
  readonly clients: Map<string, number>;
  readonly checks: Map<string, number>;
}

/** Number of events up to which the clients and checks of a fold are counted. */
const NAMED_EVENTS_MAX = 10_000;

/**
 * Events of the list that have something in common, shown as one row. The object stays the same as long as the fold has
 * events, so that the cursor, marks and lists can refer to it. A change of an event only updates counters. The few
 * things that need a look at all events are computed when the fold is drawn.
 */
export class EventFold implements ListRecord<EventRow>, Record<Severity, number> {
  readonly value: FoldValue;
  readonly words = undefined;
  readonly matches = true;
  readonly lastFilterNumber = 0;
  isRemoved = false;
  /** Epoch milliseconds of the newest change of an event; 0 if none changed since the console started. */
  changedAtMs = 0;
  /** The first event in the order of the list, as of the time when the fold got its position. */
  first: EventRecord | undefined;
  /** The numbers of events that are not silenced, by severity. */
  critical = 0;
  warning = 0;
  unknown = 0;
  ok = 0;
  silenced = 0;
  /** The number of events that are inhibited and not silenced. They are also counted by severity. */
  inhibited = 0;
  /** A list that contains only this fold, for events that belong to no other. */
  readonly singleton: readonly EventFold[] = [this];
  readonly #folding: Folding;
  readonly #list: { readonly sort: RowOrder<EventRecord> };
  /** The events in order. Until the position of one of them changes, an array is enough. */
  #events: EventRecord[] | SortedList<EventRecord> = NO_EVENTS;
  #names: NameCounts | undefined;
  /** Times in epoch seconds: of the oldest and the newest change of status, and of the newest result. */
  #oldest = Infinity;
  #newest = 0;
  #last = 0;
  /** True if an event was removed that had the oldest or the newest change. */
  #areTimesOld = false;
  #row: EventRow | undefined;

  /**
   * Creates a fold without events.
   *
   * @param list the list of events, whose order is that of the events in the fold
   */
  constructor(folding: Folding, value: FoldValue, list: { readonly sort: RowOrder<EventRecord> }) {
    this.#folding = folding;
    this.value = value;
    this.#list = list;
  }

  get key(): string {
    return foldKey(this.value);
  }

  get size(): number {
    return this.#events.length;
  }

  /** The common value of the events as users see it; it can contain control characters. */
  get name(): string {
    return this.#folding.nameOf(this.value, this.row);
  }

  /** The event that inhibits the events of the fold; `undefined` if the list is not folded by cause. */
  get cause(): EventTarget | undefined {
    return this.#folding.by === 'cause' ? targetOf(String(this.value)) : undefined;
  }

  /** The number of events with its noun. */
  get sizeText(): string {
    return countOf(this.size, 'event');
  }

  /** The fold as one row: its worst status, its newest change, and the output of its first event. */
  get row(): EventRow {
    this.#row ??= this.#summary();
    return this.#row;
  }

  get searchRow(): EventRow {
    return this.row;
  }

  /** Epoch seconds when the status of an event changed first (`oldest`) and last (`newest`). */
  get times(): { readonly oldest: number; readonly newest: number } {
    if (this.#areTimesOld) {
      this.#clearTimes();
      for (const { row } of this.events()) this.#addTimes(row);
    }
    return { oldest: this.#oldest, newest: this.#newest };
  }

  /** Number of clients with an event in the fold; `undefined` if there are too many events to count them. */
  get clientCount(): number | undefined {
    return this.#folding.by === 'check' ? this.size : this.#countedNames()?.clients.size;
  }

  /** The names of the checks of the events; `undefined` if there are too many events to collect them. */
  get checks(): readonly string[] | undefined {
    if (this.#folding.by === 'check') return [String(this.value)];
    const counted = this.#countedNames();
    return counted && [...counted.checks.keys()];
  }

  /** Returns all events of the fold, in order. */
  events(): readonly EventRecord[] {
    return Array.isArray(this.#events) ? this.#events : this.#events.toArray();
  }

  slice(start: number, end: number): readonly EventRecord[] {
    return this.#events.slice(start, end);
  }

  indexOf(record: EventRecord): number {
    return this.#events.indexOf(record);
  }

  /** Removes all events, before `append` adds them again. */
  clear(): void {
    this.#events = NO_EVENTS;
    this.#names = undefined;
    this.#row = undefined;
    this.#clearTimes();
    this.changedAtMs = 0;
    this.silenced = 0;
    this.inhibited = 0;
    for (const severity of SEVERITIES_WORST_FIRST) this[severity] = 0;
  }

  /** Adds an event that comes after all events of the fold. */
  append(record: EventRecord): void {
    this.count(record);
    // An array that grows reserves space for many items, and most folds have a single event.
    if (this.size === 0) this.#events = [record];
    else if (Array.isArray(this.#events)) this.#events.push(record);
    else this.#events.insert(record);
  }

  /** Puts an event, which was counted, at its position. */
  insert(record: EventRecord): void {
    this.#sorted().insert(record);
  }

  /** Removes an event, which is no longer counted. Its position must not have changed. */
  remove(record: EventRecord): void {
    // An empty fold stays on the screen while sorting is paused, with its last data.
    const lastRow = this.size === 1 ? this.row : undefined;
    this.#sorted().remove(record);
    this.#row = lastRow;
    if (this.size === 0) this.#clearTimes();
  }

  count({ row, changedAtMs }: EventRecord): void {
    this.#countBy(row, 1);
    this.#addTimes(row);
    if (changedAtMs > this.changedAtMs) this.changedAtMs = changedAtMs;
  }

  /** Undoes `count`, before the data of the event changes. */
  uncount({ row }: EventRecord): void {
    this.#countBy(row, -1);
    if (row.since === this.#oldest || row.since === this.#newest) this.#areTimesOld = true;
  }

  /** Updates `first`, before the fold gets its position in the list. */
  settleFirst(): void {
    this.first = Array.isArray(this.#events) ? this.#events[0] : this.#events.at(0);
  }

  /** Returns the events in a list into which events can be inserted. */
  #sorted(): SortedList<EventRecord> {
    if (!Array.isArray(this.#events)) return this.#events;
    const { compare, rankOf } = this.#list.sort;
    const list = new SortedList(compare, rankOf);
    list.replace(this.#events);
    this.#events = list;
    return list;
  }

  #countBy(row: EventRow, by: 1 | -1): void {
    this.#row = undefined;
    if (row.silenced_by.length > 0) this.silenced += by;
    else {
      this[severityOf(row.status)] += by;
      if (row.inhibited_by !== undefined) this.inhibited += by;
    }
    if (this.#names === undefined) return;
    countName(this.#names.clients, row.client, by);
    countName(this.#names.checks, row.check, by);
  }

  #addTimes({ since, last }: EventRow): void {
    if (since < this.#oldest) this.#oldest = since;
    if (since > this.#newest) this.#newest = since;
    if (last > this.#last) this.#last = last;
  }

  #clearTimes(): void {
    this.#oldest = Infinity;
    this.#newest = 0;
    this.#last = 0;
    this.#areTimesOld = false;
  }

  #countedNames(): NameCounts | undefined {
    if (this.#names !== undefined || this.size > NAMED_EVENTS_MAX) return this.#names;
    const names: NameCounts = { clients: new Map(), checks: new Map() };
    for (const { row } of this.events()) {
      countName(names.clients, row.client, 1);
      countName(names.checks, row.check, 1);
    }
    this.#names = names;
    return names;
  }

  #summary(): EventRow {
    const { newest } = this.times;
    const first = (this.first ?? this.slice(0, 1)[0])?.row ?? NO_ROW;
    const isSilenced = this.silenced === this.size;
    const isInhibited = !isSilenced && this.inhibited + this.silenced === this.size;
    return {
      client: first.client,
      check: first.check,
      status: isSilenced
        ? first.status
        : STATUS_BY_SEVERITY[SEVERITIES_WORST_FIRST.find((severity) => this[severity] > 0) ?? 'ok'],
      action: 'create',
      occurrences: this.size,
      since: newest,
      last: this.#last,
      silenced_by: isSilenced ? first.silenced_by : [],
      output: first.output,
      ...(isInhibited && first.inhibited_by !== undefined && { inhibited_by: first.inhibited_by }),
    };
  }
}

/** The events of an empty fold. Nothing is ever added to this array. */
const NO_EVENTS: EventRecord[] = [];

const NO_ROW: EventRow = {
  client: '',
  check: '',
  status: 0,
  action: 'create',
  occurrences: 0,
  since: 0,
  last: 0,
  silenced_by: [],
  output: '',
};

function countName(counts: Map<string, number>, name: string, by: 1 | -1): void {
  const count = (counts.get(name) ?? 0) + by;
  if (count === 0) counts.delete(name);
  else counts.set(name, count);
}

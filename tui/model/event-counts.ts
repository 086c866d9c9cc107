import type { EventBrief, EventRow } from '../../shared/schemas/feed.ts';
import { nameAtSameBackend } from './backend-names.ts';
import { eventClass } from './event-record.ts';
import { type EventClass } from '../text/theme.ts';

/**
 * The number of events in each class. A silenced event is counted only as `silenced`. Flapping, inhibited and
 * acknowledged events are also counted in the class of their severity.
 */
export interface EventCounts extends Readonly<Record<EventClass, number>> {
  readonly flapping: number;
  /** Number of inhibited events of all classes. */
  readonly inhibited: number;
  /** Number of acknowledged events of all classes. */
  readonly acknowledged: number;
}

/** Event counters that are updated with every change of an event, so that drawing the header requires no counting. */
export class EventCounter implements EventCounts {
  critical = 0;
  warning = 0;
  unknown = 0;
  ok = 0;
  silenced = 0;
  flapping = 0;
  inhibited = 0;
  acknowledged = 0;

  add(row: EventBrief, by: 1 | -1): void {
    this[eventClass(row)] += by;
    if (row.action === 'flapping') this.flapping += by;
    if (row.inhibited_by !== undefined) this.inhibited += by;
    if (row.acknowledged !== undefined) this.acknowledged += by;
  }

  /** Updates the counters after one event changed: `before` is its previous row, `after` its new one. */
  replace(before: EventBrief, after: EventBrief): void {
    this.add(before, -1);
    this.add(after, 1);
  }
}

const NO_COUNTS: EventCounts = new EventCounter();

/** Number of events that each silence covers now, by the id of the silence. */
class SilencedCounter {
  readonly #counts = new Map<string, number>();

  countOf(id: string): number {
    return this.#counts.get(id) ?? 0;
  }

  add({ silenced_by: ids }: EventRow, by: 1 | -1): void {
    for (const id of ids) {
      const count = this.countOf(id) + by;
      if (count === 0) this.#counts.delete(id);
      else this.#counts.set(id, count);
    }
  }
}

type CounterGroups = Map<string, { readonly counter: EventCounter; events: number }>;

/**
 * Event counters for each client, or for each check. They are built on first use and then updated with every change.
 * They cost nothing until the user opens the clients or checks.
 */
class GroupCounter {
  readonly #nameIn: (row: EventRow) => string;
  readonly #rows: () => Iterable<EventRow>;
  #groups: CounterGroups | undefined;

  constructor(rows: () => Iterable<EventRow>, nameIn: (row: EventRow) => string) {
    this.#rows = rows;
    this.#nameIn = nameIn;
  }

  countsOf(name: string): EventCounts {
    this.#groups ??= this.#computedGroups();
    return this.#groups.get(name)?.counter ?? NO_COUNTS;
  }

  /** Returns the name with the most events that are not silenced; `undefined` if there are none. */
  largest(): { readonly name: string; readonly count: number } | undefined {
    this.#groups ??= this.#computedGroups();
    let largest: { readonly name: string; readonly count: number } | undefined;
    for (const [name, { counter, events }] of this.#groups) {
      const count = events - counter.silenced;
      if (count > (largest?.count ?? 0)) largest = { name, count };
    }
    return largest;
  }

  add(row: EventRow, by: 1 | -1): void {
    if (this.#groups !== undefined) this.#addTo(this.#groups, row, by);
  }

  /** Updates the counters after one event changed: `before` is its previous row, `after` its new one. */
  replace(before: EventRow, after: EventRow): void {
    if (this.#groups === undefined) return;
    const name = this.#nameIn(after);
    if (this.#nameIn(before) === name) return this.#groups.get(name)?.counter.replace(before, after);
    this.add(before, -1);
    this.add(after, 1);
  }

  #computedGroups(): CounterGroups {
    const groups: CounterGroups = new Map();
    for (const row of this.#rows()) this.#addTo(groups, row, 1);
    return groups;
  }

  #addTo(groups: CounterGroups, row: EventRow, by: 1 | -1): void {
    const name = this.#nameIn(row);
    const existing = groups.get(name);
    const group = existing ?? { counter: new EventCounter(), events: 0 };
    group.counter.add(row, by);
    group.events += by;
    if (group.events === 0) groups.delete(name);
    else if (existing === undefined) groups.set(name, group);
  }
}

/** The numbers of events: in total, by client, by check and by silence. */
export class EventTally {
  readonly all = new EventCounter();
  readonly byClient: GroupCounter;
  readonly byCheck: GroupCounter;
  readonly bySilence = new SilencedCounter();

  /**
   * Creates the event counters.
   *
   * @param rows callback that returns the rows of all events that were added
   */
  constructor(rows: () => Iterable<EventRow>) {
    this.byClient = new GroupCounter(rows, ({ client }) => client);
    this.byCheck = new GroupCounter(rows, ({ client, check }) => nameAtSameBackend(client, check));
  }

  add(row: EventRow, by: 1 | -1): void {
    for (const counter of [this.all, this.byClient, this.byCheck, this.bySilence]) counter.add(row, by);
  }

  /** Updates the counters after one event changed: `before` is its previous row, `after` its new one. */
  replace(before: EventRow, after: EventRow): void {
    this.bySilence.add(before, -1);
    this.bySilence.add(after, 1);
    if (countsAlike(before, after)) return;
    this.all.replace(before, after);
    this.byClient.replace(before, after);
    this.byCheck.replace(before, after);
  }
}

/**
 * Returns true if a change of an event leaves all counters unchanged, except those by silence. This is the usual case,
 * because most results repeat the same state.
 */
function countsAlike(before: EventRow, after: EventRow): boolean {
  return (
    eventClass(before) === eventClass(after) &&
    (before.action === 'flapping') === (after.action === 'flapping') &&
    (before.inhibited_by === undefined) === (after.inhibited_by === undefined) &&
    (before.acknowledged === undefined) === (after.acknowledged === undefined) &&
    before.client === after.client &&
    before.check === after.check
  );
}

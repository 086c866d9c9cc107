import type { EventBrief, EventRow } from '../../shared/schemas/feed.ts';
import { nameBeside } from './backend-names.ts';
import { eventClass } from './event-record.ts';
import { type EventClass } from '../text/theme.ts';

/** Events by how they are shown; a silenced one counts only as silenced. */
export interface EventCounts extends Readonly<Record<EventClass, number>> {
  readonly flapping: number;
  /** Kept quiet by an inhibition, whatever else they are. */
  readonly inhibited: number;
}

/** Counters that follow every change, so that a header costs nothing to draw. */
export class EventCounter implements EventCounts {
  critical = 0;
  warning = 0;
  unknown = 0;
  ok = 0;
  silenced = 0;
  flapping = 0;
  inhibited = 0;

  add(row: EventBrief, by: 1 | -1): void {
    this[eventClass(row)] += by;
    if (row.action === 'flapping') this.flapping += by;
    if (row.inhibited_by !== undefined) this.inhibited += by;
  }

  /** One event has another row now. */
  replace(before: EventBrief, after: EventBrief): void {
    this.add(before, -1);
    this.add(after, 1);
  }
}

const NONE: EventCounts = new EventCounter();

/** How many events each entry silences now, by the entry's id. */
class SilencedCounter {
  readonly #counts = new Map<string, number>();

  of(id: string): number {
    return this.#counts.get(id) ?? 0;
  }

  add({ silenced_by: ids }: EventRow, by: 1 | -1): void {
    for (const id of ids) {
      const count = this.of(id) + by;
      if (count === 0) this.#counts.delete(id);
      else this.#counts.set(id, count);
    }
  }
}

/** The same counters for each client, or for each check. */
class GroupCounter {
  readonly #nameIn: (row: EventRow) => string;
  readonly #groups = new Map<string, { readonly counter: EventCounter; events: number }>();

  constructor(nameIn: (row: EventRow) => string) {
    this.#nameIn = nameIn;
  }

  of(name: string): EventCounts {
    return this.#groups.get(name)?.counter ?? NONE;
  }

  add(row: EventRow, by: 1 | -1): void {
    const name = this.#nameIn(row);
    const known = this.#groups.get(name);
    const group = known ?? { counter: new EventCounter(), events: 0 };
    group.counter.add(row, by);
    group.events += by;
    if (group.events === 0) this.#groups.delete(name);
    else if (known === undefined) this.#groups.set(name, group);
  }

  /** One event has another row now. */
  replace(before: EventRow, after: EventRow): void {
    const name = this.#nameIn(after);
    if (this.#nameIn(before) === name) return this.#groups.get(name)?.counter.replace(before, after);
    this.add(before, -1);
    this.add(after, 1);
  }
}

/** Everything that is counted over all events. */
export class EventTally {
  readonly all = new EventCounter();
  readonly byClient = new GroupCounter(({ client }) => client);
  readonly byCheck = new GroupCounter(({ client, check }) => nameBeside(client, check));
  readonly bySilence = new SilencedCounter();

  add(row: EventRow, by: 1 | -1): void {
    for (const counter of [this.all, this.byClient, this.byCheck, this.bySilence]) counter.add(row, by);
  }

  /** One event has another row now. */
  replace(before: EventRow, after: EventRow): void {
    this.bySilence.add(before, -1);
    this.bySilence.add(after, 1);
    if (countsAlike(before, after)) return;
    this.all.replace(before, after);
    this.byClient.replace(before, after);
    this.byCheck.replace(before, after);
  }
}

/** Whether an event counts as before but for its silences: most results only say the same again. */
function countsAlike(before: EventRow, after: EventRow): boolean {
  return (
    eventClass(before) === eventClass(after) &&
    (before.action === 'flapping') === (after.action === 'flapping') &&
    (before.inhibited_by === undefined) === (after.inhibited_by === undefined) &&
    before.client === after.client &&
    before.check === after.check
  );
}

import type { EventRow } from '../../shared/schemas/feed.ts';
import { eventClass, type EventClass } from './event-record.ts';

/** Events by how they are shown; a silenced one counts only as silenced. */
export interface EventCounts extends Readonly<Record<EventClass, number>> {
  readonly flapping: number;
}

/** Counters that follow every change, so that a header costs nothing to draw. */
export class EventCounter implements EventCounts {
  critical = 0;
  warning = 0;
  unknown = 0;
  ok = 0;
  silenced = 0;
  flapping = 0;

  add(row: EventRow, by: 1 | -1): void {
    this[eventClass(row)] += by;
    if (row.action === 'flapping') this.flapping += by;
  }
}

const NONE: EventCounts = new EventCounter();

/** The same counters for each client. */
export class ClientCounter {
  readonly #clients = new Map<string, { readonly counter: EventCounter; events: number }>();

  of(client: string): EventCounts {
    return this.#clients.get(client)?.counter ?? NONE;
  }

  add(row: EventRow, by: 1 | -1): void {
    const known = this.#clients.get(row.client) ?? { counter: new EventCounter(), events: 0 };
    known.counter.add(row, by);
    known.events += by;
    if (known.events === 0) this.#clients.delete(row.client);
    else this.#clients.set(row.client, known);
  }
}

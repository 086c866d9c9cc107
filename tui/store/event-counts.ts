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

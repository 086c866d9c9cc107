import type { EventRow, FeedRows } from '../../shared/schemas/feed.ts';
import { eventClass } from '../model/event-record.ts';
import { type EventClass } from '../text/theme.ts';

/** The change of an event: its current class, or that it resolved. */
export type ChangeKind = EventClass | 'resolved';

export interface EventChange {
  readonly kind: ChangeKind;
  /** The current row; for a resolved event the last one. */
  readonly row: EventRow;
}

/**
 * Collects the changes since the last announcement. Changes that reverted in between are dropped. The memory is
 * therefore bounded by the number of events, however slow the reader is.
 */
export class EventChanges {
  /** All events with their current rows. */
  readonly events = new Map<string, EventRow>();
  /** The events as they were last announced. */
  readonly #announcedRows = new Map<string, EventRow>();
  readonly #touched = new Set<string>();

  /**
   * Applies rows of the feed.
   *
   * @param replace true if a snapshot begins, which replaces all events
   */
  apply(rows: FeedRows, { replace }: { readonly replace: boolean }): void {
    if (replace) {
      this.events.clear();
      for (const key of this.#announcedRows.keys()) this.#touched.add(key);
    }
    for (const [key, row] of Object.entries(rows.events ?? {})) {
      if (row === null) this.events.delete(key);
      else this.events.set(key, row);
      this.#touched.add(key);
    }
  }

  /** Number of events that the next `take` has to compare. */
  get pending(): number {
    return this.#touched.size;
  }

  /** Returns the events whose class changed since the last call. */
  take(): readonly EventChange[] {
    const changes: EventChange[] = [];
    for (const key of this.#touched) {
      const before = this.#announcedRows.get(key);
      const row = this.events.get(key);
      if (row === undefined) {
        this.#announcedRows.delete(key);
        if (before !== undefined) changes.push({ kind: 'resolved', row: before });
        continue;
      }
      this.#announcedRows.set(key, row);
      const kind = eventClass(row);
      if (before === undefined || eventClass(before) !== kind) changes.push({ kind, row });
    }
    this.#touched.clear();
    return changes;
  }
}

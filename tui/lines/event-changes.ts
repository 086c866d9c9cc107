import type { EventRow, FeedRows } from '../../shared/schemas/feed.ts';
import { eventClass } from '../model/event-record.ts';
import { type EventClass } from '../text/theme.ts';

/** The kind of a change: the new class of the event, or `resolved`. */
export type ChangeKind = EventClass | 'resolved';

export interface EventChange {
  readonly kind: ChangeKind;
  /** The current row of the event; for a resolved event, its last announced row. */
  readonly row: EventRow;
}

/**
 * Collects the changes of events between two announcements. Changes that are reverted in between are dropped, so the
 * memory is bounded by the number of events, however slow the reader is.
 */
export class EventChanges {
  /** The current rows of all events, by event key. */
  readonly events = new Map<string, EventRow>();
  /** The rows of the events at the last announcement, by event key. */
  readonly #announcedRows = new Map<string, EventRow>();
  readonly #touched = new Set<string>();

  /**
   * Applies changed rows of the feed to `events`.
   *
   * @param replace true if the rows begin a snapshot, which replaces all events
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

  /** Number of events that may have changed since the last `take` call. */
  get pending(): number {
    return this.#touched.size;
  }

  /** Returns the events whose class changed, or which resolved, since the last call. */
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

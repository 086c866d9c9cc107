import type { EventRow, FeedRows } from '../../shared/schemas/feed.ts';
import { eventClass } from '../model/event-record.ts';
import { type EventClass } from '../text/theme.ts';

/** What an event has become: the class that it is in now, or that it ended. */
export type ChangeKind = EventClass | 'resolved';

export interface EventChange {
  readonly kind: ChangeKind;
  /** As it is now; of a resolved one as it was last. */
  readonly row: EventRow;
}

/**
 * Folds a feed into what has changed since somebody was told last. What came and went in between is no change, so what
 * waits to be told is bounded by the number of events, however long the reader takes.
 */
export class EventChanges {
  /** All events, as they are now. */
  readonly events = new Map<string, EventRow>();
  /** As the reader knows them. */
  readonly #told = new Map<string, EventRow>();
  readonly #touched = new Set<string>();

  /** @param replace everything that was held counts no more: a snapshot begins */
  apply(rows: FeedRows, { replace }: { readonly replace: boolean }): void {
    if (replace) {
      this.events.clear();
      for (const key of this.#told.keys()) this.#touched.add(key);
    }
    for (const [key, row] of Object.entries(rows.events ?? {})) {
      if (row === null) this.events.delete(key);
      else this.events.set(key, row);
      this.#touched.add(key);
    }
  }

  /** Events to look at for the next `take`. */
  get pending(): number {
    return this.#touched.size;
  }

  /** Events that are in another class than the reader knows, which the reader knows from here on. */
  take(): readonly EventChange[] {
    const changes: EventChange[] = [];
    for (const key of this.#touched) {
      const before = this.#told.get(key);
      const row = this.events.get(key);
      if (row === undefined) {
        this.#told.delete(key);
        if (before !== undefined) changes.push({ kind: 'resolved', row: before });
        continue;
      }
      this.#told.set(key, row);
      const kind = eventClass(row);
      if (before === undefined || eventClass(before) !== kind) changes.push({ kind, row });
    }
    this.#touched.clear();
    return changes;
  }
}

import type { EventBrief, EventRow } from '../../shared/schemas/feed.ts';
import { BriefBook } from './brief-book.ts';
import { EventTally, type EventCounts } from './event-counts.ts';
import { EventRecord } from './event-record.ts';
import { OrderedRows } from './ordered-rows.ts';
import { EVENT_COLUMN, eventSort } from './event-sort.ts';
import { targetOf } from './target.ts';

/** All events of the backend with their counters, updated change by change. */
export class EventRegistry extends OrderedRows<EventRecord> {
  readonly #tally = new EventTally(() => this.#rows());
  readonly #briefs = new BriefBook();
  #generation = 0;
  #inSnapshot = false;

  constructor() {
    super(eventSort({ column: EVENT_COLUMN, reversed: false }));
  }

  get counts(): EventCounts {
    return this.#briefs.counted(this.#tally.all);
  }

  /** Returns the counters of one client's events. */
  countsOf(client: string): EventCounts {
    return this.#tally.byClient.of(client);
  }

  /**
   * Returns the counters of one check's events on all clients; in a merged list, of one backend or namespace.
   */
  countsOfCheck(check: string): EventCounts {
    return this.#tally.byCheck.of(check);
  }

  /** Returns the number of events that the silence covers now. */
  silencedCount(id: string): number {
    return this.#tally.bySilence.of(id);
  }

  /**
   * Applies the newest state of an event; `null` means it resolved.
   *
   * @param happensNow true if the change is known to be current
   * @returns the event; `undefined` if it no longer exists
   */
  apply(key: string, row: EventRow | null, nowMs: number, happensNow = true): EventRecord | undefined {
    const existing = this.get(key);
    if (row === null) {
      if (existing !== undefined) this.#resolve(existing, nowMs);
      return undefined;
    }
    if (existing !== undefined) this.#briefs.forget(existing);
    const record = existing ?? this.ghost(key) ?? new EventRecord(key, row);
    // A snapshot does not say when a change happened.
    if (happensNow && !this.#inSnapshot && (existing === undefined || isNews(existing.row, row)))
      record.changedAtMs = nowMs;
    if (existing === undefined) this.#tally.add(row, 1);
    else this.#tally.replace(existing.row, row);
    record.generation = this.#generation;
    this.put(record, row, nowMs);
    return record;
  }

  /** Returns the newest known state of an event, whose row may be older. */
  briefOf(key: string): EventBrief | undefined {
    const record = this.get(key);
    return record && (this.#briefs.of(record) ?? record.row);
  }

  /** Applies the newest state of an event as a brief; its full row follows on request. */
  hear(key: string, brief: EventBrief, nowMs: number): void {
    const record = this.get(key);
    if (record !== undefined) {
      // A snapshot without this event was taken earlier.
      record.generation = this.#generation;
      return this.#briefs.hear(record, brief);
    }
    const { client, check } = targetOf(key);
    this.apply(key, { client, check, ...brief, occurrences: 1, last: brief.since, output: '' }, nowMs);
  }

  /**
   * Returns the keys of events with a brief that belong above a position of the default order, or are drawn
   * there; the uppermost first.
   */
  briefsUpTo({ rank }: Pick<EventRecord, 'rank'>, most: number): readonly string[] {
    return this.#briefs.upTo(rank, most);
  }

  /** Begins a snapshot: events that it does not contain stay visible until its end and are removed then. */
  beginSnapshot(): void {
    this.#inSnapshot = true;
    this.#generation += 1;
    this.#briefs.clear();
  }

  endSnapshot(nowMs: number): void {
    if (!this.#inSnapshot) return;
    this.#inSnapshot = false;
    for (const record of this.records()) {
      if (record.generation !== this.#generation) this.#resolve(record, nowMs);
    }
  }

  *#rows(): Iterable<EventRow> {
    for (const { row } of this.records()) yield row;
  }

  #resolve(record: EventRecord, nowMs: number): void {
    this.#briefs.forget(record);
    this.drop(record);
    this.#tally.add(record.row, -1);
    record.changedAtMs = nowMs;
  }
}

function isNews(before: EventRow, after: EventRow): boolean {
  return (
    before.status !== after.status ||
    before.action !== after.action ||
    before.silenced_by.length !== after.silenced_by.length
  );
}

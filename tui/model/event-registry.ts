import type { EventBrief, EventRow } from '../../shared/schemas/feed.ts';
import { BriefBook } from './brief-book.ts';
import { EventTally, type EventCounts } from './event-counts.ts';
import { EventRecord } from './event-record.ts';
import { OrderedRows } from './ordered-rows.ts';
import { EVENT_COLUMN, eventSort } from './event-sort.ts';
import { targetOf } from './target.ts';

/** Every event of the backend and its counters, kept up to date change by change. */
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

  /** Of the events of one client. */
  countsOf(client: string): EventCounts {
    return this.#tally.byClient.of(client);
  }

  /** Of the events of one check on all clients: in a list of several places, of one of them. */
  countsOfCheck(check: string): EventCounts {
    return this.#tally.byCheck.of(check);
  }

  /** Events that the silenced entry of this id covers now. */
  silencedCount(id: string): number {
    return this.#tally.bySilence.of(id);
  }

  /**
   * Takes the newest state of an event; `null`: it is resolved.
   *
   * @param happensNow whether it is known to have happened now
   * @returns the event as it is now; `undefined`: there is none any more
   */
  apply(key: string, row: EventRow | null, nowMs: number, happensNow = true): EventRecord | undefined {
    const known = this.get(key);
    if (row === null) {
      if (known !== undefined) this.#resolve(known, nowMs);
      return undefined;
    }
    if (known !== undefined) this.#briefs.forget(known);
    const record = known ?? this.ghost(key) ?? new EventRecord(key, row);
    // What a snapshot brings is not known to have just happened.
    if (happensNow && !this.#inSnapshot && (known === undefined || isNews(known.row, row))) record.changedAtMs = nowMs;
    if (known === undefined) this.#tally.add(row, 1);
    else this.#tally.replace(known.row, row);
    record.generation = this.#generation;
    this.put(record, row, nowMs);
    return record;
  }

  /** What is known of an event by now, of which there may be an older row. */
  briefOf(key: string): EventBrief | undefined {
    const record = this.get(key);
    return record && (this.#briefs.of(record) ?? record.row);
  }

  /** Takes the newest state of an event as far as it came: the rest of its row follows when it is asked for. */
  hear(key: string, brief: EventBrief, nowMs: number): void {
    const record = this.get(key);
    if (record !== undefined) {
      // A snapshot that does not mention it was made before.
      record.generation = this.#generation;
      return this.#briefs.hear(record, brief);
    }
    const { client, check } = targetOf(key);
    this.apply(key, { client, check, ...brief, occurrences: 1, last: brief.since, output: '' }, nowMs);
  }

  /**
   * Keys of events that are known in brief, and are or belong above a place of the list that is sorted as usual: the
   * uppermost of them.
   */
  briefsUpTo({ rank }: Pick<EventRecord, 'rank'>, most: number): readonly string[] {
    return this.#briefs.upTo(rank, most);
  }

  /** A snapshot begins: what it does not mention is gone at its end, and is shown until then. */
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

import type { EventBrief, EventRow } from '../../shared/schemas/feed.ts';
import { EventBriefs } from './brief-book.ts';
import { EventTally, type EventCounts } from './event-counts.ts';
import { EventRecord } from './event-record.ts';
import { OrderedRows } from './ordered-rows.ts';
import { EVENT_COLUMN, eventSort } from './event-sort.ts';
import { targetOf } from './target.ts';

/** The name of a check, and the number of its events that are not silenced. */
interface LargestCheck {
  readonly name: string;
  readonly count: number;
}

/** Age in milliseconds at which the check with the most events is looked up again. */
const LARGEST_CHECK_MS = 1000;

/** All events of the shown backends with their counters, updated with every change. */
export class EventRegistry extends OrderedRows<EventRecord> {
  readonly #tally = new EventTally(() => this.#rows());
  readonly #briefs = new EventBriefs();
  /** The check with the most events, and the time in epoch milliseconds when it was looked up. */
  #largestCheck: LargestCheck | undefined;
  #largestCheckAtMs = -Infinity;
  #generation = 0;
  #inSnapshot = false;

  constructor() {
    super(eventSort({ column: EVENT_COLUMN, reversed: false }));
  }

  get counts(): EventCounts {
    return this.#briefs.correctedCounts(this.#tally.all);
  }

  /** Returns the event counters of one client. */
  countsOf(client: string): EventCounts {
    return this.#tally.byClient.countsOf(client);
  }

  /**
   * Returns the event counters of one check over all clients; in a merged list, over the clients of one backend or
   * namespace.
   */
  countsOfCheck(check: string): EventCounts {
    return this.#tally.byCheck.countsOf(check);
  }

  /**
   * Returns the check with the most events that are not silenced; `undefined` if there is none. It is looked up again
   * every second.
   */
  largestCheck(nowMs: number): LargestCheck | undefined {
    if (Math.abs(nowMs - this.#largestCheckAtMs) >= LARGEST_CHECK_MS) {
      this.#largestCheckAtMs = nowMs;
      this.#largestCheck = this.#tally.byCheck.largest();
    }
    return this.#largestCheck;
  }

  /** Returns the number of events that this silence covers now. */
  silencedCount(id: string): number {
    return this.#tally.bySilence.countOf(id);
  }

  /**
   * Applies the newest row of an event; `null` means that the event resolved.
   *
   * @param happensNow false if the time of the change is unknown, because it can have happened earlier
   * @returns the event; `undefined` if it resolved
   */
  apply(key: string, row: EventRow | null, nowMs: number, happensNow = true): EventRecord | undefined {
    const existing = this.get(key);
    if (row === null) {
      if (existing !== undefined) this.#resolve(existing, happensNow && !this.#inSnapshot ? nowMs : 0);
      return undefined;
    }
    if (existing !== undefined) this.#briefs.removeBrief(existing);
    const record = existing ?? this.removedRow(key) ?? new EventRecord(key, row);
    // A snapshot does not say when a change happened.
    if (happensNow && !this.#inSnapshot && (existing === undefined || isNews(existing.row, row)))
      record.changedAtMs = nowMs;
    if (existing === undefined) this.#tally.add(row, 1);
    else this.#tally.replace(existing.row, row);
    record.generation = this.#generation;
    this.put(record, row, nowMs);
    return record;
  }

  /**
   * Returns the newest state of an event, even if the feed has sent it only as a brief and not as a full row. Returns
   * `undefined` if the event does not exist.
   */
  briefOf(key: string): EventBrief | undefined {
    const record = this.get(key);
    return record && this.newestState(record);
  }

  /** Returns the newest state of an event: its brief or, if it has none, its full row. */
  newestState(record: EventRecord): EventBrief {
    return this.#briefs.briefOf(record) ?? record.row;
  }

  /**
   * Applies the brief state of an event. The feed sends briefs instead of full rows while the console needs only
   * counters.
   */
  applyBrief(key: string, brief: EventBrief, nowMs: number): void {
    const record = this.get(key);
    if (record !== undefined) {
      // The event exists now, so the end of the current snapshot must not remove it.
      record.generation = this.#generation;
      return this.#briefs.addBrief(record, brief);
    }
    const { client, check } = targetOf(key);
    this.apply(key, { client, check, ...brief, occurrences: 1, last: brief.since, output: '' }, nowMs);
  }

  /**
   * Returns the keys of events that have a brief and whose position, by brief or by full row, is not below the given
   * rank. The uppermost comes first, and at most `most` keys are returned.
   */
  briefsUpTo({ rank }: Pick<EventRecord, 'rank'>, most: number): readonly string[] {
    return this.#briefs.keysUpToRank(rank, most);
  }

  /** Begins a snapshot. Events that the snapshot does not contain stay visible until `endSnapshot` removes them. */
  beginSnapshot(): void {
    this.#inSnapshot = true;
    this.#generation += 1;
    this.#briefs.clear();
  }

  endSnapshot(): void {
    if (!this.#inSnapshot) return;
    this.#inSnapshot = false;
    for (const record of this.records()) {
      if (record.generation !== this.#generation) this.#resolve(record, 0);
    }
  }

  *#rows(): Iterable<EventRow> {
    for (const { row } of this.records()) yield row;
  }

  /** @param atMs the time at which the event resolved; 0 if it is unknown */
  #resolve(record: EventRecord, atMs: number): void {
    this.#briefs.removeBrief(record);
    this.drop(record);
    this.#tally.add(record.row, -1);
    record.changedAtMs = atMs;
  }
}

function isNews(before: EventRow, after: EventRow): boolean {
  return (
    before.status !== after.status ||
    before.action !== after.action ||
    before.silenced_by.length !== after.silenced_by.length
  );
}

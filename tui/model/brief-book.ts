import type { EventBrief } from '../../shared/schemas/feed.ts';
import { EventCounter, type EventCounts } from './event-counts.ts';
import { rankOf, type EventRecord } from './event-record.ts';

/** Number of ready records beyond the requested ones, above which the set is reduced. */
const READY_MORE = 1000;

/**
 * The brief changes of events whose stored rows are older. Such events keep their position in the lists but are
 * counted with the new state, until their rows arrive.
 */
export class BriefBook {
  readonly #heard = new Map<EventRecord, EventBrief>();
  /**
   * The records that belong above `#readyUpTo`, or are drawn there, with their rank. Without the focus, the
   * console requests only the few rows of a window each second, while briefs of all events arrive.
   */
  readonly #ready = new Map<EventRecord, number>();
  #readyUpTo = -Infinity;
  /** The difference between the counters with the briefs and those of the rows. */
  readonly #difference = new EventCounter();

  of(record: EventRecord): EventBrief | undefined {
    return this.#heard.get(record);
  }

  hear(record: EventRecord, brief: EventBrief): void {
    this.#difference.replace(this.of(record) ?? record.row, brief);
    this.#heard.set(record, brief);
    const recordRank = uppermost(record, brief);
    if (recordRank <= this.#readyUpTo) this.#ready.set(record, recordRank);
    else this.#ready.delete(record);
  }

  /** Drops the brief of an event whose row is about to be replaced, or that is gone. */
  forget(record: EventRecord): void {
    const brief = this.of(record);
    if (brief === undefined) return;
    this.#difference.replace(brief, record.row);
    this.#heard.delete(record);
    this.#ready.delete(record);
  }

  clear(): void {
    for (const record of this.#heard.keys()) this.forget(record);
  }

  /**
   * Returns the counters with the briefs.
   *
   * @param rows the counters of the rows
   */
  counted(rows: EventCounts): EventCounts {
    if (this.#heard.size === 0) return rows;
    const { critical, warning, unknown, ok, silenced, flapping, inhibited } = this.#difference;
    return {
      critical: rows.critical + critical,
      warning: rows.warning + warning,
      unknown: rows.unknown + unknown,
      ok: rows.ok + ok,
      silenced: rows.silenced + silenced,
      flapping: rows.flapping + flapping,
      inhibited: rows.inhibited + inhibited,
    };
  }

  /**
   * Returns the keys of records that belong above a rank in the default order, or are drawn there; the
   * uppermost first.
   */
  upTo(rank: number, most: number): readonly string[] {
    if (rank > this.#readyUpTo || this.#ready.size > most + READY_MORE) this.#makeReady(rank);
    const candidates: { readonly key: string; readonly rank: number }[] = [];
    for (const [record, recordRank] of this.#ready)
      if (recordRank <= rank) candidates.push({ key: record.key, rank: recordRank });
    return candidates
      .toSorted((a, b) => a.rank - b.rank)
      .slice(0, most)
      .map(({ key }) => key);
  }

  #makeReady(upTo: number): void {
    for (const [record, recordRank] of this.#ready) if (recordRank > upTo) this.#ready.delete(record);
    if (upTo > this.#readyUpTo) {
      for (const [record, brief] of this.#heard) {
        const recordRank = uppermost(record, brief);
        if (recordRank <= upTo) this.#ready.set(record, recordRank);
      }
    }
    this.#readyUpTo = upTo;
  }
}

/** Returns the lower of the two ranks: where the record belongs, or where it is drawn. */
function uppermost(record: EventRecord, brief: EventBrief): number {
  return Math.min(rankOf(brief), record.rank);
}

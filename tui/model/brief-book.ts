import type { EventBrief } from '../../shared/schemas/feed.ts';
import { EventCounter, type EventCounts } from './event-counts.ts';
import { rankOf, type EventRecord } from './event-record.ts';

/** Number of surplus records in `#ranked`, beyond the requested number, at which surplus records are removed. */
const SURPLUS_RECORDS_MAX = 1000;

/**
 * The newest brief states of events whose full rows are older. A brief contains only the fields that counters need.
 * Until its full row arrives, such an event keeps its position in the lists, while the counters already use the brief.
 */
export class EventBriefs {
  readonly #briefs = new Map<EventRecord, EventBrief>();
  /**
   * The events with a brief whose sort rank is at most `#readyUpTo`, each with that rank: the smaller of the ranks of
   * its brief and its full row. `keysUpToRank` searches only this small set.
   */
  readonly #ranked = new Map<EventRecord, number>();
  #readyUpTo = -Infinity;
  /** The difference between counters computed from the briefs and counters computed from the full rows. */
  readonly #difference = new EventCounter();

  briefOf(record: EventRecord): EventBrief | undefined {
    return this.#briefs.get(record);
  }

  addBrief(record: EventRecord, brief: EventBrief): void {
    this.#difference.replace(this.briefOf(record) ?? record.row, brief);
    this.#briefs.set(record, brief);
    const recordRank = smallerRank(record, brief);
    if (recordRank <= this.#readyUpTo) this.#ranked.set(record, recordRank);
    else this.#ranked.delete(record);
  }

  /** Removes the brief of an event, because its full row is about to be replaced or the event resolved. */
  removeBrief(record: EventRecord): void {
    const brief = this.briefOf(record);
    if (brief === undefined) return;
    this.#difference.replace(brief, record.row);
    this.#briefs.delete(record);
    this.#ranked.delete(record);
  }

  clear(): void {
    for (const record of this.#briefs.keys()) this.removeBrief(record);
  }

  /**
   * Returns the event counters, corrected for the events whose briefs are newer than their rows.
   *
   * @param rows event counters computed from the full rows
   */
  correctedCounts(rows: EventCounts): EventCounts {
    if (this.#briefs.size === 0) return rows;
    const { critical, warning, unknown, ok, silenced, flapping, inhibited, acknowledged } = this.#difference;
    return {
      critical: rows.critical + critical,
      warning: rows.warning + warning,
      unknown: rows.unknown + unknown,
      ok: rows.ok + ok,
      silenced: rows.silenced + silenced,
      flapping: rows.flapping + flapping,
      inhibited: rows.inhibited + inhibited,
      acknowledged: rows.acknowledged + acknowledged,
    };
  }

  /**
   * Returns the keys of events that have a brief and whose sort rank, by the brief or by the full row, is at most
   * `rank`. The smallest rank comes first, and at most `most` keys are returned.
   */
  keysUpToRank(rank: number, most: number): readonly string[] {
    if (rank > this.#readyUpTo || this.#ranked.size > most + SURPLUS_RECORDS_MAX) this.#makeReady(rank);
    const candidates: { readonly key: string; readonly rank: number }[] = [];
    for (const [record, recordRank] of this.#ranked)
      if (recordRank <= rank) candidates.push({ key: record.key, rank: recordRank });
    return candidates
      .toSorted((a, b) => a.rank - b.rank)
      .slice(0, most)
      .map(({ key }) => key);
  }

  #makeReady(upTo: number): void {
    for (const [record, recordRank] of this.#ranked) if (recordRank > upTo) this.#ranked.delete(record);
    if (upTo > this.#readyUpTo) {
      for (const [record, brief] of this.#briefs) {
        const recordRank = smallerRank(record, brief);
        if (recordRank <= upTo) this.#ranked.set(record, recordRank);
      }
    }
    this.#readyUpTo = upTo;
  }
}

/**
 * Returns the smaller of two sort ranks of an event: by its brief, where it belongs, and by its full row, where it is
 * drawn.
 */
function smallerRank(record: EventRecord, brief: EventBrief): number {
  return Math.min(rankOf(brief), record.rank);
}

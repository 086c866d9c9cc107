import type { EventBrief } from '../../shared/schemas/feed.ts';
import { EventCounter, type EventCounts } from './event-counts.ts';
import { rankOf, type EventRecord } from './event-record.ts';

/** As many as may be held ready beyond what was asked for, before fewer are. */
const READY_MORE = 1000;

/**
 * What is known in brief of events whose rows, as they are held, are older. They stay where they are in the lists and are
 * counted as they are now, until their rows come.
 */
export class BriefBook {
  readonly #heard = new Map<EventRecord, EventBrief>();
  /**
   * Those of them that belong, or stand, above `#readyUpTo`, and how far above. Who has no focus asks each second for the few of a window, while all
   * that there is comes to be known in brief.
   */
  readonly #ready = new Map<EventRecord, number>();
  #readyUpTo = -Infinity;
  /** What is to be added to the counters of the rows. */
  readonly #difference = new EventCounter();

  of(record: EventRecord): EventBrief | undefined {
    return this.#heard.get(record);
  }

  hear(record: EventRecord, brief: EventBrief): void {
    this.#difference.replace(this.of(record) ?? record.row, brief);
    this.#heard.set(record, brief);
    const place = uppermost(record, brief);
    if (place <= this.#readyUpTo) this.#ready.set(record, place);
    else this.#ready.delete(record);
  }

  /** Its row is about to be another one, or it is gone. */
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

  /** @param rows the counters of the rows */
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

  /** Keys of those that belong, or stand, above a place of the list that is sorted as usual; the uppermost of them. */
  upTo(rank: number, most: number): readonly string[] {
    if (rank > this.#readyUpTo || this.#ready.size > most + READY_MORE) this.#makeReady(rank);
    const found: { readonly key: string; readonly rank: number }[] = [];
    for (const [record, place] of this.#ready) if (place <= rank) found.push({ key: record.key, rank: place });
    return found
      .toSorted((a, b) => a.rank - b.rank)
      .slice(0, most)
      .map(({ key }) => key);
  }

  #makeReady(upTo: number): void {
    for (const [record, place] of this.#ready) if (place > upTo) this.#ready.delete(record);
    if (upTo > this.#readyUpTo) {
      for (const [record, brief] of this.#heard) {
        const place = uppermost(record, brief);
        if (place <= upTo) this.#ready.set(record, place);
      }
    }
    this.#readyUpTo = upTo;
  }
}

/** Where it belongs or, above that, where it stands. */
function uppermost(record: EventRecord, brief: EventBrief): number {
  return Math.min(rankOf(brief), record.rank);
}

import type { EventBrief } from '../../shared/schemas/feed.ts';
import { EventCounter, type EventCounts } from './event-counts.ts';
import { rankOf, type EventRecord } from './event-record.ts';

interface HeardBrief {
  readonly brief: EventBrief;
  readonly rank: number;
}

/**
 * What is known in brief of events whose rows, as they are held, are older. They stay where they are in the lists and are
 * counted as they are now, until their rows come.
 */
export class BriefBook {
  readonly #heard = new Map<EventRecord, HeardBrief>();
  /** What is to be added to the counters of the rows. */
  readonly #difference = new EventCounter();

  of(record: EventRecord): EventBrief | undefined {
    return this.#heard.get(record)?.brief;
  }

  hear(record: EventRecord, brief: EventBrief): void {
    this.#difference.replace(this.of(record) ?? record.row, brief);
    this.#heard.set(record, { brief, rank: rankOf(brief) });
  }

  /** Its row is about to be another one, or it is gone. */
  forget(record: EventRecord): void {
    const brief = this.of(record);
    if (brief === undefined) return;
    this.#difference.replace(brief, record.row);
    this.#heard.delete(record);
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
    const found: { readonly key: string; readonly rank: number }[] = [];
    for (const [record, { rank: now }] of this.#heard) {
      if (now <= rank || record.rank <= rank) found.push({ key: record.key, rank: Math.min(now, record.rank) });
    }
    return found
      .toSorted((a, b) => a.rank - b.rank)
      .slice(0, most)
      .map(({ key }) => key);
  }
}

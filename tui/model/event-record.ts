import { searchText, type SearchRow } from '../../shared/domain/search.ts';
import { severityOf } from '../../shared/domain/severity.ts';
import { splitName } from './backend-names.ts';
import type { EventBrief, EventRow } from '../../shared/schemas/feed.ts';
import type { EventClass } from '../text/theme.ts';

const CLASS_RANK: Readonly<Record<EventClass, number>> = { critical: 0, warning: 1, unknown: 2, ok: 3, silenced: 8 };

/**
 * Offset that sorts inhibited events below all others, by severity, so that a cause is above its consequences.
 */
const INHIBITED_RANK = 4;

/** Larger than any difference of epoch seconds, and small enough that the sum stays an exact number. */
const RANK_STEP = 1e12;

export function eventClass(row: Pick<EventBrief, 'status' | 'silenced_by'>): EventClass {
  return row.silenced_by.length > 0 ? 'silenced' : severityOf(row.status);
}

/**
 * An event in the console. The object stays the same while the event exists, so that lists, cursor and marks
 * can refer to it while its values change.
 */
export class EventRecord {
  readonly key: string;
  #row: EventRow;
  #searchRow: SearchRow | undefined;
  #words: string | undefined;
  /** Severity, then the newest first, as one number. */
  #rank: number;
  /**
   * Epoch milliseconds of the last change of status, action or silences; 0 if there was none since the console
   * started.
   */
  changedAtMs = 0;
  /** True if the event has resolved but is still shown, because the order is paused. */
  gone = false;
  /** The last snapshot that contained the event. */
  generation = 0;
  /** True if the event matches the filter with the number `checkedBy`. */
  matches = true;
  checkedBy = 0;

  constructor(key: string, row: EventRow) {
    this.key = key;
    this.#row = row;
    this.#rank = rankOf(row);
  }

  get row(): EventRow {
    return this.#row;
  }

  /**
   * Replaces the row. If the rank changes, the record must not be in a list, because its position depends on
   * it.
   */
  set row(row: EventRow) {
    this.#row = row;
    this.#rank = rankOf(row);
    this.#searchRow = undefined;
    this.#words = undefined;
  }

  get rank(): number {
    return this.#rank;
  }

  get searchRow(): SearchRow {
    this.#searchRow ??= searchRowOf(this.#row);
    return this.#searchRow;
  }

  /** The text that words are searched in, built on first use. */
  get words(): string {
    this.#words ??= searchText(this.searchRow);
    return this.#words;
  }
}

/**
 * Returns the row for searches. In a merged list the client and its backend or namespace are separate fields.
 */
function searchRowOf(row: EventRow): SearchRow {
  const { name, context } = splitName(row.client);
  if (context === undefined) return row;
  return { ...row, client: name, ...(row.namespace === undefined && { backend: context }) };
}

/**
 * Returns the rank of a row: by class, then the newest first. Rows of different names may have the same rank.
 */
export function rankOf(row: Omit<EventBrief, 'action'>): number {
  return classRank(row) * RANK_STEP - row.since;
}

function classRank(row: Omit<EventBrief, 'action'>): number {
  const rank = CLASS_RANK[eventClass(row)];
  return row.inhibited_by === undefined ? rank : Math.min(rank + INHIBITED_RANK, CLASS_RANK.silenced);
}

import { searchText, type SearchRow } from '../../shared/domain/search.ts';
import { severityOf } from '../../shared/domain/severity.ts';
import { splitName } from './backend-names.ts';
import type { EventBrief, EventRow } from '../../shared/schemas/feed.ts';
import type { EventClass } from '../text/theme.ts';

const CLASS_RANK: Readonly<Record<EventClass, number>> = { critical: 0, warning: 1, unknown: 2, ok: 3, silenced: 8 };

/** What another event keeps quiet comes after all that nothing does, by its severity: the cause is above its consequences. */
const INHIBITED_RANK = 4;

/** Farther apart than any two epoch seconds, and small enough that the sum stays an exact number. */
const RANK_STEP = 1e12;

export function eventClass(row: Pick<EventBrief, 'status' | 'silenced_by'>): EventClass {
  return row.silenced_by.length > 0 ? 'silenced' : severityOf(row.status);
}

/**
 * An event in the console: one object for as long as the event lives, so that lists, cursor and marks can hold on to it
 * while its values change in place.
 */
export class EventRecord {
  readonly key: string;
  #row: EventRow;
  #searchRow: SearchRow | undefined;
  #words: string | undefined;
  /** Severity, then newest first, as one number. */
  #rank: number;
  /** Epoch milliseconds of the last change of status, action or silencing seen here; 0: not since the console started. */
  changedAtMs = 0;
  /** Resolved, but still shown because the order is paused. */
  gone = false;
  /** The snapshot that last mentioned it. */
  generation = 0;
  /** Whether it matches the filter number `checkedBy`. */
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

  /** A row with another rank only while the record is in no list, since its place depends on it. */
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

  /** The text that words are looked for in, made when a filter first asks for it. */
  get words(): string {
    this.#words ??= searchText(this.searchRow);
    return this.#words;
  }
}

/** In a list of several places the client is looked for by its own name, and the backend or namespace by itself. */
function searchRowOf(row: EventRow): SearchRow {
  const { name, context } = splitName(row.client);
  if (context === undefined) return row;
  return { ...row, client: name, ...(row.namespace === undefined && { backend: context }) };
}

/** Where a row sorts: by class, then newest first. Rows of different names may have the same rank. */
export function rankOf(row: Omit<EventBrief, 'action'>): number {
  return classRank(row) * RANK_STEP - row.since;
}

function classRank(row: Omit<EventBrief, 'action'>): number {
  const rank = CLASS_RANK[eventClass(row)];
  return row.inhibited_by === undefined ? rank : Math.min(rank + INHIBITED_RANK, CLASS_RANK.silenced);
}

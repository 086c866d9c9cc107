import { searchText, type SearchRow } from '../../shared/domain/search.ts';
import { severityOf } from '../../shared/domain/severity.ts';
import { splitName } from './backend-names.ts';
import { outputFingerprint } from './output-pattern.ts';
import type { EventBrief, EventRow } from '../../shared/schemas/feed.ts';
import type { EventClass } from '../text/theme.ts';

const CLASS_RANK: Readonly<Record<EventClass, number>> = { critical: 0, warning: 1, unknown: 2, ok: 3, silenced: 8 };

/**
 * Number added to the class rank of inhibited events. They sort below all other events except silenced ones, so that a
 * cause is above its consequences.
 */
const INHIBITED_RANK = 4;

/**
 * Factor for the event class in a sort rank. It is larger than any time in epoch seconds, and small enough that a rank
 * is an exact integer.
 */
const RANK_STEP = 1e12;

export function eventClass(row: Pick<EventBrief, 'status' | 'silenced_by'>): EventClass {
  return row.silenced_by.length > 0 ? 'silenced' : severityOf(row.status);
}

/**
 * An event in the console. The object stays the same as long as the event exists. Lists, the cursor and marks can refer
 * to it while its values change.
 */
export class EventRecord {
  readonly key: string;
  #row: EventRow;
  #searchRow: SearchRow | undefined;
  #words: string | undefined;
  #outputFingerprint: number | undefined;
  /** Sort rank: the position in the default order as one number, first by class, then the newest first. */
  #rank: number;
  /**
   * Epoch milliseconds when the event last appeared, resolved, or changed its status, its action or its number of
   * silences; 0 if none of this happened since the console started, or if it is unknown when it resolved.
   */
  changedAtMs = 0;
  /** True if the event has resolved but is still shown, because sorting is paused. */
  isRemoved = false;
  /** Number of the newest feed snapshot at the time when the state of the event last arrived. */
  generation = 0;
  /** True if the event matched the filter that evaluated it last. `lastFilterNumber` is the number of that filter. */
  matches = true;
  lastFilterNumber = 0;
  /**
   * The folds that contain the event. They are valid if `lastFoldingNumber` is the number of the current folding. Only
   * `EventFolds` uses both.
   */
  folds: readonly unknown[] = NO_FOLDS;
  lastFoldingNumber = 0;
  /** Number of the first frame that shows the event in its folds. */
  foldedBeforeFrame = 0;

  constructor(key: string, row: EventRow) {
    this.key = key;
    this.#row = row;
    this.#rank = rankOf(row);
  }

  get row(): EventRow {
    return this.#row;
  }

  /**
   * Replaces the row. If this changes the rank, the record must be removed from all lists first, because its position
   * depends on the rank.
   */
  set row(row: EventRow) {
    if (row.output !== this.#row.output) this.#outputFingerprint = undefined;
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

  /** The text of the event in which a filter looks for words, built on first use. */
  get words(): string {
    this.#words ??= searchText(this.searchRow);
    return this.#words;
  }

  /** The hash of the output without numbers, ids and host names, computed on first use. */
  get outputFingerprint(): number {
    this.#outputFingerprint ??= outputFingerprint(this.#row.output);
    return this.#outputFingerprint;
  }
}

const NO_FOLDS: readonly unknown[] = [];

/**
 * Returns the row that searches evaluate. In a merged list, the name of the client is split into the client and its
 * backend or namespace.
 */
function searchRowOf(row: EventRow): SearchRow {
  const { name, context } = splitName(row.client);
  if (context === undefined) return row;
  return { ...row, client: name, ...(row.namespace === undefined && { backend: context }) };
}

/**
 * Returns the position of a row in the default order as one number: first by class, then the newest first. Several rows
 * can have the same rank.
 */
export function rankOf(row: Omit<EventBrief, 'action'>): number {
  return classRank(row) * RANK_STEP - row.since;
}

/** Returns the rank of the class of an event, which is the first part of its sort rank. */
export function classRankOf({ rank }: Pick<EventRecord, 'rank'>): number {
  return Math.ceil(rank / RANK_STEP);
}

function classRank(row: Omit<EventBrief, 'action'>): number {
  const rank = CLASS_RANK[eventClass(row)];
  return row.inhibited_by === undefined ? rank : Math.min(rank + INHIBITED_RANK, CLASS_RANK.silenced);
}

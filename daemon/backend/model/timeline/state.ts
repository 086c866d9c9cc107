import { isCountDue } from '../../../../shared/domain/timeline/due-count.ts';

const DAY_MS = 86_400_000;

/** Maximum number of checks whose transitions are waiting to be counted; further checks are counted later. */
const DUE_MAX = 10_000;

/** Limits of the timeline. They are read for each use, because a reload of the configuration can change them. */
export interface TimelineLimits {
  /** Number of days for which transitions are retained; 0 if the timeline is disabled. */
  readonly days: number;
  /** Maximum number of retained transitions of one check on one client. */
  readonly perCheck: number;
}

/** The stored head record of the timeline, with the data that is needed to add a transition. */
export interface TimelineHead {
  /** Time from which on all transitions were recorded, in epoch milliseconds. */
  readonly since: number;
  /** Id of the newest transition. */
  readonly last: number;
  /** Number of ids assigned so far; absent if they were not counted yet. */
  readonly count?: number;
  /** True if there was no state before the first transition, and all transitions are retained. */
  readonly isWhole?: true;
}

/** The names of a check on a client; both can have been deleted since. */
export interface TimelineCheckKey {
  readonly namespace: string;
  readonly client: string;
  readonly check: string;
}

/**
 * The head record of the timeline, which is needed to add transitions. The transitions themselves are only in the
 * store.
 */
export class Timeline {
  readonly limits: TimelineLimits;
  /** The head record; undefined if nothing was recorded yet, or not since the timeline was disabled. */
  head: TimelineHead | undefined;
  /** Checks that possibly have more transitions than the maximum, by their full name, the oldest first. */
  readonly due = new Map<string, TimelineCheckKey>();

  constructor(limits: TimelineLimits) {
    this.limits = limits;
  }

  get isKept(): boolean {
    return this.limits.days > 0;
  }

  /** Returns the time from which on all transitions are retained, in epoch milliseconds; null if none are retained. */
  keptSince(nowMs: number): number | null {
    const { head, isKept, limits } = this;
    return isKept && head !== undefined ? Math.max(head.since, nowMs - limits.days * DAY_MS) : null;
  }

  /**
   * Returns the id of a new transition, and stores it in the head record as the newest id.
   *
   * @param isBlank returns true if there is no state yet; called for the first transition
   * @returns the time in microseconds, or the last id plus one if the clock was ahead before
   */
  newId(nowMs: number, isBlank: () => boolean): number {
    this.head ??= { since: nowMs, last: 0, count: 0, ...(isBlank() && { isWhole: true }) };
    const { last, count = 0 } = this.head;
    const id = Math.max(last + 1, nowMs * 1000);
    this.head = { ...this.head, last: id, count: count + 1 };
    return id;
  }

  /** Records that a check got a transition with this id. At random, its transitions are now due to be counted. */
  recordStateChange(checkKey: TimelineCheckKey, id: number): void {
    if (!isCountDue(id, this.limits.perCheck) || this.due.size >= DUE_MAX) return;
    this.due.set(`${checkKey.namespace}\0${checkKey.client}\0${checkKey.check}`, checkKey);
  }

  /** Records that the oldest transitions are no longer retained. */
  noteErased(): void {
    if (this.head?.isWhole !== true) return;
    const { isWhole: _isComplete, ...head } = this.head;
    this.head = head;
  }
}

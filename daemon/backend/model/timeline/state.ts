import { isCountDue } from '../../../../shared/domain/timeline/due-count.ts';

const DAY_MS = 86_400_000;

/** Maximum number of checks that wait to be counted; further ones are counted later. */
const DUE_MAX = 10_000;

/** Limits, read each time because a reload may change them. */
export interface TimelineLimits {
  /** Days for which transitions are retained; 0: the timeline is disabled. */
  readonly days: number;
  /** Maximum number of retained transitions of one client and check. */
  readonly perCheck: number;
}

/** The stored head of the timeline. */
export interface TimelineHead {
  /** Time from which all transitions were recorded, epoch milliseconds. */
  readonly since: number;
  /** Id of the newest transition. */
  readonly last: number;
  /** Number of ids assigned so far; absent: not counted yet. */
  readonly count?: number;
  /** True if there was no state before the first transition, and all transitions are retained. */
  readonly isWhole?: true;
}

/** A check on a client, which may be deleted. */
export interface TimelineCheckKey {
  readonly namespace: string;
  readonly client: string;
  readonly check: string;
}

/** The head of the timeline, to which transitions are added. The transitions themselves are only in the store. */
export class Timeline {
  readonly limits: TimelineLimits;
  /** Undefined: nothing was recorded yet, or not since the timeline was disabled. */
  head: TimelineHead | undefined;
  /** Checks that may exceed their maximum number of transitions, by their full name, the oldest first. */
  readonly due = new Map<string, TimelineCheckKey>();

  constructor(limits: TimelineLimits) {
    this.limits = limits;
  }

  get isKept(): boolean {
    return this.limits.days > 0;
  }

  /** Returns the time from which everything is retained, epoch milliseconds; null: nothing is. */
  keptSince(nowMs: number): number | null {
    const { head, isKept, limits } = this;
    return isKept && head !== undefined ? Math.max(head.since, nowMs - limits.days * DAY_MS) : null;
  }

  /**
   * Returns the id of a new transition, and makes it the head.
   *
   * @param isBlank returns true if there is no state yet; called for the first transition
   * @returns microseconds of the time, or the last id plus one if the clock was ahead before
   */
  newId(nowMs: number, isBlank: () => boolean): number {
    this.head ??= { since: nowMs, last: 0, count: 0, ...(isBlank() && { isWhole: true }) };
    const { last, count = 0 } = this.head;
    const id = Math.max(last + 1, nowMs * 1000);
    this.head = { ...this.head, last: id, count: count + 1 };
    return id;
  }

  /** Records a transition with this id, which may make its check due to be counted. */
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

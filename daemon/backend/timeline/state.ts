import { isCountDue } from '../../../shared/domain/timeline/due-count.ts';

const DAY_MS = 86_400_000;

/** Checks that wait to be counted; a further one is counted some other time. */
const DUE_MAX = 10_000;

/** Read each time, because a reload may change it. */
export interface TimelineLimits {
  /** Days for which transitions are kept; 0: none are. */
  readonly days: number;
  /** Transitions of one client and check that are kept. */
  readonly perCheck: number;
}

/** What is stored of the timeline as a whole. */
export interface TimelineHead {
  /** Epoch milliseconds from which on all transitions were noted. */
  readonly since: number;
  /** Id of the newest transition. */
  readonly last: number;
  /** How many ids were given so far; absent: it was not counted yet. */
  readonly count?: number;
  /** Whether there was nothing before the first of them, and all of them are kept. */
  readonly isWhole?: true;
}

/** A check on a client, which may be gone. */
export interface CheckPlace {
  readonly namespace: string;
  readonly client: string;
  readonly check: string;
}

/** The end of the timeline, to which transitions are added. They themselves are in the store alone. */
export class Timeline {
  readonly limits: TimelineLimits;
  /** Undefined: nothing was ever noted, or not since it was turned off. */
  head: TimelineHead | undefined;
  /** Checks that may have more transitions than they may, by all of their names, the oldest first. */
  readonly due = new Map<string, CheckPlace>();

  constructor(limits: TimelineLimits) {
    this.limits = limits;
  }

  get isKept(): boolean {
    return this.limits.days > 0;
  }

  /** From when on everything is kept, epoch milliseconds; null: nothing is. */
  keptSince(nowMs: number): number | null {
    const { head, isKept, limits } = this;
    return isKept && head !== undefined ? Math.max(head.since, nowMs - limits.days * DAY_MS) : null;
  }

  /**
   * The id of a transition, which is its end from now on.
   *
   * @param isBlank tells whether anything is known so far; asked for the first one
   * @returns microseconds of the time; one more than the last where the clock was ahead of the one of today
   */
  newId(nowMs: number, isBlank: () => boolean): number {
    this.head ??= { since: nowMs, last: 0, count: 0, ...(isBlank() && { isWhole: true }) };
    const { last, count = 0 } = this.head;
    const id = Math.max(last + 1, nowMs * 1000);
    this.head = { ...this.head, last: id, count: count + 1 };
    return id;
  }

  /** Tells of a transition with this id. */
  noteTurn(place: CheckPlace, id: number): void {
    if (!isCountDue(id, this.limits.perCheck) || this.due.size >= DUE_MAX) return;
    this.due.set(`${place.namespace}\0${place.client}\0${place.check}`, place);
  }

  /** From now on the oldest of them are not kept any more. */
  noteErased(): void {
    if (this.head?.isWhole !== true) return;
    const { isWhole: _isWhole, ...head } = this.head;
    this.head = head;
  }
}

const DAY_MS = 86_400_000;

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

/** The end of the timeline, to which transitions are added. They themselves are in the store alone. */
export class Timeline {
  readonly limits: TimelineLimits;
  /** Undefined: nothing was ever noted, or not since it was turned off. */
  head: TimelineHead | undefined;

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

  /** From now on the oldest of them are not kept any more. */
  noteErased(): void {
    if (this.head?.isWhole !== true) return;
    const { isWhole: _isWhole, ...head } = this.head;
    this.head = head;
  }
}

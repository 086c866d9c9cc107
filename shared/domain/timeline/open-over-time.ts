import { SEVERITIES, severityOf, type Severity } from '../severity.ts';
import type { Span } from './availability.ts';

/** Maximum number of periods into which a span of time is divided. */
const PERIODS_MAX = 288;

const MINUTE_MS = 60_000;

/** The number of checks in each status at one moment. */
export type StatusCounts = Readonly<Record<Severity, number>>;

/** A status change of any check. The time is in epoch milliseconds; a status is undefined if it is unknown. */
export interface StatusCountChange {
  readonly atMs: number;
  readonly previousStatus: number | undefined;
  readonly status: number | undefined;
}

/** Returns the length of a period in milliseconds: whole minutes, and at most `PERIODS_MAX` periods in the span. */
export function periodMsOf({ sinceMs, untilMs }: Span): number {
  return MINUTE_MS * Math.max(1, Math.ceil((untilMs - sinceMs) / PERIODS_MAX / MINUTE_MS));
}

/**
 * Counts the checks in each status over a span of time. It starts with the current counts, and gets all status changes
 * from now backwards, so that the history of single checks need not be in memory.
 */
export class StatusCounter {
  readonly #span: Span;
  readonly #periodMs: number;
  readonly #counts: Record<Severity, number>;
  /** The counts at the worst moment of each period; a period without an entry is not reached yet. */
  readonly #worst: (StatusCounts | undefined)[];
  /** Time back to which the periods contain counts, in epoch milliseconds. */
  #reachedMs: number;

  constructor(current: StatusCounts, span: Span, periodMs = periodMsOf(span)) {
    this.#span = span;
    this.#periodMs = periodMs;
    this.#counts = { ...current };
    this.#worst = Array.from({ length: Math.ceil((span.untilMs - span.sinceMs) / periodMs) }, () => undefined);
    this.#reachedMs = span.untilMs;
  }

  /** Counts a change. Each change must be earlier than the previous one, or at the same time. */
  add({ atMs, previousStatus, status }: StatusCountChange): void {
    this.#fillPeriodsUntil(atMs);
    if (status !== undefined) this.#counts[severityOf(status)] -= 1;
    if (previousStatus !== undefined) this.#counts[severityOf(previousStatus)] += 1;
  }

  /**
   * Returns the counts at the worst moment of each period: the one with the most problems. The oldest period comes
   * first.
   *
   * @param keptSinceMs start of the known history; the counts of earlier periods are undefined
   */
  worstOfPeriods(keptSinceMs: number): readonly (StatusCounts | undefined)[] {
    this.#fillPeriodsUntil(Math.max(keptSinceMs, this.#span.sinceMs));
    return this.#worst;
  }

  /** Enters the current counts in all periods back to a time. */
  #fillPeriodsUntil(atMs: number): void {
    const fromMs = Math.max(atMs, this.#span.sinceMs);
    if (fromMs >= this.#reachedMs) return;
    const last = Math.ceil((this.#reachedMs - this.#span.sinceMs) / this.#periodMs) - 1;
    const first = Math.floor((fromMs - this.#span.sinceMs) / this.#periodMs);
    let counts: StatusCounts | undefined;
    for (let period = first; period <= last; period++) {
      const before = this.#worst[period];
      if (before !== undefined && compareProblems(before, this.#counts) >= 0) continue;
      // Periods share one object, because most periods have no change at all.
      counts ??= { ...this.#counts };
      this.#worst[period] = counts;
    }
    this.#reachedMs = fromMs;
  }
}

export function statusCountsOf(statuses: Iterable<number | undefined>): StatusCounts {
  const counts: Record<Severity, number> = { ok: 0, warning: 0, critical: 0, unknown: 0 };
  for (const status of statuses) if (status !== undefined) counts[severityOf(status)] += 1;
  return counts;
}

/** Compares counts: a positive result means that `a` has more problems than `b`, or equally many but worse ones. */
function compareProblems(a: StatusCounts, b: StatusCounts): number {
  return countProblems(a) - countProblems(b) || a.critical - b.critical || a.warning - b.warning;
}

function countProblems(counts: StatusCounts): number {
  return SEVERITIES.reduce((sum, severity) => sum + (severity === 'ok' ? 0 : counts[severity]), 0);
}

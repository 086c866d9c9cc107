import type { Inhibitor } from '../../schemas/inhibition.ts';
import type { ReportCheck } from '../../schemas/report.ts';
import { compareText } from '../compare-text.ts';
import { statusRank } from '../severity.ts';
import {
  availabilityOf,
  statusSpansOf,
  type Span,
  type StatusChange,
  type StatusSpan,
} from '../timeline/availability.ts';

/** The status history of a check on a client, as input for a report. */
export interface ReportCheckHistory {
  readonly client: string;
  readonly check: string;
  /** Current status; undefined if unknown. It is used only if `statusChanges` is empty. */
  readonly status: number | undefined;
  /** Status changes, newest first, back to the start of the report. */
  readonly statusChanges: readonly StatusChange[];
  /** The inhibitor (another event) that suppresses notifications of the event now; undefined if there is none. */
  readonly inhibitor?: Inhibitor | undefined;
}

/** The entry of a check in a report, without namespace, output and silences. */
export type CheckProblem = Omit<ReportCheck, 'namespace' | 'output' | 'silences'>;

/**
 * Summarizes the problems of a check in a span of time (spec, report 1).
 *
 * @param keptSinceMs start of the retained history, in epoch milliseconds
 * @param silenced the spans in which the check was silenced, as returned by `joinedSpans`
 * @returns undefined if the check had no known problem in the span
 */
export function checkProblemOf(
  past: ReportCheckHistory,
  span: Span,
  keptSinceMs: number,
  silenced: readonly Span[] = [],
): CheckProblem | undefined {
  const stretches = statusSpansOf(past.statusChanges, past.status, span, keptSinceMs);
  const bad = stretches.filter(({ status }) => isProblemStatus(status));
  const status = statusAtTime(past, span.untilMs);
  const isOpen = isProblemStatus(status);
  // A problem that begins at the very end of the span has no duration in the span, so it is counted separately.
  const isJustBroken = isOpen && !isProblemStatus(stretches[0]?.status);
  const began = isOpen ? beginningOf(stretches, span.untilMs) : bad.at(-1)?.sinceMs;
  if (began === undefined) return undefined;
  const { outages, ...spent } = availabilityOf(stretches, silenced);
  const inhibitor = inhibitorOfOutages(past, span.untilMs, isOpen);
  return {
    client: past.client,
    check: past.check,
    ...(status !== undefined && { status }),
    worst: [status ?? 0, ...bad.map((stretch) => stretch.status ?? 0)].reduce((a, b) =>
      compareStatus(a, b) > 0 ? b : a,
    ),
    // If the problem exists at the start of the known history, it began at an unknown earlier time.
    began: began > Math.max(span.sinceMs, keptSinceMs) ? began : null,
    ended: isOpen ? null : (bad[0]?.untilMs ?? null),
    outages: outages + (isJustBroken ? 1 : 0),
    down: spent.warning + spent.critical + spent.unknown + spent.silenced,
    silenced: spent.silenced,
    ...(inhibitor !== undefined && { inhibited_by: inhibitor }),
  };
}

/**
 * Returns the inhibitor of the last outage if all outages were inhibited, so that no handler was notified; undefined
 * otherwise (spec, report 1).
 */
function inhibitorOfOutages(
  { statusChanges, inhibitor }: ReportCheckHistory,
  untilMs: number,
  isOpen: boolean,
): Inhibitor | undefined {
  const ends = statusChanges.filter(
    ({ atMs, previousStatus: was, status }) => atMs <= untilMs && isProblemStatus(was) && !isProblemStatus(status),
  );
  // The inhibitor of an outage that is open at the end of the span is recorded at the next status change. If there was
  // none, it is the current inhibitor.
  const after = statusChanges.findLast(({ atMs }) => atMs > untilMs);
  const last = after === undefined ? inhibitor : after.inhibitor;
  const inhibitors = [...(isOpen ? [last] : []), ...ends.map((end) => end.inhibitor)];
  return inhibitors.every((one) => one !== undefined) ? inhibitors[0] : undefined;
}

function isProblemStatus(status: number | undefined): boolean {
  return status !== undefined && status !== 0;
}

/** Returns the status of the check at a time; undefined if it is unknown. */
export function statusAtTime(
  { statusChanges, status }: Pick<ReportCheckHistory, 'statusChanges' | 'status'>,
  atMs: number,
): number | undefined {
  const next = statusChanges.findLast((change) => change.atMs > atMs);
  const last = statusChanges.find((change) => change.atMs <= atMs);
  return last !== undefined ? last.status : next !== undefined ? next.previousStatus : status;
}

/** Returns the start of the outage that is open at the end of the span, in epoch milliseconds. */
function beginningOf(stretches: readonly StatusSpan[], untilMs: number): number {
  const before = stretches.findIndex(({ status }) => !isProblemStatus(status));
  return (before === -1 ? stretches.at(-1) : stretches[before - 1])?.sinceMs ?? untilMs;
}

function compareStatus(a: number, b: number): number {
  return statusRank(a) - statusRank(b);
}

function compareByName(a: CheckProblem, b: CheckProblem): number {
  return compareText(a.client, b.client) || compareText(a.check, b.check);
}

/** Compares problems for sorting: inhibited ones come last. */
function compareInhibited(a: CheckProblem, b: CheckProblem): number {
  return Number(a.inhibited_by !== undefined) - Number(b.inhibited_by !== undefined);
}

/** Compares problems for sorting: inhibited ones come last; otherwise the worst come first, then the oldest. */
export function compareByStatus(a: CheckProblem, b: CheckProblem): number {
  return (
    compareInhibited(a, b) ||
    compareStatus(a.status ?? 0, b.status ?? 0) ||
    (a.began ?? 0) - (b.began ?? 0) ||
    compareByName(a, b)
  );
}

export function compareByDownTime(a: CheckProblem, b: CheckProblem): number {
  return compareInhibited(a, b) || b.down - a.down || compareByName(a, b);
}

import type { Inhibitor } from '../../schemas/inhibition.ts';
import type { ReportCheck } from '../../schemas/report.ts';
import { compareText } from '../compare-text.ts';
import { statusRank } from '../severity.ts';
import { availabilityOf, stretchesOf, type Span, type StatusTurn, type Stretch } from '../timeline/availability.ts';

/** What is known of the past of a client and check. */
export interface CheckPast {
  readonly client: string;
  readonly check: string;
  /** Of now; undefined: nothing is known of it. It counts only without turns. */
  readonly status: number | undefined;
  /** The newest first, down to the beginning of what is asked about. */
  readonly turns: readonly StatusTurn[];
  /** What keeps its event from handlers now. */
  readonly inhibitor?: Inhibitor | undefined;
}

/** What a report says of a check but for what has to be looked up elsewhere. */
export type Trouble = Omit<ReportCheck, 'namespace' | 'output' | 'silences'>;

/**
 * How a check was not well in a span (spec, report 1).
 *
 * @param keptSinceMs before it nothing is known
 * @param silenced as `joinedSpans` has them
 * @returns undefined: it was well as far as is known
 */
export function troubleOf(
  past: CheckPast,
  span: Span,
  keptSinceMs: number,
  silenced: readonly Span[] = [],
): Trouble | undefined {
  const stretches = stretchesOf(past.turns, past.status, span, keptSinceMs);
  const bad = stretches.filter(({ status }) => isBad(status));
  const status = statusAt(past, span.untilMs);
  const isOpen = isBad(status);
  // At its very end: it takes no time of the span yet.
  const isJustBroken = isOpen && !isBad(stretches[0]?.status);
  const began = isOpen ? beginningOf(stretches, span.untilMs) : bad.at(-1)?.sinceMs;
  if (began === undefined) return undefined;
  const { outages, ...spent } = availabilityOf(stretches, silenced);
  const inhibitor = inhibitorOfOutages(past, span.untilMs, isOpen);
  return {
    client: past.client,
    check: past.check,
    ...(status !== undefined && { status }),
    worst: [status ?? 0, ...bad.map((stretch) => stretch.status ?? 0)].reduce((a, b) => (worse(a, b) > 0 ? b : a)),
    // What was so from the first moment that is known of had begun before.
    began: began > Math.max(span.sinceMs, keptSinceMs) ? began : null,
    ended: isOpen ? null : (bad[0]?.untilMs ?? null),
    outages: outages + (isJustBroken ? 1 : 0),
    down: spent.warning + spent.critical + spent.unknown + spent.silenced,
    silenced: spent.silenced,
    ...(inhibitor !== undefined && { inhibited_by: inhibitor }),
  };
}

/** What kept the last of its outages from handlers, where nobody was told of any of them (spec, report 1). */
function inhibitorOfOutages({ turns, inhibitor }: CheckPast, untilMs: number, isOpen: boolean): Inhibitor | undefined {
  const ends = turns.filter(({ atMs, was, status }) => atMs <= untilMs && isBad(was) && !isBad(status));
  // Of what is open then: how it ended later, or how it is now.
  const after = turns.findLast(({ atMs }) => atMs > untilMs);
  const last = after === undefined ? inhibitor : after.inhibitor;
  const inhibitors = [...(isOpen ? [last] : []), ...ends.map((end) => end.inhibitor)];
  return inhibitors.every((one) => one !== undefined) ? inhibitors[0] : undefined;
}

function isBad(status: number | undefined): boolean {
  return status !== undefined && status !== 0;
}

/** As it was from that moment on. */
function statusAt({ turns, status }: CheckPast, atMs: number): number | undefined {
  const next = turns.findLast((turn) => turn.atMs > atMs);
  const last = turns.find((turn) => turn.atMs <= atMs);
  return last !== undefined ? last.status : next !== undefined ? next.was : status;
}

/** Since when it is as bad as at the end, without a break. */
function beginningOf(stretches: readonly Stretch[], untilMs: number): number {
  const before = stretches.findIndex(({ status }) => !isBad(status));
  return (before === -1 ? stretches.at(-1) : stretches[before - 1])?.sinceMs ?? untilMs;
}

function worse(a: number, b: number): number {
  return statusRank(a) - statusRank(b);
}

function byName(a: Trouble, b: Trouble): number {
  return compareText(a.client, b.client) || compareText(a.check, b.check);
}

/** What followed from something else comes after what did not. */
function causesFirst(a: Trouble, b: Trouble): number {
  return Number(a.inhibited_by !== undefined) - Number(b.inhibited_by !== undefined);
}

/** The worst first, then the oldest. */
export function worstFirst(a: Trouble, b: Trouble): number {
  return causesFirst(a, b) || worse(a.status ?? 0, b.status ?? 0) || (a.began ?? 0) - (b.began ?? 0) || byName(a, b);
}

export function longestFirst(a: Trouble, b: Trouble): number {
  return causesFirst(a, b) || b.down - a.down || byName(a, b);
}

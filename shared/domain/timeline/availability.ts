import type { Availability } from '../../schemas/availability.ts';
import type { Inhibitor } from '../../schemas/inhibition.ts';
import { severityOf } from '../severity.ts';

/** A part of time, epoch milliseconds. */
export interface Span {
  readonly sinceMs: number;
  readonly untilMs: number;
}

/** A turn of a status. */
export interface StatusTurn {
  readonly atMs: number;
  /** Undefined: nothing was known. */
  readonly was: number | undefined;
  readonly status: number | undefined;
  /** Of the end of an event: what kept it from handlers until then. */
  readonly inhibitor?: Inhibitor | undefined;
}

/** For how long something had a status; undefined: nothing is known. */
export interface Stretch extends Span {
  readonly status: number | undefined;
}

/**
 * The statuses of a span, without a gap, from its end to its beginning.
 *
 * @param turns the newest first; those before the span may be left out but for the newest of them
 * @param status of now
 * @param keptSinceMs before it nothing is known that no turn tells
 */
export function stretchesOf(
  turns: readonly StatusTurn[],
  status: number | undefined,
  { sinceMs, untilMs }: Span,
  keptSinceMs: number,
): Stretch[] {
  const stretches: Stretch[] = [];
  const add = (from: number, to: number, of: number | undefined): void => {
    const part = { sinceMs: Math.max(from, sinceMs), untilMs: Math.min(to, untilMs), status: of };
    if (part.sinceMs < part.untilMs) stretches.push(part);
  };
  let end = untilMs;
  let before = status;
  for (const turn of turns) {
    add(turn.atMs, end, turn.status);
    end = Math.min(end, turn.atMs);
    before = turn.was;
  }
  const known = Math.min(end, Math.max(sinceMs, keptSinceMs));
  add(known, end, before);
  add(sinceMs, known, undefined);
  return stretches;
}

/** What becomes of a silenced entry: it is in effect from then to then, or ends. */
export interface SilenceTurn {
  readonly atMs: number;
  /** Undefined: it ended. */
  readonly entry: { readonly beginMs: number; readonly endMs: number } | undefined;
}

/**
 * When an entry was in effect.
 *
 * @param turns the newest first
 * @param keptSinceMs from when on an entry that ended without a beginning is taken to have been there
 */
export function silencedSpans(turns: readonly SilenceTurn[], keptSinceMs: number): Span[] {
  const spans: Span[] = [];
  let next = Infinity;
  for (const { atMs, entry } of turns) {
    if (entry !== undefined) {
      const span = { sinceMs: Math.max(atMs, entry.beginMs), untilMs: Math.min(next, entry.endMs) };
      if (span.sinceMs < span.untilMs) spans.push(span);
    }
    next = atMs;
  }
  const oldest = turns.at(-1);
  if (oldest !== undefined && oldest.entry === undefined) spans.push({ sinceMs: keptSinceMs, untilMs: oldest.atMs });
  return spans;
}

/** The same time as spans that do not touch, in order. */
export function joinedSpans(spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.sinceMs - b.sinceMs)) {
    const last = joined.at(-1);
    if (last !== undefined && span.sinceMs <= last.untilMs) {
      joined[joined.length - 1] = { ...last, untilMs: Math.max(last.untilMs, span.untilMs) };
    } else {
      joined.push(span);
    }
  }
  return joined;
}

/**
 * How a span was spent. What was well counts as well also under a silence; what was not, and silenced, is apart.
 *
 * @param stretches from the end to the beginning, as `stretchesOf` has them
 * @param silenced as `joinedSpans` has them
 */
export function availabilityOf(stretches: readonly Stretch[], silenced: readonly Span[]): Availability {
  const spent = { ok: 0, warning: 0, critical: 0, unknown: 0, silenced: 0, no_data: 0 };
  let outages = 0;
  for (const [index, { status, ...span }] of stretches.entries()) {
    const length = span.untilMs - span.sinceMs;
    if (status === undefined) spent.no_data += length;
    else if (status === 0) spent.ok += length;
    else {
      const quiet = overlapOf(span, silenced);
      spent.silenced += quiet;
      spent[severityOf(status)] += length - quiet;
      const before = stretches[index + 1]?.status;
      if (before === undefined || before === 0) outages++;
    }
  }
  return availability(spent, outages);
}

/** Of several together. */
export function sumOf(parts: readonly Availability[]): Availability {
  const spent = { ok: 0, warning: 0, critical: 0, unknown: 0, silenced: 0, no_data: 0 };
  let outages = 0;
  for (const part of parts) {
    for (const name of Object.keys(spent) as (keyof typeof spent)[]) spent[name] += part[name] * 1000;
    outages += part.outages;
  }
  return availability(spent, outages);
}

function availability(
  spentMs: Readonly<Record<keyof Omit<Availability, 'outages' | 'percent'>, number>>,
  outages: number,
): Availability {
  const { ok, warning, critical, unknown, silenced, no_data: noData } = spentMs;
  const counted = ok + warning + critical + unknown;
  return {
    ok: ok / 1000,
    warning: warning / 1000,
    critical: critical / 1000,
    unknown: unknown / 1000,
    silenced: silenced / 1000,
    no_data: noData / 1000,
    outages,
    percent: counted === 0 ? null : (100 * ok) / counted,
  };
}

/** How much of a span is in others, in milliseconds. */
export function overlapOf({ sinceMs, untilMs }: Span, spans: readonly Span[]): number {
  let overlap = 0;
  for (const span of spans) {
    overlap += Math.max(0, Math.min(untilMs, span.untilMs) - Math.max(sinceMs, span.sinceMs));
  }
  return overlap;
}

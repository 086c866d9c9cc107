import type { Availability } from '../../schemas/availability.ts';
import type { Inhibitor } from '../../schemas/inhibition.ts';
import { severityOf } from '../severity.ts';

/** A span of time in epoch milliseconds. */
export interface Span {
  readonly sinceMs: number;
  readonly untilMs: number;
}

/** A change in the status of a check. */
export interface StatusChange {
  readonly atMs: number;
  /** The previous status; undefined if unknown. */
  readonly previousStatus: number | undefined;
  readonly status: number | undefined;
  /** The inhibitor (other event) that suppressed the event until it resolved; set only if this change resolves it. */
  readonly inhibitor?: Inhibitor | undefined;
}

/** A span in which the status stays the same; `status` is undefined if it is unknown. */
export interface StatusSpan extends Span {
  readonly status: number | undefined;
}

/**
 * Divides a span of time into spans of one status each, newest first and without gaps.
 *
 * @param changes status changes, newest first; of those before the span, only the newest is needed
 * @param status current status, used if there are no changes
 * @param keptSinceMs start of the retained history; before it, the status is unknown unless `changes` says it
 */
export function statusSpansOf(
  changes: readonly StatusChange[],
  status: number | undefined,
  { sinceMs, untilMs }: Span,
  keptSinceMs: number,
): StatusSpan[] {
  const stretches: StatusSpan[] = [];
  const add = (from: number, to: number, of: number | undefined): void => {
    const part = { sinceMs: Math.max(from, sinceMs), untilMs: Math.min(to, untilMs), status: of };
    if (part.sinceMs < part.untilMs) stretches.push(part);
  };
  let end = untilMs;
  let before = status;
  for (const change of changes) {
    add(change.atMs, end, change.status);
    end = Math.min(end, change.atMs);
    before = change.previousStatus;
  }
  const dataSinceMs = Math.min(end, Math.max(sinceMs, keptSinceMs));
  add(dataSinceMs, end, before);
  add(sinceMs, dataSinceMs, undefined);
  return stretches;
}

/** A change of a silence: it was created or replaced, or it ended. */
export interface SilenceChange {
  readonly atMs: number;
  /** The begin and end of the silence after the change; undefined if the silence ended. */
  readonly entry: { readonly beginMs: number; readonly endMs: number } | undefined;
}

/**
 * Returns the spans of time in which a silence was active.
 *
 * @param changes newest first
 * @param keptSinceMs assumed begin of a silence of which only the end is known
 */
export function silencedSpans(changes: readonly SilenceChange[], keptSinceMs: number): Span[] {
  const spans: Span[] = [];
  let next = Infinity;
  for (const { atMs, entry } of changes) {
    if (entry !== undefined) {
      const span = { sinceMs: Math.max(atMs, entry.beginMs), untilMs: Math.min(next, entry.endMs) };
      if (span.sinceMs < span.untilMs) spans.push(span);
    }
    next = atMs;
  }
  const oldest = changes.at(-1);
  if (oldest !== undefined && oldest.entry === undefined) spans.push({ sinceMs: keptSinceMs, untilMs: oldest.atMs });
  return spans;
}

/** Merges spans that overlap or touch, and returns the result in chronological order. */
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
 * Adds up the time in each status. Time with the status OK counts as OK even during a silence. Silenced time with
 * another status is added up as `silenced`.
 *
 * @param stretches spans of one status each, newest first, as returned by `statusSpansOf`
 * @param silenced the silenced spans, as returned by `joinedSpans`
 */
export function availabilityOf(stretches: readonly StatusSpan[], silenced: readonly Span[]): Availability {
  const spent = { ok: 0, warning: 0, critical: 0, unknown: 0, silenced: 0, no_data: 0 };
  let outages = 0;
  for (const [index, { status, ...span }] of stretches.entries()) {
    const length = span.untilMs - span.sinceMs;
    if (status === undefined) spent.no_data += length;
    else if (status === 0) spent.ok += length;
    else {
      const silencedMs = overlapOf(span, silenced);
      spent.silenced += silencedMs;
      spent[severityOf(status)] += length - silencedMs;
      const before = stretches[index + 1]?.status;
      if (before === undefined || before === 0) outages++;
    }
  }
  return buildAvailability(spent, outages);
}

/** Adds up the availabilities of several checks. */
export function sumOf(parts: readonly Availability[]): Availability {
  const spent = { ok: 0, warning: 0, critical: 0, unknown: 0, silenced: 0, no_data: 0 };
  let outages = 0;
  for (const part of parts) {
    for (const name of Object.keys(spent) as (keyof typeof spent)[]) spent[name] += part[name] * 1000;
    outages += part.outages;
  }
  return buildAvailability(spent, outages);
}

function buildAvailability(
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

/** Returns the total overlap of a span with the other spans, in milliseconds. */
export function overlapOf({ sinceMs, untilMs }: Span, spans: readonly Span[]): number {
  let overlap = 0;
  for (const span of spans) {
    overlap += Math.max(0, Math.min(untilMs, span.untilMs) - Math.max(sinceMs, span.sinceMs));
  }
  return overlap;
}

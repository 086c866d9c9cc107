import type { CheckHistory, StatusPeriod } from '../../schemas/availability.ts';
import { severityOf, type Severity } from '../severity.ts';
import { overlapOf, type Span } from './availability.ts';

/**
 * A cell of a status strip, which shows the history of a check in one line. It is the worst status in the period of the
 * cell, `silenced` if the problem was silenced, or undefined if the status is unknown.
 */
export type StripCell = Severity | 'silenced' | undefined;

const CELLS_WORST_FIRST: readonly StripCell[] = ['critical', 'warning', 'unknown', 'silenced', 'ok', undefined];

/**
 * Divides the history of a check into cells for periods of equal length, oldest first. A cell has the worst status in
 * its period, so even a very short problem is visible.
 */
export function stripOf({ since, until, stretches, silenced }: CheckHistory, cells: number): StripCell[] {
  const silenceSpans = silenced.map((span) => ({ sinceMs: span.since, untilMs: span.until }));
  const length = (until - since) / cells;
  const strip = Array.from<unknown, StripCell>({ length: cells }, () => undefined);
  const mark = (span: Span, shown: StripCell): void => {
    const first = Math.floor((span.sinceMs - since) / length);
    // If a span ends exactly where a cell begins, it does not affect that cell.
    const last = Math.max(first, Math.ceil((span.untilMs - since) / length) - 1);
    for (let cell = Math.max(0, first); cell <= Math.min(last, cells - 1); cell++) {
      if (CELLS_WORST_FIRST.indexOf(shown) < CELLS_WORST_FIRST.indexOf(strip[cell])) strip[cell] = shown;
    }
  };
  for (const stretch of stretches) {
    if (stretch.status === undefined) continue;
    const severity = severityOf(stretch.status);
    for (const [part, isSilenced] of partsOf(stretch, silenceSpans)) {
      mark(part, isSilenced && severity !== 'ok' ? 'silenced' : severity);
    }
  }
  return strip;
}

/** Splits a period of one status where silences begin and end; with each resulting span, returns if it is silenced. */
function partsOf({ since, until }: StatusPeriod, silenceSpans: readonly Span[]): (readonly [Span, boolean])[] {
  const parts: (readonly [Span, boolean])[] = [];
  let from = since;
  for (const { sinceMs, untilMs } of silenceSpans) {
    const begin = Math.max(from, sinceMs);
    const end = Math.min(until, untilMs);
    if (begin >= end) continue;
    if (from < begin) parts.push([{ sinceMs: from, untilMs: begin }, false]);
    parts.push([{ sinceMs: begin, untilMs: end }, true]);
    from = end;
  }
  if (from < until) parts.push([{ sinceMs: from, untilMs: until }, false]);
  return parts;
}

/** A period in which a check was never OK. */
export interface Outage {
  readonly sinceMs: number;
  /** End of the outage, or of the requested span if the outage continues. */
  readonly untilMs: number;
  /** The worst status during the outage. */
  readonly worst: number;
  /** Silenced time of the outage in milliseconds. */
  readonly silencedMs: number;
}

/** Returns the outages in the history of a check, newest first. */
export function outagesOf({ stretches, silenced }: CheckHistory): Outage[] {
  const silenceSpans = silenced.map((span) => ({ sinceMs: span.since, untilMs: span.until }));
  const outages: Outage[] = [];
  for (const { since, until, status = 0 } of stretches) {
    if (status === 0) continue;
    const silencedMs = overlapOf({ sinceMs: since, untilMs: until }, silenceSpans);
    const last = outages.at(-1);
    if (last?.untilMs === since) {
      const worst = isWorse(status, last.worst) ? status : last.worst;
      outages[outages.length - 1] = { ...last, untilMs: until, worst, silencedMs: last.silencedMs + silencedMs };
    } else {
      outages.push({ sinceMs: since, untilMs: until, worst: status, silencedMs });
    }
  }
  return outages.toReversed();
}

function isWorse(a: number, b: number): boolean {
  return CELLS_WORST_FIRST.indexOf(severityOf(a)) < CELLS_WORST_FIRST.indexOf(severityOf(b));
}

import { formatDuration } from '../../shared/domain/duration.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { ShownEscalation } from '../../shared/schemas/escalation.ts';

/** Returns the escalation of an event that notifies somebody next; undefined if the event has none. */
export function nextEscalation(escalations: readonly ShownEscalation[] = []): ShownEscalation | undefined {
  return escalations.toSorted(compareNextSteps)[0];
}

/**
 * Compares escalations for sorting: by the time of the next step. Paused ones come later, and those at their end last.
 */
export function compareNextSteps(a: ShownEscalation, b: ShownEscalation): number {
  return orderOf(a) - orderOf(b);
}

/** Returns the time of the next step; a greater number for a paused escalation, and the greatest for one at its end. */
function orderOf({ due, remaining }: ShownEscalation): number {
  return due ?? (remaining === undefined ? Number.MAX_SAFE_INTEGER : Number.MAX_SAFE_INTEGER - 1);
}

/** Returns an escalation in a few cells: `2/3 16m` (the time to the next step), `2/3 paused`, or `3/3` at the end. */
export function shortEscalationText({ step, of, due, remaining }: ShownEscalation, nowMs: number): string {
  const next = due === undefined ? (remaining === undefined ? '' : ' paused') : ` ${timeUntil(due, nowMs)}`;
  return `${String(step)}/${String(of)}${next}`;
}

/**
 * Returns what an escalation has notified and when it goes on: `page: step 2 of 3 was notified 4m ago, the next one
 * follows in 16m`. Safe for a terminal.
 */
export function escalationText({ handler, step, of, at, due, remaining }: ShownEscalation, nowMs: number): string {
  const past =
    at === undefined
      ? `none of ${String(of)} steps was notified yet`
      : `step ${String(step)} of ${String(of)} was notified ${formatDuration(Math.max(0, nowMs / 1000 - at))} ago`;
  return safeLine(`${handler}: ${past}, ${nextText({ due, remaining }, nowMs)}`);
}

function nextText(
  { due, remaining }: { readonly due: number | undefined; readonly remaining: number | undefined },
  nowMs: number,
): string {
  if (due !== undefined) return `the next one follows in ${timeUntil(due, nowMs)}`;
  return remaining === undefined ? 'no other one follows' : `paused ${formatDuration(remaining)} before the next one`;
}

function timeUntil(due: number, nowMs: number): string {
  return formatDuration(Math.max(0, due - nowMs / 1000), 1);
}

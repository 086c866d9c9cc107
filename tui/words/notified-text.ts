import { formatDuration } from '../../shared/domain/duration.ts';
import type { EventExplanation } from '../../shared/schemas/explain.ts';
import { shownClock } from './shown-time.ts';

type ExplainedHandler = EventExplanation['handlers'][number];

/**
 * Answers whether anybody was notified of an event, and what happens next: `notified: journal 1m ago; next at the 60th
 * occurrence (filter occurrences)`. The names and reasons are untrusted text, so the result is not safe for a terminal.
 *
 * @returns the answer; `undefined` if there is no open event
 */
export function notificationAnswer({ event, handlers, reason }: EventExplanation, nowMs: number): string | undefined {
  if (event === null) return undefined;
  const notified = handlers.filter((handler) => wasNotified(handler) && !waitsForGroup(handler));
  const inState = (isShown: (state: string | undefined) => boolean): readonly ExplainedHandler[] =>
    notified.filter(({ delivery }) => isShown(delivery?.state));
  const parts = [
    // The backend keeps the state of runs in memory, so after a restart it only knows that the handler was notified.
    ...groupText(
      'notified',
      inState((state) => state === undefined || state === 'delivered'),
      nowMs,
    ),
    ...groupText('pending', inState(isUnfinished), nowMs),
    ...waitingText(handlers.filter(waitsForGroup), nowMs),
    ...groupText(
      'failed',
      inState((state) => state === 'failed'),
      nowMs,
    ),
  ];
  if (parts.length === 0) {
    const runs = handlers.filter(({ verdict }) => verdict === 'handle');
    if (runs.length > 0)
      return `not notified yet: ${runs.map(({ handler }) => handler).join(', ')} with the next result`;
    return `not notified: ${reason.replace(/^no handler runs: /, '')}`;
  }
  const next = nextText(notified);
  return [...parts, ...(next === undefined ? [] : [next])].join('; ');
}

/**
 * Returns whether the handler was notified of the open event. An older backend does not say so, but its last run is
 * nearly always about this event.
 */
function wasNotified({ notified, delivery }: ExplainedHandler): boolean {
  return notified ?? delivery !== null;
}

/**
 * Returns whether the event waits for the next notification of its group. A group that has notified of the event only
 * repeats its notification. A group leaves out an event that is still inhibited.
 */
function waitsForGroup({ notified, verdict, group }: ExplainedHandler): boolean {
  return notified !== true && verdict !== 'inhibited' && group !== undefined && group.due_at !== null;
}

function isUnfinished(state: string | undefined): boolean {
  return state !== undefined && state !== 'delivered' && state !== 'failed';
}

/** Returns when the groups of handlers are notified: `waits for its group: racks until 22:14:07Z (12s)`. */
function waitingText(handlers: readonly ExplainedHandler[], nowMs: number): readonly string[] {
  if (handlers.length === 0) return [];
  const texts = handlers.map(({ handler, group }) => {
    const dueMs = (group?.due_at ?? 0) * 1000;
    const left = formatDuration(Math.max(0, (dueMs - nowMs) / 1000), 2);
    return dueMs > nowMs ? `${handler} until ${shownClock(dueMs)} (${left})` : `${handler}, due now`;
  });
  return [`waits for its group: ${texts.join(', ')}`];
}

function groupText(word: string, handlers: readonly ExplainedHandler[], nowMs: number): readonly string[] {
  if (handlers.length === 0) return [];
  return [`${word}: ${handlers.map((handler) => runText(handler, nowMs)).join(', ')}`];
}

/** Returns the name of a handler with the time of its run, and why it failed: `pagerduty 3m ago (5 tries: …)`. */
function runText({ handler, delivery }: ExplainedHandler, nowMs: number): string {
  if (delivery === null) return handler;
  const details = [
    ...(delivery.attempts > 1 ? [`${String(delivery.attempts)} tries`] : []),
    ...(delivery.reason === undefined || delivery.state === 'delivered' ? [] : [delivery.reason]),
  ];
  const ago = formatDuration(Math.max(0, nowMs / 1000 - delivery.at), 1);
  return `${handler} ${ago} ago${details.length === 0 ? '' : ` (${details.join(': ')})`}`;
}

/** Returns when the handlers are notified again; `undefined` if each of them has its own reason. */
function nextText(handlers: readonly ExplainedHandler[]): string | undefined {
  const [first, ...others] = new Set(handlers.map(nextOf));
  return others.length === 0 ? first : undefined;
}

function nextOf({ verdict, reason, filter, next_occurrence: next }: ExplainedHandler): string {
  if (next !== undefined) return `next at the ${ordinalText(next)} occurrence (filter ${filter ?? 'occurrences'})`;
  if (verdict === 'handle') return 'again with the next result';
  return `not again for now: ${reason}`;
}

/** Returns a number as an ordinal: `1st`, `22nd`, `113th`. */
function ordinalText(number: number): string {
  const isTeen = number % 100 >= 11 && number % 100 <= 13;
  const ending = isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][number % 10] ?? 'th');
  return `${String(number)}${ending}`;
}

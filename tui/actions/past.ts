import type { ActionPorts } from '../keys/action-ports.ts';
import type { Screen } from '../state/ports.ts';
import { readPastTime } from '../../shared/domain/time-text.ts';
import { localClock } from '../words/shown-time.ts';

/*
 * Commands and keys that show the lists as they were at a time in the past (spec, timeline 5). While the past is shown,
 * nothing can be changed.
 */

/**
 * Shows the past moment of the next (1) or the previous (-1) change.
 *
 * @returns `false` if live data is shown, so that there is no step to take
 */
export function stepPast(store: Screen, by: 1 | -1): boolean {
  const { past } = store.state;
  if (past === undefined) return false;
  const atMs = by === 1 ? past.nextMs : past.previousMs;
  if (atMs !== undefined) store.request({ kind: 'travel', atMs });
  else store.say(by === 1 ? 'nothing has changed since: :now returns to live data' : 'no earlier change on record');
  return true;
}

const MINUTE_MS = 60_000;

/** Shows the lists as they were some minutes before or after the shown moment. A moment after now shows live data. */
export function stepMinutes(store: ActionPorts, minutes: number): void {
  const { past } = store.state;
  const nowMs = store.options.now();
  const atMs = (past?.atMs ?? nowMs) + minutes * MINUTE_MS;
  if (atMs < nowMs) return requestTravel(store, atMs);
  if (past === undefined) store.say('this is live data already');
  else store.request({ kind: 'travel', atMs: undefined });
}

/** Shows the lists as they were just before something began, at `atMs` in epoch milliseconds. */
export function travelToJustBefore(store: ActionPorts, atMs: number): void {
  requestTravel(store, atMs - BEFORE_MS);
}

/** How long before the start of an event the lists are shown, in milliseconds: starts are known in seconds. */
const BEFORE_MS = 1000;

function requestTravel(store: ActionPorts, atMs: number): void {
  if (store.backends === undefined) store.request({ kind: 'travel', atMs });
  else store.say(ONE_BACKEND_ONLY);
}

const ONE_BACKEND_ONLY = 'cannot show the past across several backends: select one with :ctx NAME';

/**
 * Shows the lists as they were at the time that the user typed.
 *
 * @returns a message about an invalid time, with the allowed formats; `undefined` on success
 */
export function travelToTypedTime(store: ActionPorts, operand: string): string | undefined {
  if (store.backends !== undefined) return ONE_BACKEND_ONLY;
  const time = readPastTime(operand, localClock(store.options.now()));
  if (time.problem !== undefined) return time.problem;
  store.request({ kind: 'travel', atMs: time.atMs });
  return undefined;
}

/** Leaves the past and shows live data. */
export function travelBack(store: ActionPorts): string | undefined {
  if (store.state.past === undefined) return 'this is live data already';
  store.request({ kind: 'travel', atMs: undefined });
  return undefined;
}

import type { ActionPorts } from '../keys/action-ports.ts';
import type { Asks, Says, Screen } from '../state/ports.ts';
import { PAST_HINT, parsePastTime } from '../words/past-time.ts';

/*
 * What leads through the past (spec, timeline 5): every list as it was, while nothing can be changed.
 */

/** Goes to the change before or after the moment that is shown. @returns false: what is shown is of now */
export function stepPast(store: Screen & Says & Asks, by: 1 | -1): boolean {
  const { past } = store.state;
  if (past === undefined) return false;
  const atMs = by === 1 ? past.nextMs : past.previousMs;
  if (atMs !== undefined) store.request({ kind: 'travel', atMs });
  else store.say(by === 1 ? 'nothing has changed since: :now returns to live data' : 'no earlier change on record');
  return true;
}

/** Shows a moment of the past. @returns what is wrong with it, and what is allowed */
export function travelTo(store: ActionPorts, operand: string): string | undefined {
  if (store.backends !== undefined) return 'the past is shown for one backend: choose it with :ctx NAME';
  const atMs = parsePastTime(operand, store.options.now());
  if (atMs === undefined) return `type :at and a time in the past: ${PAST_HINT}`;
  store.request({ kind: 'travel', atMs });
  return undefined;
}

/** Shows what is. */
export function travelBack(store: ActionPorts): string | undefined {
  if (store.state.past === undefined) return 'this is live data already';
  store.request({ kind: 'travel', atMs: undefined });
  return undefined;
}

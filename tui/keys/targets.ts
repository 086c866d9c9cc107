import { countText } from '../words/count-text.ts';
import { splitName } from '../model/backend-names.ts';
import { countOf } from '../words/changes.ts';
import { INITIAL_FEED_STATUS, isConnected } from '../model/feed-status.ts';
import type { Says } from '../state/ports.ts';
import type { Places, Known } from '../model/known.ts';
import { nameOf, type Target } from '../model/target.ts';

/** Events that one action may be about: nobody can look over more. */
const TARGETS_MAX = 1000;

/** Events that a dialog was opened for and that are not resolved by now. */
export function stillThere(store: Pick<Known, 'events'>, targets: readonly Target[]): readonly Target[] {
  return targets.filter((target) => store.events.get(target.key) !== undefined);
}

/** The targets that an action can be about now; when there are none, or too many, says so and returns none. */
export function livingTargets(
  store: Says & Pick<Known, 'events'> & Places,
  targets: readonly Target[],
  verb: string,
): readonly Target[] {
  const living = stillThere(store, targets);
  if (living.length === 0) sayNothingThere(store, targets, verb);
  if (
    saysLost(
      store,
      living.map(({ client }) => client),
    )
  )
    return [];
  if (living.length <= TARGETS_MAX) return living;
  const most = countText(TARGETS_MAX);
  store.say(
    `${countOf(living.length, 'event')} are too many at once (at most ${most}): mark fewer, or silence a check or subscription`,
    'problem',
  );
  return [];
}

/**
 * Whether one of the backends that these names are of, in a merged list, is not connected: then nothing is asked that could
 * not be sent, and the message names the backends.
 */
export function saysLost(store: Says & Places, names: readonly string[]): boolean {
  const { backends } = store;
  if (backends === undefined) return false;
  const contexts = new Set(names.flatMap((name) => splitName(name).context ?? []));
  const lost = [...contexts].filter((context) => !isConnected(backends.get(context) ?? INITIAL_FEED_STATUS));
  if (lost.length === 0) return false;
  const verb = lost.length === 1 ? 'is' : 'are';
  store.say(`${lost.join(', ')} ${verb} not connected: leave its rows out`, 'problem');
  return true;
}

function sayNothingThere(store: Says, targets: readonly Target[], verb: string): void {
  const [first] = targets;
  store.say(
    first === undefined
      ? `no event to ${verb}`
      : `${targets.length === 1 ? nameOf(first) : 'all of them'} resolved meanwhile: nothing to ${verb}`,
  );
}

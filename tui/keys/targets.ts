import { countText } from '../words/count-text.ts';
import { splitName } from '../model/backend-names.ts';
import { countOf } from '../words/changes.ts';
import { INITIAL_FEED_STATUS, isConnected } from '../model/feed-status.ts';
import type { Screen } from '../state/ports.ts';
import type { LiveData } from '../model/live-data.ts';
import { targetName, type EventTarget } from '../model/target.ts';

/** Maximum number of events, or of silences, for one action; nobody can review more. */
export const TARGETS_MAX = 1000;

/** Returns the targets whose events still exist. The events of the others have resolved since the dialog was opened. */
export function existingTargets(
  store: Pick<LiveData, 'events'>,
  targets: readonly EventTarget[],
): readonly EventTarget[] {
  return targets.filter((target) => store.events.get(target.key) !== undefined);
}

/**
 * Returns the targets whose events are still open. Returns an empty list and shows a message if there are none, if
 * there are too many, or if their backend is disconnected.
 *
 * @param most maximum number of events
 */
export function stillOpenTargets(
  store: Screen & LiveData,
  targets: readonly EventTarget[],
  verb: string,
  most = TARGETS_MAX,
): readonly EventTarget[] {
  const openTargets = existingTargets(store, targets);
  if (openTargets.length === 0) reportNoTargets(store, targets, verb);
  if (
    reportDisconnected(
      store,
      openTargets.map(({ client }) => client),
    )
  )
    return [];
  if (openTargets.length <= most) return openTargets;
  reportTooMany(store, openTargets, verb);
  return [];
}

/** Shows a message that an action is not possible on so many events. */
export function reportTooMany(store: Screen, targets: readonly EventTarget[], verb: string): void {
  const most = countText(TARGETS_MAX);
  store.say(
    `cannot ${verb} ${countOf(targets.length, 'event')} at once (at most ${most}): mark fewer events, or silence a check or subscription`,
    'problem',
  );
}

/**
 * Shows a message if the backends of these names are disconnected; only in a merged list of several backends.
 *
 * @returns true if a backend is disconnected. The caller must then not ask the user to confirm, because the change
 *   could not be sent
 */
export function reportDisconnected(store: Screen & LiveData, names: readonly string[]): boolean {
  const { backends } = store;
  if (backends === undefined) return false;
  const contexts = new Set(names.flatMap((name) => splitName(name).context ?? []));
  const lost = [...contexts].filter((context) => !isConnected(backends.get(context) ?? INITIAL_FEED_STATUS));
  if (lost.length === 0) return false;
  const backendText = lost.length === 1 ? 'that backend' : 'those backends';
  store.say(`not connected to ${lost.join(', ')}: unmark or filter out the rows of ${backendText}`, 'problem');
  return true;
}

function reportNoTargets(store: Screen, targets: readonly EventTarget[], verb: string): void {
  const [first] = targets;
  store.say(
    first === undefined
      ? `no event to ${verb}`
      : `${targets.length === 1 ? targetName(first) : 'all of them'} resolved meanwhile: nothing to ${verb}`,
  );
}

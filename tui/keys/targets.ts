import { countText } from '../words/count-text.ts';
import { splitName } from '../model/backend-names.ts';
import { countOf } from '../words/changes.ts';
import { INITIAL_FEED_STATUS, isConnected } from '../model/feed-status.ts';
import type { MessageSink } from '../state/ports.ts';
import type { MergedSources, LiveData } from '../model/live-data.ts';
import { targetName, type Target } from '../model/target.ts';

/** Maximum number of events of one action; nobody can review more. */
const TARGETS_MAX = 1000;

/** Returns the events of a dialog that have not resolved since it was opened. */
export function stillThere(store: Pick<LiveData, 'events'>, targets: readonly Target[]): readonly Target[] {
  return targets.filter((target) => store.events.get(target.key) !== undefined);
}

/**
 * Returns the targets that an action can affect now. If there are none or too many, it shows a message and
 * returns none.
 */
export function stillOpenTargets(
  store: MessageSink & Pick<LiveData, 'events'> & MergedSources,
  targets: readonly Target[],
  verb: string,
): readonly Target[] {
  const openTargets = stillThere(store, targets);
  if (openTargets.length === 0) sayNothingThere(store, targets, verb);
  if (
    reportDisconnected(
      store,
      openTargets.map(({ client }) => client),
    )
  )
    return [];
  if (openTargets.length <= TARGETS_MAX) return openTargets;
  const most = countText(TARGETS_MAX);
  store.say(
    `cannot ${verb} ${countOf(openTargets.length, 'event')} at once (at most ${most}): mark fewer events, or silence a check or subscription`,
    'problem',
  );
  return [];
}

/**
 * Reports the disconnected backends of these names in a merged list.
 *
 * @returns true if there are any; then a question makes no sense, because the change could not be sent
 */
export function reportDisconnected(store: MessageSink & MergedSources, names: readonly string[]): boolean {
  const { backends } = store;
  if (backends === undefined) return false;
  const contexts = new Set(names.flatMap((name) => splitName(name).context ?? []));
  const lost = [...contexts].filter((context) => !isConnected(backends.get(context) ?? INITIAL_FEED_STATUS));
  if (lost.length === 0) return false;
  const backendText = lost.length === 1 ? 'that backend' : 'those backends';
  store.say(`not connected to ${lost.join(', ')}: unmark or filter out the rows of ${backendText}`, 'problem');
  return true;
}

function sayNothingThere(store: MessageSink, targets: readonly Target[], verb: string): void {
  const [first] = targets;
  store.say(
    first === undefined
      ? `no event to ${verb}`
      : `${targets.length === 1 ? targetName(first) : 'all of them'} resolved meanwhile: nothing to ${verb}`,
  );
}

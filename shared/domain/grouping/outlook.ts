import type { GroupChange } from '../../schemas/grouping.ts';
import { formatDuration } from '../duration.ts';
import { groupLabel, type GroupPlace } from './place.ts';
import { dueAtMs, type GroupPace, type GroupTimes } from './turn.ts';

/** An event as it is, or would be, in its group. */
interface Placed {
  readonly place: GroupPlace;
  /** Of the group as it is; undefined: there is none yet. */
  readonly pace: GroupPace | undefined;
  /** Other events in it. */
  readonly others: number;
  /** What there is to tell of the event; undefined: nothing, it was over before anybody heard of it. */
  readonly change: GroupChange | undefined;
}

const NO_PACE: GroupPace = { untoldSinceMs: undefined, turnAtMs: undefined, toldAtMs: undefined };

/** When an event is told with its group, in words that follow on "this handler, because" (grouping 5). */
export function groupOutlook(
  { place, pace = NO_PACE, others, change }: Placed,
  times: GroupTimes,
  nowMs: number,
): { readonly reason: string; readonly dueAtMs: number | undefined } {
  const group = `its group ${groupLabel(place.by)} (${countOf(others + 1)})`;
  if (change === undefined) {
    return { reason: `its problem is over before ${group} was told of it, so nobody hears of it`, dueAtMs: undefined };
  }
  const isKnown = change === 'same';
  const dueMs = dueAtMs(isKnown ? pace : { ...pace, untoldSinceMs: pace.untoldSinceMs ?? nowMs }, times);
  const wait = formatDuration(Math.max(0, Math.ceil((dueMs - nowMs) / 1000)));
  if (!isKnown) return { reason: `it waits in ${group}, which is told in ${wait}`, dueAtMs: dueMs };
  if (pace.untoldSinceMs !== undefined) {
    return { reason: `${group} was told of it, and is told of others in ${wait}`, dueAtMs: dueMs };
  }
  if (times.repeatMs === 0) {
    return { reason: `${group} was told of it, and is told again when something changes`, dueAtMs: undefined };
  }
  return { reason: `${group} was told of it, and is told again in ${wait}`, dueAtMs: dueMs };
}

function countOf(count: number): string {
  return `${String(count)} ${count === 1 ? 'event' : 'events'}`;
}

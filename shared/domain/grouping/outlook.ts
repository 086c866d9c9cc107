import type { GroupChange } from '../../schemas/grouping.ts';
import { counted } from '../counted.ts';
import { formatDuration } from '../duration.ts';
import { groupLabel, type GroupPlace } from './place.ts';
import { dueAtMs, type GroupPace, type GroupTimes, type Told } from './turn.ts';

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

/** In words that follow on "this handler, because", and when it is told; undefined: nobody knows, or never. */
interface Outlook {
  readonly reason: string;
  readonly dueAtMs: number | undefined;
}

const NO_PACE: GroupPace = { untoldSinceMs: undefined, turnAtMs: undefined, toldAtMs: undefined };

/** When an event is told with its group (grouping 5). */
export function groupOutlook(
  { place, pace = NO_PACE, others, change }: Placed,
  times: GroupTimes,
  nowMs: number,
): Outlook {
  const group = groupText(place, others);
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

/**
 * What becomes of an event in its group while an inhibition keeps it quiet, to be said behind the reason for that.
 *
 * @param told what the group was told of it; `apart`: it is not in it
 */
export function quietOutlook(
  { place, pace = NO_PACE, others, change }: Placed,
  told: Told | 'apart',
  times: GroupTimes,
  nowMs: number,
): Outlook {
  const group = groupText(place, others);
  if (told === 'apart') return undated(`after that its next result waits in ${group}`);
  if (told === 'held') return undated(heldText(group));
  if (change === 'same') return undated(knownText(group));
  if (told !== undefined) return undated(waitsText(group));
  const dueMs = dueAtMs({ ...pace, untoldSinceMs: pace.untoldSinceMs ?? nowMs }, times);
  const wait = formatDuration(Math.max(0, Math.ceil((dueMs - nowMs) / 1000)));
  return {
    reason: `it waits in ${group}, which has its turn in ${wait} and holds it back if that lasts`,
    dueAtMs: dueMs,
  };
}

/** What becomes of an event in its group while a silence keeps it quiet. */
export function silencedOutlook({ place, others, change }: Placed, told: Told): Outlook {
  const group = groupText(place, others);
  if (told === 'held') return undated(heldText(group));
  if (change === 'same') return undated(knownText(group));
  return undated(waitsText(group));
}

function heldText(group: string): string {
  return `${group} holds it back, and is told of it when it comes again after that`;
}

function knownText(group: string): string {
  return `${group} was told of it, and hears no more of it until then`;
}

function waitsText(group: string): string {
  return `it waits in ${group}, which is told of it at a turn after that`;
}

function undated(reason: string): Outlook {
  return { reason, dueAtMs: undefined };
}

/** Why nothing is told of an event although nothing keeps it quiet any more. */
export function heldReason(place: GroupPlace, others: number): string {
  return `an inhibition kept it quiet when ${groupText(place, others)} had its turn, which is told of it when it comes again`;
}

function groupText({ by }: GroupPlace, others: number): string {
  return `its group ${groupLabel(by)} (${counted(others + 1, 'event')})`;
}

import type { Event } from '../../schemas/event.ts';
import { GROUP_INTERVAL, GROUP_LIMIT, GROUP_WAIT, REPEAT_INTERVAL, type GroupChange } from '../../schemas/grouping.ts';
import type { HandledEvent } from '../../schemas/handler-job.ts';
import type { RunningHandler } from '../../schemas/handler.ts';
import { compareText } from '../compare-text.ts';
import { severityOf, type Severity } from '../severity.ts';

/** Interval at which a group that never repeats is checked for events that are gone. */
const SWEEP_MS = 3_600_000;

/** Most bytes of JSON of the events in one run, because receivers have limits of their own. */
export const GROUP_BYTES_MAX = 1024 * 1024;

/** The intervals of the flushes of a group. */
export interface GroupTimes {
  readonly waitMs: number;
  readonly intervalMs: number;
  /** Interval of repeats; 0: never. */
  readonly repeatMs: number;
}

type Paced = Pick<RunningHandler, 'group_wait' | 'group_interval' | 'repeat_interval' | 'group_limit'>;

export function groupTimes(handler: Paced): GroupTimes {
  const { group_wait: wait, group_interval: interval, repeat_interval: repeat } = handler;
  return {
    waitMs: (wait ?? GROUP_WAIT) * 1000,
    intervalMs: (interval ?? GROUP_INTERVAL) * 1000,
    repeatMs: (repeat ?? Math.max(REPEAT_INTERVAL, interval ?? 0)) * 1000,
  };
}

export function groupLimit(handler: Paced): number {
  return handler.group_limit ?? GROUP_LIMIT;
}

/** Timestamps that decide when a group is flushed next, in epoch milliseconds. */
export interface GroupPace {
  /** Time since which a notification is pending; undefined if none is. */
  readonly untoldSinceMs: number | undefined;
  /** The last flush, whether or not it sent a notification; undefined if there was none. */
  readonly turnAtMs: number | undefined;
  /** The last notification; undefined if there was none. */
  readonly toldAtMs: number | undefined;
}

/** Returns when a group is flushed next (grouping 2). */
export function dueAtMs({ untoldSinceMs, turnAtMs = 0, toldAtMs = turnAtMs }: GroupPace, times: GroupTimes): number {
  const restedMs = turnAtMs + times.intervalMs;
  if (untoldSinceMs !== undefined) return Math.max(untoldSinceMs + times.waitMs, turnAtMs === 0 ? 0 : restedMs);
  return times.repeatMs === 0 ? turnAtMs + SWEEP_MS : Math.max(toldAtMs + times.repeatMs, restedMs);
}

export function isRepeatDue({ toldAtMs }: GroupPace, { repeatMs }: GroupTimes, nowMs: number): boolean {
  return repeatMs > 0 && toldAtMs !== undefined && toldAtMs + repeatMs <= nowMs;
}

/**
 * The last notification of an event by its group: the status that it named. `again`: it must be notified again, because
 * the silence that suppressed it ended. `held`: an inhibition holds it back until its next result. Undefined: none.
 */
export type Told = number | 'again' | 'held' | undefined;

/** The state of an event in its group. */
export interface GroupedState {
  readonly eventId: string;
  readonly status: number;
  /** True if its problem has resolved. */
  readonly isOver: boolean;
  /** True if the event is stored nowhere else, such as a registration: it is notified once and then dropped. */
  readonly isPassing: boolean;
  readonly told: Told;
}

/**
 * Returns the state of an event in its group after an occurrence.
 *
 * @param isStored whether the event is stored as an open event, or resolves one
 * @returns undefined if it resolved before any notification
 */
export function nextGrouped(
  before: GroupedState | undefined,
  event: Pick<HandledEvent, 'id' | 'action' | 'silence_ended'> & { readonly check: Pick<Event['check'], 'status'> },
  isStored: boolean,
): GroupedState | undefined {
  const isOver = event.action === 'resolve';
  const wasUntold = before !== undefined && !before.isOver && !before.isPassing && isUntold(before.told);
  if (isOver && wasUntold) return undefined;
  const told = before?.told === 'held' ? undefined : before?.told;
  const isBack = event.silence_ended === true && told !== undefined;
  return {
    eventId: event.id,
    status: event.check.status,
    isOver,
    isPassing: !isStored && !isOver,
    told: isBack ? 'again' : told,
  };
}

/** Returns the last notification of an event that is known by two names: that of the first name, unless it has none. */
export function toldByEither(first: Told, second: Told): Told {
  return isUntold(first) && !isUntold(second) ? second : first;
}

function isUntold(told: Told): boolean {
  return told === undefined || told === 'held';
}

/** True if a notification of the event is pending, as far as that is known before the flush. */
export function isNews(state: GroupedState): boolean {
  return state.told !== 'held' && changeOf(state) !== 'same';
}

/** Returns the change of an event since its last notification. */
export function changeOf({ isOver, status, told }: GroupedState): GroupChange {
  if (isOver) return 'resolved';
  if (isUntold(told)) return 'new';
  return told === status ? 'same' : 'changed';
}

/**
 * The state of an event when its group is flushed. `gone`: it was deleted, or ended without this handler being
 * notified. `silenced`, `inhibited`: it is suppressed now.
 */
export type Presence = 'open' | 'gone' | 'silenced' | 'inhibited';

export interface TurnMember extends GroupedState {
  readonly client: string;
  readonly check: string;
  /** Size of its JSON. */
  readonly bytes: number;
}

interface TurnLimits {
  readonly isRepeatDue: boolean;
  readonly events: number;
  readonly bytes: number;
}

/** The result of a flush of a group. */
export interface Turn<Member> {
  /** The cause of the notification; undefined if none is sent. */
  readonly cause: 'change' | 'repeat' | undefined;
  /** The events of the notification, in order, within the limits. */
  readonly listed: readonly (readonly [Member, GroupChange])[];
  readonly omitted: number;
  readonly counts: {
    readonly firing: number;
    readonly new: number;
    readonly changed: number;
    readonly resolved: number;
  };
  /** The worst severity of the firing events; `ok` if there are none. */
  readonly severity: Severity;
  /** Events whose change this flush notifies; their last notification must be updated. */
  readonly told: readonly Member[];
  /** Events that leave the group with this flush. */
  readonly leaves: readonly Member[];
  /** Events that an inhibition holds back from now on. */
  readonly held: readonly Member[];
  /** True if a notification stays pending because a silence suppresses it. */
  readonly hasUntold: boolean;
}

/** Computes the flush of a group (grouping 2 and 3). */
export function takeTurn<Member extends TurnMember>(
  members: Iterable<Member>,
  presenceOf: (member: Member) => Presence,
  limits: TurnLimits,
): Turn<Member> {
  const shown: (readonly [Member, GroupChange])[] = [];
  const leaves: Member[] = [];
  const held: Member[] = [];
  let hasUntold = false;
  for (const member of members) {
    const change = changeOf(member);
    if (member.isOver || member.isPassing) {
      shown.push([member, change]);
      continue;
    }
    const presence = presenceOf(member);
    if (presence === 'gone') leaves.push(member);
    else if (presence === 'open' && member.told !== 'held') shown.push([member, change]);
    else if (presence === 'inhibited' && isUntold(member.told)) held.push(member);
    else if (isNews(member)) hasUntold = true;
  }
  const changed = shown.filter(([, change]) => change !== 'same');
  const firing = shown.filter(([{ isOver }]) => !isOver);
  const isRepeat = limits.isRepeatDue && firing.length > 0;
  const cause = changed.length > 0 ? 'change' : isRepeat ? 'repeat' : undefined;
  if (cause !== undefined) leaves.push(...shown.flatMap(([member]) => (isLast(member) ? [member] : [])));
  const listed = cause === undefined ? [] : withinLimits(shown.toSorted(byNews), limits);
  const count = (wanted: GroupChange): number => shown.filter(([, change]) => change === wanted).length;
  return {
    cause,
    listed,
    omitted: cause === undefined ? 0 : shown.length - listed.length,
    counts: { firing: firing.length, new: count('new'), changed: count('changed'), resolved: count('resolved') },
    severity: severityOf(worstOf(firing.map(([{ status }]) => status))),
    told: changed.flatMap(([member]) => (isLast(member) ? [] : [member])),
    leaves,
    held: held.filter(({ told }) => told !== 'held'),
    hasUntold,
  };
}

function isLast({ isOver, isPassing }: GroupedState): boolean {
  return isOver || isPassing;
}

/** Limits the list, but keeps at least one event, whatever its size. */
function withinLimits<Member extends TurnMember>(
  shown: readonly (readonly [Member, GroupChange])[],
  { events, bytes }: TurnLimits,
): (readonly [Member, GroupChange])[] {
  let sum = 0;
  const end = shown.findIndex(([member], at) => {
    sum += member.bytes;
    return at > 0 && (at >= events || sum > bytes);
  });
  return end === -1 ? [...shown] : shown.slice(0, end);
}

const SEVERITY_ORDER: Readonly<Record<Severity, number>> = { critical: 0, unknown: 1, warning: 2, ok: 3 };
/** Sort order: new and changed problems first, then resolved ones, then unchanged ones. */
const RESOLVED_RANK = 10;
const KNOWN_RANK = 20;

function byNews(
  [a, aChange]: readonly [TurnMember, GroupChange],
  [b, bChange]: readonly [TurnMember, GroupChange],
): number {
  const rank = rankOf(a, aChange) - rankOf(b, bChange);
  return rank !== 0 ? rank : compareText(a.client, b.client) || compareText(a.check, b.check);
}

function rankOf({ status }: TurnMember, change: GroupChange): number {
  if (change === 'resolved') return RESOLVED_RANK;
  return SEVERITY_ORDER[severityOf(status)] + (change === 'same' ? KNOWN_RANK : 0);
}

export function worstOf(statuses: readonly number[]): number {
  return statuses.reduce(
    (worst, status) => (SEVERITY_ORDER[severityOf(status)] < SEVERITY_ORDER[severityOf(worst)] ? status : worst),
    0,
  );
}

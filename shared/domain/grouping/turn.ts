import type { Event } from '../../schemas/event.ts';
import { GROUP_INTERVAL, GROUP_LIMIT, GROUP_WAIT, REPEAT_INTERVAL, type GroupChange } from '../../schemas/grouping.ts';
import type { HandledEvent } from '../../schemas/handler-job.ts';
import type { RunningHandler } from '../../schemas/handler.ts';
import { compareText } from '../compare-text.ts';
import { severityOf, type Severity } from '../severity.ts';

/** How often a group that is never told again is looked through for what has gone. */
const SWEEP_MS = 3_600_000;

/** Bytes of JSON of the events of one run: whatever takes it has bounds of its own. */
export const GROUP_BYTES_MAX = 1024 * 1024;

/** When a group has its turns. */
export interface GroupTimes {
  readonly waitMs: number;
  readonly intervalMs: number;
  /** 0: never. */
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

/** What the turns of a group go by. Epoch milliseconds. */
export interface GroupPace {
  /** Since when there is something to tell; undefined: there is nothing. */
  readonly untoldSinceMs: number | undefined;
  /** Its last turn, whether or not it was told; undefined: there was none. */
  readonly turnAtMs: number | undefined;
  /** Its last run. */
  readonly toldAtMs: number | undefined;
}

/** When a group has its next turn (grouping 2). */
export function dueAtMs({ untoldSinceMs, turnAtMs = 0, toldAtMs = turnAtMs }: GroupPace, times: GroupTimes): number {
  const restedMs = turnAtMs + times.intervalMs;
  if (untoldSinceMs !== undefined) return Math.max(untoldSinceMs + times.waitMs, turnAtMs === 0 ? 0 : restedMs);
  return times.repeatMs === 0 ? turnAtMs + SWEEP_MS : Math.max(toldAtMs + times.repeatMs, restedMs);
}

export function isRepeatDue({ toldAtMs }: GroupPace, { repeatMs }: GroupTimes, nowMs: number): boolean {
  return repeatMs > 0 && toldAtMs !== undefined && toldAtMs + repeatMs <= nowMs;
}

/**
 * What was told of an event of a group last: its status; `again`: it was told and has to be once more, because the
 * silence ended that kept it back; `held`: an inhibition kept it back, and it is told when it comes again. Undefined:
 * nothing.
 */
export type Told = number | 'again' | 'held' | undefined;

/** An event of a group as the rules see it. */
export interface GroupedState {
  readonly eventId: string;
  readonly status: number;
  /** Its problem is over. */
  readonly isOver: boolean;
  /** It is stored nowhere else, such as a registration: told once, and forgotten. */
  readonly isPassing: boolean;
  readonly told: Told;
}

/**
 * What is known of an event of a group once it came again.
 *
 * @param isStored whether it is stored as an open event, or ends one
 * @returns undefined: nothing, for its problem was over before anybody was told of it
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

/** What was told of an event that is known by two names: by the first, unless nobody was told by that. */
export function toldByEither(first: Told, second: Told): Told {
  return isUntold(first) && !isUntold(second) ? second : first;
}

function isUntold(told: Told): boolean {
  return told === undefined || told === 'held';
}

/** Whether a group has something to tell of an event, as far as that is known before its turn. */
export function isNews(state: GroupedState): boolean {
  return state.told !== 'held' && changeOf(state) !== 'same';
}

/** What is to be told of an event of a group. */
export function changeOf({ isOver, status, told }: GroupedState): GroupChange {
  if (isOver) return 'resolved';
  if (isUntold(told)) return 'new';
  return told === status ? 'same' : 'changed';
}

/**
 * How an event stands when its group has its turn. `gone`: it was deleted, or ended without a word to the handler;
 * `silenced`, `inhibited`: nobody is to hear of it now.
 */
export type Presence = 'open' | 'gone' | 'silenced' | 'inhibited';

export interface TurnMember extends GroupedState {
  readonly client: string;
  readonly check: string;
  /** Of its JSON. */
  readonly bytes: number;
}

interface TurnLimits {
  readonly isRepeatDue: boolean;
  readonly events: number;
  readonly bytes: number;
}

/** What the turn of a group comes to. */
export interface Turn<Member> {
  /** Undefined: there is nothing to tell. */
  readonly cause: 'change' | 'repeat' | undefined;
  /** What is told, in order, within the limits. */
  readonly listed: readonly (readonly [Member, GroupChange])[];
  readonly omitted: number;
  readonly counts: {
    readonly firing: number;
    readonly new: number;
    readonly changed: number;
    readonly resolved: number;
  };
  /** The worst of what persists; `ok`: nothing does. */
  readonly severity: Severity;
  /** Told by this turn for the first time, or with another status, and to be remembered so. */
  readonly told: readonly Member[];
  /** No part of the group from here on. */
  readonly leaves: readonly Member[];
  /** Kept back by an inhibition from here on. */
  readonly held: readonly Member[];
  /** Whether something is still to be told that a silence keeps back. */
  readonly hasUntold: boolean;
}

/** Takes the turn of a group (grouping 2 and 3). */
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

/** At least one, whatever its size. */
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
/** Behind problems that are news come those that are over, then those that are known. */
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

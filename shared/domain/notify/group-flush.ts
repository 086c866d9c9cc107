import { GROUP_LIMIT, type GroupChange } from '../../schemas/grouping.ts';
import type { RunningHandler } from '../../schemas/handler.ts';
import { compareText } from '../compare-text.ts';
import { severityOf, type Severity } from '../severity.ts';
import { changeSinceNotified, hasPendingChange, wasNeverNotified, type MemberState } from './group-member.ts';

/**
 * Maximum total size of the events in one group notification, in characters of JSON, because receivers limit the size
 * of a request. A single event is sent even if it is larger.
 */
export const GROUP_NOTIFICATION_SIZE_MAX = 1024 * 1024;

export function groupLimit(handler: Pick<RunningHandler, 'group_limit'>): number {
  return handler.group_limit ?? GROUP_LIMIT;
}

/**
 * The state of an event when its group is flushed:
 *
 * - `open`: the notification may include the event.
 * - `gone`: the event is no longer open, and the group does not contain its resolution.
 * - `silenced`, `inhibited`, `acknowledged`: a silence, an inhibition or an acknowledgement suppresses the event now.
 */
export type StateAtFlush = 'open' | 'gone' | 'silenced' | 'inhibited' | 'acknowledged';

export interface MemberToFlush extends MemberState {
  readonly client: string;
  readonly check: string;
  /** The size of the stored event, in characters of JSON. */
  readonly jsonLength: number;
}

interface FlushOptions {
  readonly isRepeatDue: boolean;
  readonly eventCountMax: number;
  readonly jsonLengthMax: number;
}

/** The outcome of a flush of a group: the notification to send, if any, and the changes to the members of the group. */
export interface GroupFlush<Member> {
  /** The cause of the notification: an event has changed, or a repeat is due. Undefined if no notification is sent. */
  readonly cause: 'change' | 'repeat' | undefined;
  /** The events to list in the notification, sorted and limited, each with its change since it was last notified. */
  readonly listedMembers: readonly (readonly [Member, GroupChange])[];
  readonly omitted: number;
  readonly counts: {
    readonly firing: number;
    readonly new: number;
    readonly changed: number;
    readonly resolved: number;
  };
  /** The worst severity of the firing events, listed or omitted; `ok` if no event is firing. */
  readonly severity: Severity;
  /**
   * The new and changed events in the notification, listed or omitted, that stay in the group. The record of their last
   * notification must be updated.
   */
  readonly notifiedMembers: readonly Member[];
  /**
   * The events to remove from the group: events that are no longer open, and resolved or transient events in the
   * notification.
   */
  readonly leavingMembers: readonly Member[];
  /**
   * The events to mark as inhibited: an inhibition suppresses them now, and the handler was never notified of them.
   * Later flushes skip a marked event until its next result that passes all decision stages.
   */
  readonly newlyInhibitedMembers: readonly Member[];
  /**
   * True if the notification of at least one event stays pending after the flush. Either the event is silenced now, or
   * it is inhibited now and the handler was notified of it before.
   */
  readonly hasPendingNotification: boolean;
}

/**
 * Computes the outcome of a flush of a group, without side effects (spec, grouping 2 and 3).
 *
 * @param stateAtFlush callback that returns the current state of a member; not called for resolved and transient events
 */
export function computeGroupFlush<Member extends MemberToFlush>(
  members: Iterable<Member>,
  stateAtFlush: (member: Member) => StateAtFlush,
  limits: FlushOptions,
): GroupFlush<Member> {
  const {
    includedMembers: shown,
    goneMembers: gone,
    newlyInhibitedMembers,
    hasPendingNotification,
  } = partitionMembers(members, stateAtFlush);
  const changed = shown.filter(([, change]) => change !== 'same');
  const firing = shown.filter(([{ isResolved }]) => !isResolved);
  const isRepeat = limits.isRepeatDue && firing.length > 0;
  const cause = changed.length > 0 ? 'change' : isRepeat ? 'repeat' : undefined;
  const listedMembers = cause === undefined ? [] : truncateToLimits(shown.toSorted(compareByChange), limits);
  const count = (kind: GroupChange): number => shown.filter(([, change]) => change === kind).length;
  const membersNotifiedLast = shown.flatMap(([member]) => (leavesAfterNotification(member) ? [member] : []));
  return {
    cause,
    listedMembers,
    omitted: cause === undefined ? 0 : shown.length - listedMembers.length,
    counts: { firing: firing.length, new: count('new'), changed: count('changed'), resolved: count('resolved') },
    severity: severityOf(worstStatus(firing.map(([{ status }]) => status))),
    notifiedMembers: changed.flatMap(([member]) => (leavesAfterNotification(member) ? [] : [member])),
    leavingMembers: cause === undefined ? gone : [...gone, ...membersNotifiedLast],
    newlyInhibitedMembers,
    hasPendingNotification,
  };
}

/**
 * Divides the members of a group by what a flush does with them: include them in the notification, remove them because
 * they are no longer open, or mark them as inhibited. All other members stay unchanged.
 */
function partitionMembers<Member extends MemberToFlush>(
  members: Iterable<Member>,
  stateAtFlush: (member: Member) => StateAtFlush,
): Pick<GroupFlush<Member>, 'newlyInhibitedMembers' | 'hasPendingNotification'> & {
  readonly includedMembers: readonly (readonly [Member, GroupChange])[];
  readonly goneMembers: readonly Member[];
} {
  const shown: (readonly [Member, GroupChange])[] = [];
  const gone: Member[] = [];
  const newlyInhibitedMembers: Member[] = [];
  let hasPendingNotification = false;
  for (const member of members) {
    const memberState = leavesAfterNotification(member) ? 'open' : stateAtFlush(member);
    if (memberState === 'gone') gone.push(member);
    else if (memberState === 'open' && (leavesAfterNotification(member) || member.lastNotified !== 'inhibited')) {
      shown.push([member, changeSinceNotified(member)]);
    } else if (memberState === 'inhibited' && wasNeverNotified(member.lastNotified)) {
      if (member.lastNotified !== 'inhibited') newlyInhibitedMembers.push(member);
    } else if (hasPendingChange(member)) hasPendingNotification = true;
  }
  return { includedMembers: shown, goneMembers: gone, newlyInhibitedMembers, hasPendingNotification };
}

function leavesAfterNotification({ isResolved, isTransient }: MemberState): boolean {
  return isResolved || isTransient;
}

/** Truncates a list of events to the limits on number and total size, but always keeps the first event. */
function truncateToLimits<Member extends MemberToFlush>(
  shown: readonly (readonly [Member, GroupChange])[],
  { eventCountMax: events, jsonLengthMax: bytes }: FlushOptions,
): (readonly [Member, GroupChange])[] {
  let sum = 0;
  const end = shown.findIndex(([member], index) => {
    sum += member.jsonLength;
    return index > 0 && (index >= events || sum > bytes);
  });
  return end === -1 ? [...shown] : shown.slice(0, end);
}

const SEVERITY_ORDER: Readonly<Record<Severity, number>> = { critical: 0, unknown: 1, warning: 2, ok: 3 };
/**
 * Sort ranks of the events in a notification. New and changed problems come first, by severity; then resolved problems;
 * then unchanged problems, by severity.
 */
const RESOLVED_SORT_RANK = 10;
const UNCHANGED_SORT_RANK = 20;

function compareByChange(
  [a, aChange]: readonly [MemberToFlush, GroupChange],
  [b, bChange]: readonly [MemberToFlush, GroupChange],
): number {
  const rank = sortRank(a, aChange) - sortRank(b, bChange);
  return rank !== 0 ? rank : compareText(a.client, b.client) || compareText(a.check, b.check);
}

function sortRank({ status }: MemberToFlush, change: GroupChange): number {
  if (change === 'resolved') return RESOLVED_SORT_RANK;
  return SEVERITY_ORDER[severityOf(status)] + (change === 'same' ? UNCHANGED_SORT_RANK : 0);
}

export function worstStatus(statuses: readonly number[]): number {
  return statuses.reduce(
    (worst, status) => (SEVERITY_ORDER[severityOf(status)] < SEVERITY_ORDER[severityOf(worst)] ? status : worst),
    0,
  );
}

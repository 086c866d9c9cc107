import {
  groupOutlook,
  inhibitedAtFlushReason,
  inhibitedOutlook,
  silencedOutlook,
} from '../../../../shared/domain/notify/group-outlook.ts';
import { groupId, groupKey, type GroupKey } from '../../../../shared/domain/notify/group-key.ts';
import { groupIntervals } from '../../../../shared/domain/notify/group-intervals.ts';
import { changeOf, nextMember } from '../../../../shared/domain/notify/group-member.ts';
import type { HandlerDecision } from '../../../../shared/domain/notify/pipeline.ts';
import { isGrouping, type RoutedHandler } from '../../../../shared/domain/notify/route.ts';
import { isRun } from '../../../../shared/domain/notify/verdict.ts';
import type { Event } from '../../../../shared/schemas/event.ts';
import type { HandlerVerdict } from '../../../../shared/schemas/explain.ts';
import type { GroupRow } from '../../../../shared/schemas/grouping.ts';
import type { Definitions } from '../../model/config/definitions.ts';
import type { Namespace } from '../../model/registry/namespace.ts';
import type { Occurrence } from '../occurrence.ts';
import { groupsOf, type Group, type GroupMember } from '../../model/notify/groups/state.ts';

/** The event that `explain` or `simulate` shows verdicts about. */
interface Handled {
  readonly namespace: Namespace;
  readonly event: Event;
  readonly nowMs: number;
  /** True if the event belongs to a simulated result; absent for a stored event. */
  readonly isAssumed?: boolean;
}

/**
 * Returns the verdicts of the decisions about an event. For a handler with `group_by`, a verdict also has the group of
 * the event, and a reason that says what the group does with it.
 */
export function verdictsWithGroups(decisions: readonly HandlerDecision[], handled: Handled): HandlerVerdict[] {
  return decisions.map(({ handler, verdict, effect }) => {
    if (handler.kind !== 'handler' || !isGrouping(handler)) return verdict;
    if (isRun(verdict)) return inGroup(verdict, handler, handled);
    if (verdict.verdict === 'silenced') return silencedInGroup(verdict, handler, handled);
    if (verdict.verdict !== 'inhibited') return verdict;
    return inhibitedInGroup(verdict, handler, effect === 'suppressed by inhibition', handled);
  });
}

type Routed = Extract<RoutedHandler, { readonly kind: 'handler' }>;

function inGroup(
  verdict: HandlerVerdict,
  { name, definition }: Routed,
  { namespace, event, nowMs, isAssumed = false }: Handled,
): HandlerVerdict {
  const key = groupKey(definition?.group_by ?? [], event);
  const groups = groupsOf(namespace);
  const member = groups.member(name, event.client.name, event.check.name);
  const group = groups.get(name, key.key);
  const others = othersIn(group, member);
  if (member?.lastNotified === 'inhibited' && !isAssumed) {
    return {
      ...verdict,
      reason: inhibitedAtFlushReason(key, others),
      group: groupView(namespace, name, key, others, undefined),
    };
  }
  const next = nextMember(member, event, true);
  const { reason, dueAtMs } = groupOutlook(
    { key, times: group ?? member?.group, others, change: next && changeOf(next) },
    groupIntervals(definition ?? {}),
    nowMs,
  );
  return { ...verdict, reason, group: groupView(namespace, name, key, others, dueAtMs) };
}

/**
 * Returns the verdict about an inhibited event. If a group contains the event, the verdict also has that group. Its
 * reason also says what the group does with the event.
 *
 * @param isSuppressed true if the handler would be notified without the inhibition
 */
function inhibitedInGroup(
  verdict: HandlerVerdict,
  { name, definition }: Routed,
  isSuppressed: boolean,
  { namespace, event, nowMs }: Handled,
): HandlerVerdict {
  if (event.action === 'resolve') return verdict;
  const groups = groupsOf(namespace);
  const member = groups.member(name, event.client.name, event.check.name);
  if (member === undefined && !isSuppressed) return verdict;
  const key = member?.group ?? groupKey(definition?.group_by ?? [], event);
  const group = groups.get(name, key.key);
  const others = othersIn(group, member);
  const { reason, dueAtMs } = inhibitedOutlook(
    { key, times: group, others, change: member && changeOf(member) },
    member === undefined ? 'apart' : member.lastNotified,
    groupIntervals(definition ?? {}),
    nowMs,
  );
  return {
    ...verdict,
    reason: `${verdict.reason}; ${reason}`,
    ...(member !== undefined && { group: groupView(namespace, name, key, others, dueAtMs) }),
  };
}

/**
 * Returns the verdict about a silenced event. If a group contains the event, the verdict also has that group, and its
 * reason also says what the group does with the event.
 */
function silencedInGroup(verdict: HandlerVerdict, { name }: Routed, { namespace, event }: Handled): HandlerVerdict {
  const member = groupsOf(namespace).member(name, event.client.name, event.check.name);
  if (member === undefined || member.isResolved || event.action === 'resolve') return verdict;
  const { group, lastNotified } = member;
  const others = othersIn(group, member);
  const { reason } = silencedOutlook({ key: group, times: group, others, change: changeOf(member) }, lastNotified);
  const view = groupView(namespace, name, group, others, undefined);
  return { ...verdict, reason: `${verdict.reason}; ${reason}`, group: view };
}

/**
 * Returns the handlers whose groups contain a firing problem, without those that its resolution is routed to. They get
 * the resolution as well, because their groups record whether they were notified of the problem.
 *
 * @param handlers the handlers that the resolution is routed to
 */
export function handlersOfGroups(
  definitions: Pick<Definitions, 'in'>,
  { client, check }: Pick<Occurrence, 'client' | 'check'>,
  handlers: readonly RoutedHandler[],
): readonly RoutedHandler[] {
  const groups = groupsOf(client.namespace);
  if (groups.size === 0) return NONE;
  const own = definitions.in(client.namespace.name);
  return groups.membersOf(client.name, check.name).flatMap(({ handler: name, isResolved, isTransient }) => {
    const definition = own.handler(name);
    const isAdditional = !isResolved && !isTransient && !handlers.some((handler) => handler.name === name);
    if (!isAdditional || definition === undefined || definition.type === 'set') return [];
    return [{ kind: 'handler' as const, name, definition }];
  });
}

const NONE: readonly never[] = [];

function groupView(
  namespace: Namespace,
  handler: string,
  { key, by }: GroupKey,
  others: number,
  dueAtMs: number | undefined,
): NonNullable<HandlerVerdict['group']> {
  const due = dueAtMs === undefined ? null : Math.ceil(dueAtMs / 1000);
  return { id: groupId(namespace.name, handler, key), by: Object.fromEntries(by), events: others + 1, due_at: due };
}

/** Returns the number of other events in a group, without those that wait for their next result. */
function othersIn(group: Group | undefined, member: GroupMember | undefined): number {
  return shownIn(group).filter((other) => other !== member).length;
}

/** Returns the events of a group, without those that were inhibited at a flush and wait for their next result. */
function shownIn(group: Group | undefined): readonly GroupMember[] {
  return group === undefined
    ? []
    : [...group.members.values()].filter(({ lastNotified }) => lastNotified !== 'inhibited');
}

/**
 * Returns a group in the format of the API and the feed.
 *
 * @param dueMs epoch milliseconds of its next flush
 */
export function groupRow(group: Group, dueMs: number): GroupRow {
  const { namespace, handler, id, by, tally, notifiedAtMs } = group;
  return {
    namespace,
    handler,
    id,
    by: Object.fromEntries(by),
    firing: tally.firing,
    pending: tally.waiting,
    worst: tally.worst,
    notified_at: notifiedAtMs === undefined ? null : Math.floor(notifiedAtMs / 1000),
    due_at: Math.ceil(dueMs / 1000),
  };
}

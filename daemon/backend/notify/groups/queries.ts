import {
  predictNotification,
  inhibitedAtFlushReason,
  predictNotificationWhileInhibited,
  predictNotificationWhileSilenced,
} from '../../../../shared/domain/notify/group-outlook.ts';
import { computeGroupId, computeGroupKey, type GroupKey } from '../../../../shared/domain/notify/group-key.ts';
import { groupIntervals } from '../../../../shared/domain/notify/group-intervals.ts';
import {
  changeSinceNotified,
  hasPendingChange,
  nextMemberState,
} from '../../../../shared/domain/notify/group-member.ts';
import type { HandlerDecision } from '../../../../shared/domain/notify/decide-for-handler.ts';
import { isGroupingHandler, type RoutedHandler } from '../../../../shared/domain/notify/route.ts';
import { leadsToRun } from '../../../../shared/domain/notify/verdict.ts';
import type { Event } from '../../../../shared/schemas/event.ts';
import type { HandlerVerdict } from '../../../../shared/schemas/explain.ts';
import { isRunningHandler } from '../../../../shared/schemas/handler.ts';
import type { GroupRow } from '../../../../shared/schemas/grouping.ts';
import type { Definitions } from '../../model/config/definitions.ts';
import type { Namespace } from '../../model/registry/namespace.ts';
import type { Occurrence } from '../event-occurrence.ts';
import { groupsOf, type Group, type GroupMember } from '../../model/notify/groups/state.ts';

/** The event whose verdicts `explain` or `simulate` shows. */
interface EvaluatedEvent {
  readonly namespace: Namespace;
  readonly event: Event;
  readonly nowMs: number;
  /** True if the event belongs to a simulated result; absent for a stored event. */
  readonly isSimulated?: boolean;
}

/**
 * Returns the verdicts about an event. The verdict of a handler with `group_by` also has the group of the event, and
 * its reason says what the group does with the event.
 */
export function verdictsWithGroups(
  decisions: readonly HandlerDecision[],
  evaluatedEvent: EvaluatedEvent,
): HandlerVerdict[] {
  return decisions.map(({ handler, verdict, effect }) => {
    if (handler.kind !== 'handler' || !isGroupingHandler(handler)) return verdict;
    if (leadsToRun(verdict)) return verdictInGroup(verdict, handler, evaluatedEvent);
    if (verdict.verdict === 'silenced') return silencedVerdictInGroup(verdict, handler, evaluatedEvent);
    if (verdict.verdict !== 'inhibited') return otherVerdictInGroup(verdict, handler, evaluatedEvent);
    return inhibitedVerdictInGroup(verdict, handler, effect === 'suppressed by inhibition', evaluatedEvent);
  });
}

type RunnableHandler = Extract<RoutedHandler, { readonly kind: 'handler' }>;

function verdictInGroup(
  verdict: HandlerVerdict,
  { name, definition }: RunnableHandler,
  { namespace, event, nowMs, isSimulated = false }: EvaluatedEvent,
): HandlerVerdict {
  const key = computeGroupKey(definition?.group_by ?? [], event);
  const groups = groupsOf(namespace);
  const member = groups.member(name, event.client.name, event.check.name);
  const group = groups.get(name, key.key);
  const otherEventCount = countOtherMembers(group, member);
  if (member?.lastNotified === 'inhibited' && !isSimulated) {
    return {
      ...verdict,
      reason: inhibitedAtFlushReason(key, otherEventCount),
      group: groupView(namespace, name, key, otherEventCount, undefined),
    };
  }
  const next = nextMemberState(member, event, true);
  const { reason, dueAtMs } = predictNotification(
    { key, times: group ?? member?.group, otherEventCount, change: next && changeSinceNotified(next) },
    groupIntervals(definition ?? {}),
    nowMs,
  );
  return { ...verdict, reason, group: groupView(namespace, name, key, otherEventCount, dueAtMs) };
}

/**
 * Returns the verdict about an inhibited event and a handler with `group_by`. If a group contains the event, the
 * verdict also has that group. The reason also says what the group does with the event.
 *
 * @param isSuppressed true if the handler would be notified without the inhibition
 */
function inhibitedVerdictInGroup(
  verdict: HandlerVerdict,
  { name, definition }: RunnableHandler,
  isSuppressed: boolean,
  { namespace, event, nowMs }: EvaluatedEvent,
): HandlerVerdict {
  if (event.action === 'resolve') return verdict;
  const groups = groupsOf(namespace);
  const member = groups.member(name, event.client.name, event.check.name);
  if (member === undefined && !isSuppressed) return verdict;
  const key = member?.group ?? computeGroupKey(definition?.group_by ?? [], event);
  const group = groups.get(name, key.key);
  const otherEventCount = countOtherMembers(group, member);
  const { reason, dueAtMs } = predictNotificationWhileInhibited(
    { key, times: group, otherEventCount, change: member && changeSinceNotified(member) },
    member === undefined ? 'apart' : member.lastNotified,
    groupIntervals(definition ?? {}),
    nowMs,
  );
  return {
    ...verdict,
    reason: `${verdict.reason}; ${reason}`,
    ...(member !== undefined && { group: groupView(namespace, name, key, otherEventCount, dueAtMs) }),
  };
}

/**
 * Returns the verdict about a silenced event and a handler with `group_by`. If a group contains the event, the verdict
 * also has that group, and the reason also says what the group does with the event.
 */
function silencedVerdictInGroup(
  verdict: HandlerVerdict,
  { name }: RunnableHandler,
  { namespace, event }: EvaluatedEvent,
): HandlerVerdict {
  const member = groupsOf(namespace).member(name, event.client.name, event.check.name);
  if (member === undefined || member.isResolved || event.action === 'resolve') return verdict;
  const { group, lastNotified } = member;
  const otherEventCount = countOtherMembers(group, member);
  const { reason } = predictNotificationWhileSilenced(
    { key: group, times: group, otherEventCount, change: changeSinceNotified(member) },
    lastNotified,
  );
  const view = groupView(namespace, name, group, otherEventCount, undefined);
  return { ...verdict, reason: `${verdict.reason}; ${reason}`, group: view };
}

/**
 * Returns the verdict about an event and a handler with `group_by` that would not get the event now, for example
 * because a filter rejects it. If a group contains the event, an earlier notification can still be pending there: the
 * verdict then has that group, and the reason also says when the group is notified.
 */
function otherVerdictInGroup(
  verdict: HandlerVerdict,
  { name, definition }: RunnableHandler,
  { namespace, event, nowMs, isSimulated = false }: EvaluatedEvent,
): HandlerVerdict {
  const member = groupsOf(namespace).member(name, event.client.name, event.check.name);
  if (member === undefined || member.isResolved || event.action === 'resolve' || isSimulated) return verdict;
  const { group } = member;
  const otherEventCount = countOtherMembers(group, member);
  // At a flush, a group leaves out acknowledged events, so there is no time to show.
  if (!hasPendingChange(member) || verdict.verdict === 'acknowledged') {
    return { ...verdict, group: groupView(namespace, name, group, otherEventCount, undefined) };
  }
  const { reason, dueAtMs } = predictNotification(
    { key: group, times: group, otherEventCount, change: changeSinceNotified(member) },
    groupIntervals(definition ?? {}),
    nowMs,
  );
  const view = groupView(namespace, name, group, otherEventCount, dueAtMs);
  return { ...verdict, reason: `${verdict.reason}; ${reason}`, group: view };
}

/**
 * Returns the handlers that must get a resolution although it is not routed to them, because one of their groups
 * contains the problem. If such a handler was not notified of the problem yet, the resolution only removes the problem
 * from the group.
 *
 * @param handlers the handlers that the resolution is routed to
 */
export function handlersWithGroupedProblem(
  definitions: Pick<Definitions, 'inNamespace'>,
  { client, check }: Pick<Occurrence, 'client' | 'check'>,
  handlers: readonly RoutedHandler[],
): readonly RoutedHandler[] {
  const groups = groupsOf(client.namespace);
  if (groups.size === 0) return NO_ROWS;
  const namespaceDefinitions = definitions.inNamespace(client.namespace.name);
  return groups.membersOf(client.name, check.name).flatMap(({ handler: name, isResolved, isTransient }) => {
    const definition = namespaceDefinitions.handler(name);
    const isAdditional = !isResolved && !isTransient && !handlers.some((handler) => handler.name === name);
    if (!isAdditional || definition === undefined || !isRunningHandler(definition)) return [];
    return [{ kind: 'handler' as const, name, definition }];
  });
}

const NO_ROWS: readonly never[] = [];

function groupView(
  namespace: Namespace,
  handler: string,
  { key, by }: GroupKey,
  otherEventCount: number,
  dueAtMs: number | undefined,
): NonNullable<HandlerVerdict['group']> {
  const due = dueAtMs === undefined ? null : Math.ceil(dueAtMs / 1000);
  return {
    id: computeGroupId(namespace.name, handler, key),
    by: Object.fromEntries(by),
    events: otherEventCount + 1,
    due_at: due,
  };
}

/**
 * Returns the number of other events in a group. Events that a flush marked as inhibited do not count until their next
 * result.
 */
function countOtherMembers(group: Group | undefined, member: GroupMember | undefined): number {
  return membersNotInhibitedAtFlush(group).filter((other) => other !== member).length;
}

/**
 * Returns the events of a group, without those that a flush marked as inhibited and that wait for their next result.
 */
function membersNotInhibitedAtFlush(group: Group | undefined): readonly GroupMember[] {
  return group === undefined
    ? []
    : [...group.members.values()].filter(({ lastNotified }) => lastNotified !== 'inhibited');
}

/**
 * Returns a group in the format of the API and the feed.
 *
 * @param dueMs the time of the next flush of the group, in epoch milliseconds
 */
export function groupRow(group: Group, dueMs: number): GroupRow {
  const { namespace, handler, id, by, tally, notifiedAtMs } = group;
  return {
    namespace,
    handler,
    id,
    by: Object.fromEntries(by),
    firing: tally.firingCount,
    pending: tally.pendingCount,
    worst: tally.worstSeverity,
    notified_at: notifiedAtMs === undefined ? null : Math.floor(notifiedAtMs / 1000),
    due_at: Math.ceil(dueMs / 1000),
  };
}

import {
  groupOutlook,
  heldReason,
  quietOutlook,
  silencedOutlook,
} from '../../../../shared/domain/notify/group-outlook.ts';
import { groupId, groupPlace, type GroupPlace } from '../../../../shared/domain/notify/group-key.ts';
import { changeOf, groupTimes, nextGrouped } from '../../../../shared/domain/notify/group-flush.ts';
import { isGrouping, isRun, type RoutedHandler } from '../../../../shared/domain/notify/verdict.ts';
import type { Event } from '../../../../shared/schemas/event.ts';
import type { HandlerVerdict } from '../../../../shared/schemas/explain.ts';
import type { GroupRow } from '../../../../shared/schemas/grouping.ts';
import type { Namespace } from '../../registry/namespace.ts';
import { groupsOf, type Group, type GroupMember } from './state.ts';

/** An event, as its handlers see it. */
interface Handled {
  readonly namespace: Namespace;
  readonly event: Event;
  readonly nowMs: number;
  /** The verdicts without the inhibition; absent if the event is not inhibited. */
  readonly uninhibited?: readonly HandlerVerdict[] | undefined;
  /** True if the event assumes a result that did not arrive; absent for the event as it is. */
  readonly isAssumed?: boolean;
}

/** Returns the verdicts of handlers about an event, with the groups in which it is pending or would be. */
export function withGroups(
  verdicts: readonly HandlerVerdict[],
  routed: readonly RoutedHandler[],
  handled: Handled,
): HandlerVerdict[] {
  return verdicts.map((verdict) => {
    const handler = routed.find(({ name }) => name === verdict.handler);
    if (handler?.kind !== 'handler' || !isGrouping(handler)) return verdict;
    if (isRun(verdict)) return inGroup(verdict, handler, handled);
    if (verdict.verdict === 'silenced') return silencedInGroup(verdict, handler, handled);
    return verdict.verdict === 'inhibited' ? quietInGroup(verdict, handler, handled) : verdict;
  });
}

type Routed = Extract<RoutedHandler, { readonly kind: 'handler' }>;

function inGroup(
  verdict: HandlerVerdict,
  { name, definition }: Routed,
  { namespace, event, nowMs, isAssumed = false }: Handled,
): HandlerVerdict {
  const place = groupPlace(definition?.group_by ?? [], event);
  const groups = groupsOf(namespace);
  const member = groups.member(name, event.client.name, event.check.name);
  const group = groups.get(name, place.key);
  const others = othersIn(group, member);
  if (member?.told === 'held' && !isAssumed) {
    return {
      ...verdict,
      reason: heldReason(place, others),
      group: groupView(namespace, name, place, others, undefined),
    };
  }
  const next = nextGrouped(member, event, true);
  const { reason, dueAtMs } = groupOutlook(
    { place, pace: group ?? member?.group, others, change: next && changeOf(next) },
    groupTimes(definition ?? {}),
    nowMs,
  );
  return { ...verdict, reason, group: groupView(namespace, name, place, others, dueAtMs) };
}

/** Adds the group of an inhibited event to a verdict, and when the group notifies it once the inhibition lifts. */
function quietInGroup(
  verdict: HandlerVerdict,
  { name, definition }: Routed,
  { namespace, event, nowMs, uninhibited = [] }: Handled,
): HandlerVerdict {
  if (event.action === 'resolve') return verdict;
  const groups = groupsOf(namespace);
  const member = groups.member(name, event.client.name, event.check.name);
  const isToRun = uninhibited.some((free) => free.handler === name && isRun(free));
  if (member === undefined && !isToRun) return verdict;
  const place = member?.group ?? groupPlace(definition?.group_by ?? [], event);
  const group = groups.get(name, place.key);
  const others = othersIn(group, member);
  const { reason, dueAtMs } = quietOutlook(
    { place, pace: group, others, change: member && changeOf(member) },
    member === undefined ? 'apart' : member.told,
    groupTimes(definition ?? {}),
    nowMs,
  );
  return {
    ...verdict,
    reason: `${verdict.reason}; ${reason}`,
    ...(member !== undefined && { group: groupView(namespace, name, place, others, dueAtMs) }),
  };
}

/** Adds the group of a silenced event to a verdict, and what happens to the event there. */
function silencedInGroup(verdict: HandlerVerdict, { name }: Routed, { namespace, event }: Handled): HandlerVerdict {
  const member = groupsOf(namespace).member(name, event.client.name, event.check.name);
  if (member === undefined || member.isOver || event.action === 'resolve') return verdict;
  const { group, told } = member;
  const others = othersIn(group, member);
  const { reason } = silencedOutlook({ place: group, pace: group, others, change: changeOf(member) }, told);
  const view = groupView(namespace, name, group, others, undefined);
  return { ...verdict, reason: `${verdict.reason}; ${reason}`, group: view };
}

function groupView(
  namespace: Namespace,
  handler: string,
  { key, by }: GroupPlace,
  others: number,
  dueAtMs: number | undefined,
): NonNullable<HandlerVerdict['group']> {
  const due = dueAtMs === undefined ? null : Math.ceil(dueAtMs / 1000);
  return { id: groupId(namespace.name, handler, key), by: Object.fromEntries(by), events: others + 1, due_at: due };
}

function othersIn(group: Group | undefined, member: GroupMember | undefined): number {
  return shownIn(group).filter((other) => other !== member).length;
}

/** Returns the events of a group that are not held until their next result. */
function shownIn(group: Group | undefined): readonly GroupMember[] {
  return group === undefined ? [] : [...group.members.values()].filter(({ told }) => told !== 'held');
}

/** Returns a group as the API shows it. */
export function groupRow(group: Group, dueMs: number): GroupRow {
  const { namespace, handler, id, by, tally, toldAtMs } = group;
  return {
    namespace,
    handler,
    id,
    by: Object.fromEntries(by),
    firing: tally.firing,
    pending: tally.waiting,
    worst: tally.worst,
    notified_at: toldAtMs === undefined ? null : Math.floor(toldAtMs / 1000),
    due_at: Math.ceil(dueMs / 1000),
  };
}

import { groupOutlook } from '../../../shared/domain/grouping/outlook.ts';
import { groupId, groupPlace } from '../../../shared/domain/grouping/place.ts';
import { changeOf, groupTimes, nextGrouped } from '../../../shared/domain/grouping/turn.ts';
import { isGrouping, isRun, type RoutedHandler } from '../../../shared/domain/handling.ts';
import type { Event } from '../../../shared/schemas/event.ts';
import type { HandlerVerdict } from '../../../shared/schemas/explain.ts';
import type { GroupRow } from '../../../shared/schemas/grouping.ts';
import type { Namespace } from '../registry/namespace.ts';
import { groupsOf, type Group, type GroupMember } from './state.ts';

/** Verdicts of handlers about an event, with the groups in which it waits or would wait. */
export function withGroups(
  verdicts: readonly HandlerVerdict[],
  routed: readonly RoutedHandler[],
  { namespace, event, nowMs }: { readonly namespace: Namespace; readonly event: Event; readonly nowMs: number },
): HandlerVerdict[] {
  return verdicts.map((verdict) => {
    const handler = routed.find(({ name }) => name === verdict.handler);
    if (handler?.kind !== 'handler' || !isGrouping(handler) || !isRun(verdict)) return verdict;
    const names = handler.definition?.group_by ?? [];
    const place = groupPlace(names, event);
    const groups = groupsOf(namespace);
    const member = groups.member(handler.name, event.client.name, event.check.name);
    const group = groups.get(handler.name, place.key);
    const next = nextGrouped(member, event, true);
    const others = shownIn(group).filter((other) => other !== member).length;
    const { reason, dueAtMs } = groupOutlook(
      { place, pace: group ?? member?.group, others, change: next && changeOf(next) },
      groupTimes(handler.definition ?? {}),
      nowMs,
    );
    const id = groupId(namespace.name, handler.name, place.key);
    const due = dueAtMs === undefined ? null : Math.ceil(dueAtMs / 1000);
    return { ...verdict, reason, group: { id, by: Object.fromEntries(place.by), events: others + 1, due_at: due } };
  });
}

/** The events of a group that nothing holds back until they come again. */
function shownIn(group: Group | undefined): readonly GroupMember[] {
  return group === undefined ? [] : [...group.members.values()].filter(({ told }) => told !== 'held');
}

/** A group as the API shows it. */
export function groupRow(group: Group, dueMs: number): GroupRow {
  const { namespace, handler, id, by, tally, toldAtMs } = group;
  return {
    namespace,
    handler,
    id,
    by: Object.fromEntries(by),
    firing: tally.firing,
    waiting: tally.waiting,
    worst: tally.worst,
    told_at: toldAtMs === undefined ? null : Math.floor(toldAtMs / 1000),
    due_at: Math.ceil(dueMs / 1000),
  };
}

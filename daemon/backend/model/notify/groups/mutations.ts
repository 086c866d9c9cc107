import { computeGroupKey, isGroupedBy, type GroupKey } from '../../../../../shared/domain/notify/group-key.ts';
import { buildSingleEventGroup } from '../../../../../shared/domain/notify/group-document.ts';
import {
  hasPendingChange,
  nextMemberState,
  mergeLastNotified,
  type LastNotifiedStatus,
} from '../../../../../shared/domain/notify/group-member.ts';
import type { HandledEvent } from '../../../../../shared/schemas/handler-job.ts';
import { announceEvent } from '../../events/mutations.ts';
import { enqueueJob } from '../delivery/mutations.ts';
import type { Transaction } from '../../transaction/transaction.ts';
import type { Namespace } from '../../registry/namespace.ts';
import { Group, GroupMember, groupsOf, createGroupsToReschedule } from './state.ts';
import { GROUPED_EVENTS, LAST_NOTIFICATIONS, HANDLER_GROUPS } from './storage.ts';

/** Maximum number of groups of one handler. An event that would need one more group gets a handler run of its own. */
export const GROUPS_PER_HANDLER_MAX = 10_000;
/** Maximum number of events in one group. Each event beyond this limit gets a handler run of its own. */
export const GROUP_MEMBERS_MAX = 10_000;

/** The name of a handler with `group_by`, and the attribute names in its `group_by`. */
export interface GroupingHandler {
  readonly handlerName: string;
  readonly groupBy: readonly string[];
}

/**
 * Adds an event to its group, or updates the event there, in the commit of the event. If the event is a resolution and
 * no notification of the group has included the problem, the problem is removed from the group instead.
 *
 * @returns false if the caller must enqueue a run for this event, because its group is full or the handler has too many
 * groups
 */
export function addToGroup(
  transaction: Transaction,
  namespace: Namespace,
  { handlerName: name, groupBy }: GroupingHandler,
  event: HandledEvent,
): boolean {
  const { client, check } = event;
  const groups = groupsOf(namespace);
  const existing = groups.member(name, client.name, check.name);
  const openEvent = namespace.check(client.name, check.name)?.state.event;
  const nextState = nextMemberState(existing, event, openEvent?.id === event.id);
  if (nextState === undefined) {
    if (existing !== undefined) removeMember(transaction, namespace, existing);
    return true;
  }
  const group = getOrCreateGroup(namespace, name, computeGroupKey(groupBy, event), existing?.group);
  if (group === undefined || (existing?.group !== group && isGroupFull(group))) {
    // The caller enqueues a run for this event. If the event stayed in its previous group, the handler would be
    // notified of it twice.
    if (existing !== undefined) removeMember(transaction, namespace, existing);
    return false;
  }
  const member = ensureMember(transaction, namespace, group, existing, event);
  const { lastNotified } = member;
  member.setState(nextState);
  if (member.lastNotified !== lastNotified) saveLastNotified(transaction, namespace, member, member.lastNotified);
  transaction.writeRecord(GROUPED_EVENTS, member, event);
  if (hasPendingChange(member)) group.pendingSinceMs ??= transaction.nowMs;
  saveOrRemoveGroup(transaction, namespace, group);
  return true;
}

function isGroupFull({ members }: Group): boolean {
  return members.size >= GROUP_MEMBERS_MAX;
}

/**
 * Moves an event to its new group after `group_by` of the handler has changed. The record of the last notification of
 * the event is kept.
 *
 * @returns false if the event was not moved: its new group is full, the handler has too many groups, or the group is
 * the same as before
 */
export function moveMember(
  transaction: Transaction,
  namespace: Namespace,
  { handlerName: name, groupBy }: GroupingHandler,
  member: GroupMember,
): boolean {
  const event = transaction.body(GROUPED_EVENTS, member);
  const { pendingSinceMs = transaction.nowMs } = member.group;
  const group = getOrCreateGroup(namespace, name, computeGroupKey(groupBy, event), member.group);
  if (group === undefined || group === member.group || isGroupFull(group)) return false;
  ensureMember(transaction, namespace, group, member, event);
  transaction.writeRecord(GROUPED_EVENTS, member, event);
  if (hasPendingChange(member)) group.pendingSinceMs ??= pendingSinceMs;
  saveOrRemoveGroup(transaction, namespace, group);
  return true;
}

/**
 * Moves the events of a renamed check to the groups for the new name, with the records of their last notifications. If
 * an event cannot move because of a limit, and its notification is pending, the event gets a handler run of its own.
 */
export function renameMembers(
  transaction: Transaction,
  namespace: Namespace,
  { client, from, to }: { readonly client: string; readonly from: string; readonly to: string },
): void {
  const groups = groupsOf(namespace);
  const openEvent = namespace.check(client, to)?.state.event;
  for (const member of groups.membersOf(client, from)) {
    if (member.isTransient || !transaction.hasBody(GROUPED_EVENTS, member)) continue;
    // A group of the handler may already contain an event under the new name: a resolution that is not notified yet, or
    // a deleted event that no flush has removed yet. The open event of the check always replaces that event. Any other
    // event replaces it only if neither of the two is a resolution.
    const existing = groups.member(member.handler, client, to);
    const isOpen = member.eventId === openEvent?.id;
    if (existing !== undefined && !isOpen && (existing.isResolved || member.isResolved)) continue;
    const body = transaction.body(GROUPED_EVENTS, member);
    const event = { ...body, check: { ...body.check, name: to } };
    if (existing !== undefined) removeMember(transaction, namespace, existing);
    const { handler, group: oldGroup } = member;
    const groupBy = oldGroup.by.map(([name]) => name);
    const group = getOrCreateGroup(namespace, handler, computeGroupKey(groupBy, event), oldGroup);
    if (group === undefined || (group !== oldGroup && isGroupFull(group))) {
      const singleEventGroup = buildSingleEventGroup({ namespace: namespace.name, handler }, groupBy, event);
      if (hasPendingChange(member)) enqueueJob(transaction, namespace, handler, event, singleEventGroup);
    } else {
      const movedMember = new GroupMember(group, client, to);
      const { eventId, status, isResolved, isTransient, lastNotified } = member;
      movedMember.setState({
        eventId,
        status,
        isResolved,
        isTransient,
        lastNotified: mergeLastNotified(lastNotified, existing?.lastNotified),
      });
      groups.putMember(movedMember);
      transaction.writeRecord(GROUPED_EVENTS, movedMember, event);
      if (movedMember.lastNotified !== undefined)
        saveLastNotified(transaction, namespace, movedMember, movedMember.lastNotified);
      if (hasPendingChange(movedMember)) group.pendingSinceMs ??= oldGroup.pendingSinceMs ?? transaction.nowMs;
      saveOrRemoveGroup(transaction, namespace, group);
      announceOpenEvent(transaction, namespace, movedMember);
    }
    removeMember(transaction, namespace, member);
  }
}

/**
 * Merges the two open events that a renamed check has under its old and its new name. Each group keeps only the event
 * under the new name, so that the handler is notified of the problem once.
 */
export function mergeMembers(
  transaction: Transaction,
  namespace: Namespace,
  {
    client,
    from,
    to,
    eventId,
  }: { readonly client: string; readonly from: string; readonly to: string; readonly eventId: string },
): void {
  const groups = groupsOf(namespace);
  for (const member of groups.membersOf(client, to)) {
    if (member.isResolved || member.isTransient || !transaction.hasBody(GROUPED_EVENTS, member)) continue;
    const oldMember = groups.member(member.handler, client, from);
    const { lastNotified } = member;
    member.eventId = eventId;
    member.lastNotified = mergeLastNotified(lastNotified, oldMember?.lastNotified);
    if (member.lastNotified !== lastNotified) saveLastNotified(transaction, namespace, member, member.lastNotified);
    transaction.writeRecord(GROUPED_EVENTS, member, { ...transaction.body(GROUPED_EVENTS, member), id: eventId });
    saveOrRemoveGroup(transaction, namespace, member.group);
    if (oldMember !== undefined) removeMember(transaction, namespace, oldMember);
  }
}

/**
 * Removes a resolved problem from the groups in which it still counts as firing. The handlers of these groups do not
 * get the resolution now, for example because it is silenced.
 */
export function removeResolvedMembers(
  transaction: Transaction,
  namespace: Namespace,
  { client, check, eventId }: { readonly client: string; readonly check: string; readonly eventId: string },
): void {
  const groups = groupsOf(namespace);
  if (groups.size === 0) return;
  for (const member of groups.membersOf(client, check)) {
    if (!member.isResolved && !member.isTransient && member.eventId === eventId) {
      removeMember(transaction, namespace, member);
    }
  }
}

/** Removes an event from its group. A group without events is removed too. */
export function removeMember(transaction: Transaction, namespace: Namespace, member: GroupMember): void {
  groupsOf(namespace).removeMember(member);
  transaction.deleteRecord(GROUPED_EVENTS, member);
  if (member.lastNotified !== undefined) transaction.erase(LAST_NOTIFICATIONS.key(namespace, member));
  announceOpenEvent(transaction, namespace, member);
  saveOrRemoveGroup(transaction, namespace, member.group);
}

/**
 * Reports to the feed that the open event of a group member has changed, because the feed row of an event names its
 * groups.
 */
function announceOpenEvent(transaction: Transaction, namespace: Namespace, { client, check }: GroupMember): void {
  const entry = namespace.check(client, check);
  if (entry !== undefined) announceEvent(transaction, entry);
}

/**
 * Saves the `lastNotified` value of a group member. The stored event is not written again.
 *
 * @param lastNotified undefined if no notification has included the event; the stored value is then deleted
 */
export function saveLastNotified(
  transaction: Transaction,
  namespace: Namespace,
  member: GroupMember,
  lastNotified: LastNotifiedStatus,
): void {
  member.lastNotified = lastNotified;
  if (lastNotified === undefined) transaction.erase(LAST_NOTIFICATIONS.key(namespace, member));
  else transaction.putLatest(LAST_NOTIFICATIONS, namespace, member);
}

/**
 * Saves the flush times of a group and lets the flush timer schedule its next flush. A group without events is removed
 * instead.
 */
export function saveOrRemoveGroup(transaction: Transaction, namespace: Namespace, group: Group): void {
  transaction.announce(HANDLER_GROUPS, group);
  if (group.members.size === 0) {
    groupsOf(namespace).remove(group);
    transaction.erase(HANDLER_GROUPS.key(namespace, group));
    return;
  }
  transaction.putLatest(HANDLER_GROUPS, namespace, group);
  transaction.registry.state(createGroupsToReschedule).add(group);
}

/**
 * Returns the group of a handler with this key, and creates it if it does not exist.
 *
 * @param previousGroup the previous group of the event; undefined if there is none. A new group adopts the last flush
 * time and the last notification time of the previous group, so that its notifications do not come earlier.
 * @returns undefined if the group does not exist and the handler has the maximum number of groups
 */
function getOrCreateGroup(
  namespace: Namespace,
  handler: string,
  key: GroupKey,
  previousGroup: Group | undefined,
): Group | undefined {
  const groups = groupsOf(namespace);
  const existing = groups.get(handler, key.key);
  if (existing !== undefined) return existing;
  if (groups.groupCountOf(handler) >= GROUPS_PER_HANDLER_MAX) return undefined;
  const times = previousGroup && {
    flushedAtMs: previousGroup.flushedAtMs,
    notifiedAtMs: previousGroup.notifiedAtMs,
    pendingSinceMs: undefined,
  };
  const group = new Group(namespace.name, handler, key, times);
  groups.put(group);
  return group;
}

/**
 * Returns the member for an event in a group. Creates the member if it does not exist, or moves it from its previous
 * group.
 *
 * @param existing the member for the event in any group of the handler; undefined if there is none
 */
function ensureMember(
  transaction: Transaction,
  namespace: Namespace,
  group: Group,
  existing: GroupMember | undefined,
  { client, check }: HandledEvent,
): GroupMember {
  if (existing?.group === group) return existing;
  const groups = groupsOf(namespace);
  const member = existing ?? new GroupMember(group, client.name, check.name);
  if (existing !== undefined) {
    const oldGroup = existing.group;
    groups.removeMember(existing);
    saveOrRemoveGroup(transaction, namespace, oldGroup);
    existing.group = group;
  }
  groups.putMember(member);
  announceOpenEvent(transaction, namespace, member);
  return member;
}

/** True if `group_by` of the handler was changed or removed since the group was created. */
export function isGroupByOutdated(group: Group, groupBy: readonly string[] | undefined): boolean {
  return groupBy === undefined || !isGroupedBy(group, groupBy);
}

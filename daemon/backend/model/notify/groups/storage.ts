import type { LastNotifiedStatus } from '../../../../../shared/domain/notify/group-member.ts';
import type { HandledEvent } from '../../../../../shared/schemas/handler-job.ts';
import type { Key } from '../../../ports.ts';
import type { Namespace } from '../../registry/namespace.ts';
import type { AnnouncedTable, LatestTable, RecordTable } from '../../registry/table.ts';
import type { StoredTable } from '../../tables/stored-table.ts';
import { Group, GroupMember, groupsOf } from './state.ts';

/*
 * Groups are stored in three tables (grouping 4): the groups with their flush times, the events in the groups, and the
 * last notification of each such event. The third table exists so that a flush need not write the events again.
 */

/** The stored form of a group; times in epoch milliseconds. */
interface StoredGroup {
  readonly by: Group['by'];
  readonly pending_since?: number | undefined;
  readonly flushed_at?: number | undefined;
  readonly notified_at?: number | undefined;
}

const GROUP_PREFIX = 'handler-group';
const GROUPED_EVENTS_PREFIX = 'handler-group-event';
const LAST_NOTIFICATIONS_PREFIX = 'handler-group-told';

/** The table of stored groups, by handler and group key. */
export const HANDLER_GROUPS: StoredTable & LatestTable<Namespace, Group> & AnnouncedTable<Group> = {
  prefix: GROUP_PREFIX,
  announce: ({ namespace, handler, key }) => ['group', namespace, handler, key],
  key: ({ name }, { handler, key }) => [GROUP_PREFIX, name, handler, key],
  encodeLatest(namespace, group) {
    // A later command of the same batch may have removed the group. Then nothing is stored for it.
    if (groupsOf(namespace).get(group.handler, group.key) !== group) return undefined;
    const { by, pendingSinceMs, flushedAtMs, notifiedAtMs } = group;
    return encodeGroup({ by, pending_since: pendingSinceMs, flushed_at: flushedAtMs, notified_at: notifiedAtMs });
  },
  load(namespace, [, , handler, key], text) {
    const {
      by,
      pending_since: pendingSinceMs,
      flushed_at: flushedAtMs,
      notified_at: notifiedAtMs,
    } = JSON.parse(text) as StoredGroup;
    const groups = groupsOf(namespace);
    const times = { pendingSinceMs, flushedAtMs, notifiedAtMs };
    const existing = groups.get(String(handler), String(key));
    if (existing === undefined) groups.put(new Group(namespace.name, String(handler), { key: String(key), by }, times));
    else existing.setTimes(times);
  },
  unload(namespace, [, , handler, key]) {
    const group = groupsOf(namespace).get(String(handler), String(key));
    if (group !== undefined) groupsOf(namespace).remove(group);
  },
  clear: (namespace) => [...groupsOf(namespace).all()].flatMap((group) => removeGroupWithMembers(namespace, group)),
  shiftTimes(text, byMs) {
    const {
      pending_since: pendingSinceMs,
      flushed_at: flushedAtMs,
      notified_at: notifiedAtMs,
      ...attributes
    } = JSON.parse(text) as StoredGroup;
    const shift = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : ms + byMs);
    return encodeGroup({
      ...attributes,
      pending_since: shift(pendingSinceMs),
      flushed_at: shift(flushedAtMs),
      notified_at: shift(notifiedAtMs),
    });
  },
};

function encodeGroup(group: StoredGroup): string {
  return JSON.stringify(group);
}

/**
 * Removes a group and its members from memory.
 *
 * @returns the store keys of the group, of its events and of their last notifications
 */
function removeGroupWithMembers(namespace: Namespace, group: Group): Key[] {
  const groups = groupsOf(namespace);
  const members = [...group.members.values()];
  for (const member of members) groups.removeMember(member);
  groups.remove(group);
  const keys = members.flatMap((member) => [GROUPED_EVENTS.key(member), LAST_NOTIFICATIONS.key(namespace, member)]);
  return [HANDLER_GROUPS.key(namespace, group), ...keys];
}

/** The stored form of an event in a group. The attribute `group` is the key of the group. */
interface StoredMember {
  readonly group: string;
  readonly resolved?: true | undefined;
  readonly transient?: true | undefined;
  readonly event: HandledEvent;
}

/**
 * The table of stored events in groups, by handler, client and check. It is loaded after `HANDLER_GROUPS`, because each
 * loaded event is added to its group.
 */
export const GROUPED_EVENTS: StoredTable & RecordTable<GroupMember, HandledEvent> = {
  prefix: GROUPED_EVENTS_PREFIX,
  isEntry: (entry): entry is GroupMember => entry instanceof GroupMember,
  key: ({ namespace, handler, client, check }) => [GROUPED_EVENTS_PREFIX, namespace, handler, client, check],
  encode(member, event) {
    const { group, isResolved, isTransient } = member;
    const stored: StoredMember = {
      group: group.key,
      resolved: isResolved ? true : undefined,
      transient: isTransient ? true : undefined,
      event,
    };
    const text = JSON.stringify(stored);
    member.jsonLength = text.length;
    return text;
  },
  decode: (text) => (JSON.parse(text) as StoredMember).event,
  load(namespace, [, , handler, client, check], text) {
    const groups = groupsOf(namespace);
    const { group: key, resolved, transient, event } = JSON.parse(text) as StoredMember;
    const previousMember = groups.member(String(handler), String(client), String(check));
    if (previousMember !== undefined) groups.removeMember(previousMember);
    const group = groups.get(String(handler), key);
    // On a follower, the group may be missing: the follower may have loaded the groups of a later batch, in which the
    // group was removed already.
    if (group === undefined) return;
    const member = new GroupMember(group, String(client), String(check));
    const { id: eventId } = event;
    const lastNotified = previousMember?.lastNotified;
    member.setState({
      eventId,
      status: event.check.status,
      isResolved: resolved === true,
      isTransient: transient === true,
      lastNotified,
    });
    member.jsonLength = text.length;
    groups.putMember(member);
  },
  unload(namespace, [, , handler, client, check]) {
    const groups = groupsOf(namespace);
    const member = groups.member(String(handler), String(client), String(check));
    if (member !== undefined) groups.removeMember(member);
  },
};

/**
 * The table of the last notification of each event in a group. An event without a record was never included in a
 * notification. This table is loaded after `GROUPED_EVENTS`.
 */
export const LAST_NOTIFICATIONS: StoredTable & LatestTable<Namespace, GroupMember> = {
  prefix: LAST_NOTIFICATIONS_PREFIX,
  key: ({ name }, { handler, client, check }) => [LAST_NOTIFICATIONS_PREFIX, name, handler, client, check],
  encodeLatest(namespace, member) {
    const { handler, client, check, lastNotified } = member;
    if (lastNotified === undefined || groupsOf(namespace).member(handler, client, check) !== member) return undefined;
    return JSON.stringify(lastNotified);
  },
  load(namespace, [, , handler, client, check], text) {
    const member = groupsOf(namespace).member(String(handler), String(client), String(check));
    if (member !== undefined) member.lastNotified = JSON.parse(text) as LastNotifiedStatus;
  },
  unload(namespace, [, , handler, client, check]) {
    const member = groupsOf(namespace).member(String(handler), String(client), String(check));
    if (member !== undefined) member.lastNotified = undefined;
  },
};

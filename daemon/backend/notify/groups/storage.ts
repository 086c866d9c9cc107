import type { Told } from '../../../../shared/domain/notify/group-flush.ts';
import type { HandledEvent } from '../../../../shared/schemas/handler-job.ts';
import type { Key } from '../../ports.ts';
import type { Namespace } from '../../registry/namespace.ts';
import type { AnnouncedTable, LatestTable, RecordTable } from '../../registry/table.ts';
import type { StoredTable } from '../../tables/stored-table.ts';
import { Group, GroupMember, groupsOf } from './state.ts';

/*
 * Three families of keys (grouping 4): a group with its times, the event of each client and check that a handler has in
 * a group, and what was told of it, which is written without the event.
 */

/** The stored form of a group; times in epoch milliseconds. */
interface StoredGroup {
  readonly by: Group['by'];
  readonly untold_since?: number | undefined;
  readonly turn_at?: number | undefined;
  readonly told_at?: number | undefined;
}

const GROUP_PREFIX = 'handler-group';
const EVENT_PREFIX = 'handler-group-event';
const TOLD_PREFIX = 'handler-group-told';

/** The stored groups. */
export const HANDLER_GROUPS: StoredTable & LatestTable<Namespace, Group> & AnnouncedTable<Group> = {
  prefix: GROUP_PREFIX,
  announce: ({ namespace, handler, key }) => ['group', namespace, handler, key],
  key: ({ name }, { handler, key }) => [GROUP_PREFIX, name, handler, key],
  encodeHeld(namespace, group) {
    // A later command of the batch may have removed it.
    if (groupsOf(namespace).get(group.handler, group.key) !== group) return undefined;
    const { by, untoldSinceMs, turnAtMs, toldAtMs } = group;
    return storedGroup({ by, untold_since: untoldSinceMs, turn_at: turnAtMs, told_at: toldAtMs });
  },
  load(namespace, [, , handler, key], text) {
    const { by, untold_since: untoldSinceMs, turn_at: turnAtMs, told_at: toldAtMs } = JSON.parse(text) as StoredGroup;
    const groups = groupsOf(namespace);
    const pace = { untoldSinceMs, turnAtMs, toldAtMs };
    const present = groups.get(String(handler), String(key));
    if (present === undefined) groups.put(new Group(namespace.name, String(handler), { key: String(key), by }, pace));
    else present.pace(pace);
  },
  unload(namespace, [, , handler, key]) {
    const group = groupsOf(namespace).get(String(handler), String(key));
    if (group !== undefined) groupsOf(namespace).remove(group);
  },
  clear: (namespace) => [...groupsOf(namespace).all()].flatMap((group) => clearGroup(namespace, group)),
  shifted(text, byMs) {
    const { untold_since: untold, turn_at: turn, told_at: told, ...rest } = JSON.parse(text) as StoredGroup;
    const moved = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : ms + byMs);
    return storedGroup({ ...rest, untold_since: moved(untold), turn_at: moved(turn), told_at: moved(told) });
  },
};

function storedGroup(group: StoredGroup): string {
  return JSON.stringify(group);
}

/** @returns the keys under which it is stored */
function clearGroup(namespace: Namespace, group: Group): Key[] {
  const groups = groupsOf(namespace);
  const members = [...group.members.values()];
  for (const member of members) groups.removeMember(member);
  groups.remove(group);
  const keys = members.flatMap((member) => [GROUPED_EVENTS.key(member), GROUP_TOLD.key(namespace, member)]);
  return [HANDLER_GROUPS.key(namespace, group), ...keys];
}

/** The stored form of an event in a group; `group` is the key of the group. */
interface StoredMember {
  readonly group: string;
  readonly over?: true | undefined;
  readonly passing?: true | undefined;
  readonly event: HandledEvent;
}

/** Events in groups, by handler, client and check. They load after the groups, to which they belong. */
export const GROUPED_EVENTS: StoredTable & RecordTable<GroupMember, HandledEvent> = {
  prefix: EVENT_PREFIX,
  isEntry: (entry): entry is GroupMember => entry instanceof GroupMember,
  key: ({ namespace, handler, client, check }) => [EVENT_PREFIX, namespace, handler, client, check],
  encode(member, event) {
    const { group, isOver, isPassing } = member;
    const stored: StoredMember = {
      group: group.key,
      over: isOver ? true : undefined,
      passing: isPassing ? true : undefined,
      event,
    };
    const text = JSON.stringify(stored);
    member.bytes = text.length;
    return text;
  },
  decode: (text) => (JSON.parse(text) as StoredMember).event,
  load(namespace, [, , handler, client, check], text) {
    const groups = groupsOf(namespace);
    const { group: key, over, passing, event } = JSON.parse(text) as StoredMember;
    const before = groups.member(String(handler), String(client), String(check));
    if (before !== undefined) groups.removeMember(before);
    const group = groups.get(String(handler), key);
    // A follower may have loaded the state of a later batch.
    if (group === undefined) return;
    const member = new GroupMember(group, String(client), String(check));
    const { id: eventId } = event;
    const told = before?.told;
    member.become({ eventId, status: event.check.status, isOver: over === true, isPassing: passing === true, told });
    member.bytes = text.length;
    groups.putMember(member);
  },
  unload(namespace, [, , handler, client, check]) {
    const groups = groupsOf(namespace);
    const member = groups.member(String(handler), String(client), String(check));
    if (member !== undefined) groups.removeMember(member);
  },
};

/** The last notification of each event in a group; absent: none. It loads after the events. */
export const GROUP_TOLD: StoredTable & LatestTable<Namespace, GroupMember> = {
  prefix: TOLD_PREFIX,
  key: ({ name }, { handler, client, check }) => [TOLD_PREFIX, name, handler, client, check],
  encodeHeld(namespace, member) {
    const { handler, client, check, told } = member;
    if (told === undefined || groupsOf(namespace).member(handler, client, check) !== member) return undefined;
    return JSON.stringify(told);
  },
  load(namespace, [, , handler, client, check], text) {
    const member = groupsOf(namespace).member(String(handler), String(client), String(check));
    if (member !== undefined) member.told = JSON.parse(text) as Told;
  },
  unload(namespace, [, , handler, client, check]) {
    const member = groupsOf(namespace).member(String(handler), String(client), String(check));
    if (member !== undefined) member.told = undefined;
  },
};

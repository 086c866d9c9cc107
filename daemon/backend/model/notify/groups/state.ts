import { computeGroupId, type GroupKey } from '../../../../../shared/domain/notify/group-key.ts';
import type { MemberToFlush } from '../../../../../shared/domain/notify/group-flush.ts';
import type { FlushTimes } from '../../../../../shared/domain/notify/group-intervals.ts';
import type { LastNotifiedStatus, MemberState } from '../../../../../shared/domain/notify/group-member.ts';
import type { Footprint } from '../../registry/footprint.ts';
import type { Namespace } from '../../registry/namespace.ts';
import { toTallyEntry, GroupTally, type TallyEntry } from './tally.ts';

const GROUP_FOOTPRINT_BYTES = 600;
const MEMBER_FOOTPRINT_BYTES = 450;

/**
 * Identifies a group by names. A reference to the `Group` object would become invalid if the registry were reloaded
 * before the group is flushed.
 */
export interface GroupRef {
  readonly namespace: string;
  readonly handler: string;
  readonly key: string;
}

/** A group: the events of one handler with the same values of its `group_by` attributes. It has at least one event. */
export class Group implements GroupRef, GroupKey, FlushTimes {
  readonly namespace: string;
  readonly handler: string;
  readonly key: string;
  readonly by: GroupKey['by'];
  pendingSinceMs: number | undefined;
  flushedAtMs: number | undefined;
  notifiedAtMs: number | undefined;
  /** The members of the group, by client and check in the form of `memberKey`. */
  readonly members = new Map<string, GroupMember>();
  /** The numbers of pending and firing events in the group. */
  readonly tally = new GroupTally();
  #id: string | undefined;

  constructor(namespace: string, handler: string, { key, by }: GroupKey, times?: FlushTimes) {
    this.namespace = namespace;
    this.handler = handler;
    this.key = key;
    this.by = by;
    this.setTimes(times ?? INITIAL_FLUSH_TIMES);
  }

  /** The id of the group for receivers. All notifications of the group have the same id. */
  get id(): string {
    return (this.#id ??= computeGroupId(this.namespace, this.handler, this.key));
  }

  setTimes({ pendingSinceMs, flushedAtMs, notifiedAtMs }: FlushTimes): void {
    this.pendingSinceMs = pendingSinceMs;
    this.flushedAtMs = flushedAtMs;
    this.notifiedAtMs = notifiedAtMs;
  }
}

const INITIAL_FLUSH_TIMES: FlushTimes = { pendingSinceMs: undefined, flushedAtMs: undefined, notifiedAtMs: undefined };

/**
 * The state of one event in a group. A handler has at most one member for each client and check, in all its groups. The
 * event itself is only in the store.
 */
export class GroupMember implements MemberToFlush {
  readonly namespace: string;
  readonly handler: string;
  readonly client: string;
  readonly check: string;
  group: Group;
  eventId = '';
  status = 0;
  isResolved = false;
  isTransient = false;
  /** Length of the stored JSON of the event, in characters; 0 until the event is stored. */
  jsonLength = 0;
  #lastNotified: LastNotifiedStatus = undefined;
  /** The counts that this member adds to the tally of its group; undefined if the member is not counted. */
  #tallyEntry: TallyEntry | undefined;

  constructor(group: Group, client: string, check: string) {
    this.namespace = group.namespace;
    this.handler = group.handler;
    this.group = group;
    this.client = client;
    this.check = check;
  }

  get lastNotified(): LastNotifiedStatus {
    return this.#lastNotified;
  }

  set lastNotified(lastNotified: LastNotifiedStatus) {
    this.#lastNotified = lastNotified;
    this.updateTally();
  }

  setState({ eventId, status, isResolved, isTransient, lastNotified }: MemberState): void {
    this.eventId = eventId;
    this.status = status;
    this.isResolved = isResolved;
    this.isTransient = isTransient;
    this.lastNotified = lastNotified;
  }

  /** Updates the tally of the group after a change of this member. A member that has left the group is not counted. */
  updateTally(): void {
    const { members, tally } = this.group;
    const tallyEntry = members.get(memberKey(this.client, this.check)) === this ? toTallyEntry(this) : undefined;
    tally.replaceEntry(this.#tallyEntry, tallyEntry);
    this.#tallyEntry = tallyEntry;
  }
}

/** The groups of one handler by group key, and the members of all these groups by `memberKey`. */
interface HandlerGroups {
  readonly groups: Map<string, Group>;
  readonly members: Map<string, GroupMember>;
}

/** All groups of a namespace, by handler. */
class GroupRegistry {
  readonly #byHandler = new Map<string, HandlerGroups>();
  readonly #footprint: Footprint;
  #groupCount = 0;

  constructor(footprint: Footprint) {
    this.#footprint = footprint;
  }

  /** The number of groups of all handlers in the namespace. */
  get size(): number {
    return this.#groupCount;
  }

  /** Returns the number of groups of one handler. */
  groupCountOf(handler: string): number {
    return this.#byHandler.get(handler)?.groups.size ?? 0;
  }

  /** Returns how many events in all groups have a pending notification. */
  pendingEventCount(): number {
    let count = 0;
    for (const { tally } of this.all()) count += tally.pendingCount;
    return count;
  }

  *all(): Generator<Group, void, undefined> {
    for (const { groups } of this.#byHandler.values()) yield* groups.values();
  }

  get(handler: string, key: string): Group | undefined {
    return this.#byHandler.get(handler)?.groups.get(key);
  }

  member(handler: string, client: string, check: string): GroupMember | undefined {
    return this.#byHandler.get(handler)?.members.get(memberKey(client, check));
  }

  /** Returns the groups that contain an event of this client and check: at most one group for each handler. */
  groupsContaining(client: string, check: string): Group[] {
    return this.membersOf(client, check).map(({ group }) => group);
  }

  /** Returns the group members for this client and check: at most one for each handler. */
  membersOf(client: string, check: string): GroupMember[] {
    const key = memberKey(client, check);
    return [...this.#byHandler.values()].flatMap(({ members }) => members.get(key) ?? []);
  }

  put(group: Group): void {
    let handlerGroups = this.#byHandler.get(group.handler);
    if (handlerGroups === undefined)
      this.#byHandler.set(group.handler, (handlerGroups = { groups: new Map(), members: new Map() }));
    handlerGroups.groups.set(group.key, group);
    this.#groupCount++;
    this.#footprint.bytes += GROUP_FOOTPRINT_BYTES + group.key.length;
  }

  /** Removes a group. The caller must have removed its members. */
  remove(group: Group): void {
    const handlerGroups = this.#byHandler.get(group.handler);
    if (handlerGroups?.groups.delete(group.key) !== true) return;
    if (handlerGroups.groups.size === 0) this.#byHandler.delete(group.handler);
    this.#groupCount--;
    this.#footprint.bytes -= GROUP_FOOTPRINT_BYTES + group.key.length;
  }

  putMember(member: GroupMember): void {
    const key = memberKey(member.client, member.check);
    this.#byHandler.get(member.handler)?.members.set(key, member);
    member.group.members.set(key, member);
    member.updateTally();
    this.#footprint.bytes += MEMBER_FOOTPRINT_BYTES + key.length;
  }

  removeMember(member: GroupMember): void {
    const key = memberKey(member.client, member.check);
    member.group.members.delete(key);
    member.updateTally();
    if (this.#byHandler.get(member.handler)?.members.delete(key) === true) {
      this.#footprint.bytes -= MEMBER_FOOTPRINT_BYTES + key.length;
    }
  }
}

function memberKey(client: string, check: string): string {
  return JSON.stringify([client, check]);
}

const createGroupRegistry = (footprint: Footprint): GroupRegistry => new GroupRegistry(footprint);

export function groupsOf(namespace: Namespace): GroupRegistry {
  return namespace.state(createGroupRegistry);
}

/** The groups whose next flush time may have changed, so that the flush timer must schedule them again. */
class GroupsToReschedule {
  #groups = new Set<Group>();

  add(group: Group): void {
    this.#groups.add(group);
  }

  /** Returns the groups that were added since the last call, and empties the set. */
  drain(): ReadonlySet<Group> {
    const drained = this.#groups;
    if (drained.size > 0) this.#groups = new Set();
    return drained;
  }
}

export const createGroupsToReschedule = (): GroupsToReschedule => new GroupsToReschedule();

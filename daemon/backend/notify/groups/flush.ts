import { computeGroupId } from '../../../../shared/domain/notify/group-key.ts';
import { buildSingleEventGroup } from '../../../../shared/domain/notify/group-document.ts';
import {
  GROUP_NOTIFICATION_SIZE_MAX,
  groupLimit,
  computeGroupFlush,
  type StateAtFlush,
  type GroupFlush,
} from '../../../../shared/domain/notify/group-flush.ts';
import { nextFlushAtMs, groupIntervals, isRepeatDue } from '../../../../shared/domain/notify/group-intervals.ts';
import { hasPendingChange } from '../../../../shared/domain/notify/group-member.ts';
import type { GroupRun } from '../../../../shared/schemas/handler-job.ts';
import type { RunningHandler } from '../../../../shared/schemas/handler.ts';
import type { Batcher } from '../../commit/batcher.ts';
import type { Transaction } from '../../model/transaction/transaction.ts';
import type { Definitions } from '../../model/config/definitions.ts';
import { findRecordedInhibitor } from '../../model/notify/inhibitions/state.ts';
import { enqueueJob } from '../../model/notify/delivery/mutations.ts';
import type { Clock } from '../../ports.ts';
import type { Namespace } from '../../model/registry/namespace.ts';
import type { Registry } from '../../model/registry/registry.ts';
import {
  isGroupByOutdated,
  moveMember,
  saveLastNotified,
  removeMember,
  saveOrRemoveGroup,
  type GroupingHandler,
} from '../../model/notify/groups/mutations.ts';
import {
  groupsOf,
  createGroupsToReschedule,
  type Group,
  type GroupRef,
  type GroupMember,
} from '../../model/notify/groups/state.ts';
import { GROUPED_EVENTS } from '../../model/notify/groups/storage.ts';

/**
 * Maximum number of events that one commit moves out of a group after `group_by` of its handler was changed or removed.
 */
const EVENTS_PER_CHUNK = 100;

/**
 * Maximum number of events that the flush of a group reads if inhibition rules are defined: twice the maximum of
 * `group_limit`. New, changed and resolved events are read first.
 */
const EVENTS_READ_PER_FLUSH_MAX = 2000;

interface FlushDependencies {
  readonly batcher: Pick<Batcher, 'run'>;
  readonly definitions: Pick<Definitions, 'inNamespace' | 'inhibitions'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** The definition of a handler that has the attribute `group_by`. */
type GroupingDefinition = RunningHandler & { readonly group_by: readonly string[] };

/** Flushes groups. A flush and the handler run that it enqueues are in the same commit. */
export class GroupFlusher {
  readonly #deps: FlushDependencies;

  constructor(deps: FlushDependencies) {
    this.#deps = deps;
  }

  /** Returns when a group is flushed next, in epoch milliseconds; 0: at once. */
  nextGroupFlushAtMs(group: Group): number {
    return nextGroupFlushAtMs(this.#deps.definitions, group);
  }

  /**
   * Flushes a group if it is due. If `group_by` of the handler was changed, one chunk of events moves to other groups
   * instead. If `group_by` was removed, each event of the chunk with a pending notification gets a handler run of its
   * own.
   *
   * @throws MonError `unavailable` if the backend cannot commit
   */
  flush(groupRef: GroupRef): Promise<void> {
    const { batcher, clock } = this.#deps;
    return batcher.run((transaction) => this.#flushOrRegroup(transaction, groupRef), {
      needs: (registry) => this.#membersToRead(registry, groupRef, clock.now()),
    });
  }

  /** Returns the members whose events must be read for the flush. */
  #membersToRead(registry: Registry, groupRef: GroupRef, nowMs: number): readonly GroupMember[] {
    const namespace = registry.findNamespace(groupRef.namespace);
    const group = namespace && groupsOf(namespace).get(groupRef.handler, groupRef.key);
    if (namespace === undefined || group === undefined) return [];
    const handler = this.#definitionOf(group);
    if (handler === undefined || isGroupByOutdated(group, handler.group_by)) return firstMembers(group);
    // With inhibition rules, more events must be read, because only the full event shows whether it is inhibited now.
    const limits = this.#deps.definitions.inhibitions.length > 0 ? FLUSH_READ_LIMITS : flushLimitsOf(handler);
    return evaluateFlush(namespace, group, handler, nowMs, limits).listedMembers.map(([member]) => member);
  }

  #flushOrRegroup(transaction: Transaction, groupRef: GroupRef): void {
    const namespace = transaction.registry.namespace(groupRef.namespace);
    const group = groupsOf(namespace).get(groupRef.handler, groupRef.key);
    if (group === undefined) return;
    const handler = this.#definitionOf(group);
    if (handler === undefined || isGroupByOutdated(group, handler.group_by)) {
      regroupChunk(transaction, namespace, group, handler && { handlerName: group.handler, groupBy: handler.group_by });
    } else if (nextFlushAtMs(group, groupIntervals(handler)) <= transaction.nowMs) {
      const isInhibited = this.#inhibitionTest(transaction, namespace);
      const flush = evaluateFlush(namespace, group, handler, transaction.nowMs, flushLimitsOf(handler), isInhibited);
      applyFlush(transaction, namespace, group, flush);
    }
    // Let the flush timer schedule the next flush, even if this call did not flush the group.
    transaction.registry.state(createGroupsToReschedule).add(group);
  }

  #inhibitionTest(transaction: Transaction, namespace: Namespace): InhibitionTest {
    const { inhibitions } = this.#deps.definitions;
    if (inhibitions.length === 0) return () => false;
    return (member) =>
      transaction.hasBody(GROUPED_EVENTS, member) &&
      findRecordedInhibitor(inhibitions, namespace, transaction.body(GROUPED_EVENTS, member)) !== undefined;
  }

  #definitionOf(group: Group): GroupingDefinition | undefined {
    return groupingDefinitionOf(this.#deps.definitions, group);
  }
}

/**
 * Returns when a group is flushed next, in epoch milliseconds; 0: at once, because `group_by` of its handler was
 * changed or removed.
 */
export function nextGroupFlushAtMs(definitions: Pick<Definitions, 'inNamespace'>, group: Group): number {
  const handler = groupingDefinitionOf(definitions, group);
  return isGroupByOutdated(group, handler?.group_by) ? 0 : nextFlushAtMs(group, groupIntervals(handler ?? {}));
}

function groupingDefinitionOf(
  definitions: Pick<Definitions, 'inNamespace'>,
  { namespace, handler }: Group,
): GroupingDefinition | undefined {
  const definition = definitions.inNamespace(namespace).handler(handler);
  return definition !== undefined && hasGroupBy(definition) ? definition : undefined;
}

function hasGroupBy(definition: {
  readonly type: string;
  readonly group_by?: unknown;
}): definition is GroupingDefinition {
  return definition.type !== 'set' && definition.group_by !== undefined;
}

type FlushLimits = Pick<Parameters<typeof computeGroupFlush>[2], 'eventCountMax' | 'jsonLengthMax'>;

const FLUSH_READ_LIMITS: FlushLimits = { eventCountMax: EVENTS_READ_PER_FLUSH_MAX, jsonLengthMax: Infinity };

function flushLimitsOf(handler: GroupingDefinition): FlushLimits {
  return { eventCountMax: groupLimit(handler), jsonLengthMax: GROUP_NOTIFICATION_SIZE_MAX };
}

type InhibitionTest = (member: GroupMember) => boolean;

function evaluateFlush(
  namespace: Namespace,
  group: Group,
  handler: GroupingDefinition,
  nowMs: number,
  limits: FlushLimits,
  isInhibited: InhibitionTest = () => false,
): GroupFlush<GroupMember> {
  const respectsSilences = handler.handle_silenced !== true;
  const stateAtFlush = (member: GroupMember): StateAtFlush => {
    const { client, check, eventId } = member;
    const entry = namespace.check(client, check);
    if (entry?.state.event?.id !== eventId) return 'gone';
    if (respectsSilences && entry.isSilenced(nowMs)) return 'silenced';
    if (isInhibited(member)) return 'inhibited';
    return entry.state.event.acknowledgement === undefined ? 'open' : 'acknowledged';
  };
  return computeGroupFlush(group.members.values(), stateAtFlush, {
    isRepeatDue: isRepeatDue(group, groupIntervals(handler), nowMs),
    ...limits,
  });
}

function applyFlush(
  transaction: Transaction,
  namespace: Namespace,
  group: Group,
  flush: GroupFlush<GroupMember>,
): void {
  const { nowMs } = transaction;
  const { cause } = flush;
  const listedMembers = flush.listedMembers.filter(([member]) => transaction.hasBody(GROUPED_EVENTS, member));
  const unreadCount = flush.listedMembers.length - listedMembers.length;
  if (unreadCount > 0) {
    // A flush reads a limited number of events from the store, and this group has more. Record which of the events that
    // were read are inhibited, so that the next flush reads other events instead of these.
    for (const member of flush.newlyInhibitedMembers) saveLastNotified(transaction, namespace, member, 'inhibited');
    if (flush.newlyInhibitedMembers.length > 0) saveOrRemoveGroup(transaction, namespace, group);
    // Send nothing if the next flush can read the unread events: if events were marked as inhibited above, or if a
    // flush can read all events of the notification. In the second case, another command of this batch has just added
    // the unread events.
    if (
      flush.newlyInhibitedMembers.length > 0 ||
      flush.listedMembers.length + flush.omitted <= EVENTS_READ_PER_FLUSH_MAX
    )
      return;
  }
  if (cause !== undefined) {
    const groupRun = createGroupRun(
      transaction,
      group,
      { ...flush, listedMembers, omitted: flush.omitted + unreadCount },
      cause,
    );
    const [first] = groupRun.events;
    if (first !== undefined) enqueueJob(transaction, namespace, group.handler, first, groupRun);
    group.notifiedAtMs = nowMs;
  }
  group.flushedAtMs = nowMs;
  group.pendingSinceMs = flush.hasPendingNotification ? nowMs : undefined;
  for (const member of flush.notifiedMembers) saveLastNotified(transaction, namespace, member, member.status);
  for (const member of flush.newlyInhibitedMembers) saveLastNotified(transaction, namespace, member, 'inhibited');
  for (const member of flush.leavingMembers) removeMember(transaction, namespace, member);
  saveOrRemoveGroup(transaction, namespace, group);
}

function createGroupRun(
  transaction: Transaction,
  { namespace, handler, key, by }: Group,
  { listedMembers, omitted, counts, severity }: GroupFlush<GroupMember>,
  cause: GroupRun['cause'],
): GroupRun {
  return {
    id: computeGroupId(namespace, handler, key),
    by: Object.fromEntries(by),
    cause,
    severity,
    ...counts,
    omitted,
    events: listedMembers.map(([member, change]) => ({ ...transaction.body(GROUPED_EVENTS, member), change })),
  };
}

/**
 * Removes one chunk of events from a group after `group_by` of its handler was changed or removed. Each event moves to
 * its new group. If an event cannot move and its notification is pending, the event gets a handler run of its own.
 *
 * @param handler undefined if the handler has no `group_by` any more or is no longer defined
 */
function regroupChunk(
  transaction: Transaction,
  namespace: Namespace,
  group: Group,
  handler: GroupingHandler | undefined,
): void {
  for (const member of firstMembers(group)) {
    if (!transaction.hasBody(GROUPED_EVENTS, member)) continue;
    if (handler !== undefined && moveMember(transaction, namespace, handler, member)) continue;
    if (hasPendingChange(member)) {
      const event = transaction.body(GROUPED_EVENTS, member);
      // If the handler still has `group_by`, the event could not move because of a limit. The handler then gets the
      // event as a group with a single event.
      const singleEventGroup =
        handler &&
        buildSingleEventGroup({ namespace: namespace.name, handler: handler.handlerName }, handler.groupBy, event);
      enqueueJob(transaction, namespace, group.handler, event, singleEventGroup);
    }
    removeMember(transaction, namespace, member);
  }
}

function firstMembers({ members }: Group): GroupMember[] {
  return [...members.values()].slice(0, EVENTS_PER_CHUNK);
}

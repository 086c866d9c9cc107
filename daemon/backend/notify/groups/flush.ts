import { groupId } from '../../../../shared/domain/notify/group-key.ts';
import { groupOfOne } from '../../../../shared/domain/notify/group-document.ts';
import {
  GROUP_BYTES_MAX,
  groupLimit,
  flushGroup,
  type Presence,
  type GroupFlush,
} from '../../../../shared/domain/notify/group-flush.ts';
import { dueAtMs, groupIntervals, isRepeatDue } from '../../../../shared/domain/notify/group-intervals.ts';
import { hasPending } from '../../../../shared/domain/notify/group-member.ts';
import type { GroupRun } from '../../../../shared/schemas/handler-job.ts';
import type { RunningHandler } from '../../../../shared/schemas/handler.ts';
import type { Batcher } from '../../commit/batcher.ts';
import type { Transaction } from '../../model/transaction/transaction.ts';
import type { Definitions } from '../../model/config/definitions.ts';
import { inhibitorNow } from '../../model/notify/inhibitions/state.ts';
import { addJob } from '../../model/notify/delivery/mutations.ts';
import type { Clock } from '../../ports.ts';
import type { Namespace } from '../../model/registry/namespace.ts';
import type { Registry } from '../../model/registry/registry.ts';
import {
  isOutdated,
  moveMember,
  saveLastNotified,
  removeMember,
  touch,
  type GroupingHandler,
} from '../../model/notify/groups/mutations.ts';
import { groupsOf, openTouched, type Group, type GroupId, type GroupMember } from '../../model/notify/groups/state.ts';
import { GROUPED_EVENTS } from '../../model/notify/groups/storage.ts';

/** Maximum number of events that leave a group in one commit after `group_by` of its handler was changed or removed. */
const SLICE = 100;

/**
 * Maximum number of events of a group that a flush reads if inhibition rules are defined. Events with a change are read
 * first. It is twice the maximum of `group_limit`.
 */
const LOOKED_AT = 2000;

interface FlushParts {
  readonly batcher: Pick<Batcher, 'run'>;
  readonly definitions: Pick<Definitions, 'in' | 'inhibitions'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** The definition of a handler that has the attribute `group_by`. */
type Grouping = RunningHandler & { readonly group_by: readonly string[] };

/** Flushes groups. The commit of a flush also contains the handler run that it enqueues. */
export class GroupFlushes {
  readonly #parts: FlushParts;

  constructor(parts: FlushParts) {
    this.#parts = parts;
  }

  /** Returns when a group is flushed next, in epoch milliseconds. See `dueOf`. */
  dueOf(group: Group): number {
    return dueOf(this.#parts.definitions, group);
  }

  /**
   * Flushes a group if it is due. If `group_by` of the handler was changed, one chunk of events moves to other groups
   * instead. If `group_by` was removed, each pending notification in the chunk becomes a run for one event.
   *
   * @throws MonError `unavailable` if the backend cannot commit
   */
  flush(id: GroupId): Promise<void> {
    const { batcher, clock } = this.#parts;
    return batcher.run((transaction) => this.#flush(transaction, id), {
      needs: (registry) => this.#needs(registry, id, clock.now()),
    });
  }

  /** Returns the members whose events must be read for the flush. */
  #needs(registry: Registry, id: GroupId, nowMs: number): readonly GroupMember[] {
    const namespace = registry.findNamespace(id.namespace);
    const group = namespace && groupsOf(namespace).get(id.handler, id.key);
    if (namespace === undefined || group === undefined) return [];
    const handler = this.#handlerOf(group);
    if (handler === undefined || isOutdated(group, handler.group_by)) return firstOf(group);
    // With inhibition rules, more events must be read, because only the full event shows whether it is inhibited now.
    const limits = this.#parts.definitions.inhibitions.length > 0 ? MANY : limitsOf(handler);
    return flushOf(namespace, group, handler, nowMs, limits).listed.map(([member]) => member);
  }

  #flush(transaction: Transaction, id: GroupId): void {
    const namespace = transaction.registry.namespace(id.namespace);
    const group = groupsOf(namespace).get(id.handler, id.key);
    if (group === undefined) return;
    const handler = this.#handlerOf(group);
    if (handler === undefined || isOutdated(group, handler.group_by)) {
      dissolve(transaction, namespace, group, handler && { name: group.handler, names: handler.group_by });
    } else if (dueAtMs(group, groupIntervals(handler)) <= transaction.nowMs) {
      const isInhibited = this.#inhibitedIn(transaction, namespace);
      const flush = flushOf(namespace, group, handler, transaction.nowMs, limitsOf(handler), isInhibited);
      notify(transaction, namespace, group, flush);
    }
    // Have the next flush scheduled, even if this call did not flush the group.
    transaction.registry.state(openTouched).add(group);
  }

  #inhibitedIn(transaction: Transaction, namespace: Namespace): IsInhibited {
    const { inhibitions } = this.#parts.definitions;
    if (inhibitions.length === 0) return () => false;
    return (member) =>
      transaction.hasBody(GROUPED_EVENTS, member) &&
      inhibitorNow(inhibitions, namespace, transaction.body(GROUPED_EVENTS, member)) !== undefined;
  }

  #handlerOf(group: Group): Grouping | undefined {
    return handlerOf(this.#parts.definitions, group);
  }
}

/**
 * Returns when a group is flushed next, in epoch milliseconds; 0: at once, because `group_by` of its handler was
 * changed or removed.
 */
export function dueOf(definitions: Pick<Definitions, 'in'>, group: Group): number {
  const handler = handlerOf(definitions, group);
  return isOutdated(group, handler?.group_by) ? 0 : dueAtMs(group, groupIntervals(handler ?? {}));
}

function handlerOf(definitions: Pick<Definitions, 'in'>, { namespace, handler }: Group): Grouping | undefined {
  const definition = definitions.in(namespace).handler(handler);
  return definition !== undefined && isGrouping(definition) ? definition : undefined;
}

function isGrouping(definition: { readonly type: string; readonly group_by?: unknown }): definition is Grouping {
  return definition.type !== 'set' && definition.group_by !== undefined;
}

type FlushLimits = Pick<Parameters<typeof flushGroup>[2], 'events' | 'bytes'>;

const MANY: FlushLimits = { events: LOOKED_AT, bytes: Infinity };

function limitsOf(handler: Grouping): FlushLimits {
  return { events: groupLimit(handler), bytes: GROUP_BYTES_MAX };
}

type IsInhibited = (member: GroupMember) => boolean;

function flushOf(
  namespace: Namespace,
  group: Group,
  handler: Grouping,
  nowMs: number,
  limits: FlushLimits,
  isInhibited: IsInhibited = () => false,
): GroupFlush<GroupMember> {
  const heeds = handler.handle_silenced !== true;
  const presenceOf = (member: GroupMember): Presence => {
    const { client, check, eventId } = member;
    const entry = namespace.check(client, check);
    if (entry?.state.event?.id !== eventId) return 'gone';
    if (heeds && entry.isSilenced(nowMs)) return 'silenced';
    return isInhibited(member) ? 'inhibited' : 'open';
  };
  return flushGroup(group.members.values(), presenceOf, {
    isRepeatDue: isRepeatDue(group, groupIntervals(handler), nowMs),
    ...limits,
  });
}

function notify(transaction: Transaction, namespace: Namespace, group: Group, flush: GroupFlush<GroupMember>): void {
  const { nowMs } = transaction;
  const { cause } = flush;
  const listed = flush.listed.filter(([member]) => transaction.hasBody(GROUPED_EVENTS, member));
  const unread = flush.listed.length - listed.length;
  if (unread > 0) {
    // Some events were not read. First record which of the others are inhibited, so that the next flush reads more
    // events in their place.
    for (const member of flush.inhibited) saveLastNotified(transaction, namespace, member, 'inhibited');
    if (flush.inhibited.length > 0) touch(transaction, namespace, group);
    // A flush can read this many events. If the group has no more, another command of this batch has just added those
    // that were not read, and the next flush reads them.
    if (flush.inhibited.length > 0 || flush.listed.length + flush.omitted <= LOOKED_AT) return;
  }
  if (cause !== undefined) {
    const run = jobGroupOf(transaction, group, { ...flush, listed, omitted: flush.omitted + unread }, cause);
    const [first] = run.events;
    if (first !== undefined) addJob(transaction, namespace, group.handler, first, run);
    group.notifiedAtMs = nowMs;
  }
  group.flushedAtMs = nowMs;
  group.pendingSinceMs = flush.isPending ? nowMs : undefined;
  for (const member of flush.notified) saveLastNotified(transaction, namespace, member, member.status);
  for (const member of flush.inhibited) saveLastNotified(transaction, namespace, member, 'inhibited');
  for (const member of flush.leaving) removeMember(transaction, namespace, member);
  touch(transaction, namespace, group);
}

function jobGroupOf(
  transaction: Transaction,
  { namespace, handler, key, by }: Group,
  { listed, omitted, counts, severity }: GroupFlush<GroupMember>,
  cause: GroupRun['cause'],
): GroupRun {
  return {
    id: groupId(namespace, handler, key),
    by: Object.fromEntries(by),
    cause,
    severity,
    ...counts,
    omitted,
    events: listed.map(([member, change]) => ({ ...transaction.body(GROUPED_EVENTS, member), change })),
  };
}

/**
 * Removes one chunk of events from a group after `group_by` of its handler was changed or removed. Each event moves to
 * its new group. If there is none, or it has no room, a pending notification of the event is sent alone.
 *
 * @param handler undefined if the handler has no `group_by` any more or is no longer defined
 */
function dissolve(
  transaction: Transaction,
  namespace: Namespace,
  group: Group,
  handler: GroupingHandler | undefined,
): void {
  for (const member of firstOf(group)) {
    if (!transaction.hasBody(GROUPED_EVENTS, member)) continue;
    if (handler !== undefined && moveMember(transaction, namespace, handler, member)) continue;
    if (hasPending(member)) {
      const event = transaction.body(GROUPED_EVENTS, member);
      // If the new group has no room, the handler still has `group_by` and gets the event as a group of one.
      const singleEventGroup =
        handler && groupOfOne({ namespace: namespace.name, handler: handler.name }, handler.names, event);
      addJob(transaction, namespace, group.handler, event, singleEventGroup);
    }
    removeMember(transaction, namespace, member);
  }
}

function firstOf({ members }: Group): GroupMember[] {
  return [...members.values()].slice(0, SLICE);
}

import { groupId } from '../../../../shared/domain/notify/group-key.ts';
import { groupOfOne } from '../../../../shared/domain/notify/group-document.ts';
import {
  dueAtMs,
  GROUP_BYTES_MAX,
  groupLimit,
  groupTimes,
  isNews,
  isRepeatDue,
  takeTurn,
  type Presence,
  type Turn,
} from '../../../../shared/domain/notify/group-flush.ts';
import type { GroupRun } from '../../../../shared/schemas/handler-job.ts';
import type { RunningHandler } from '../../../../shared/schemas/handler.ts';
import type { Batcher } from '../../commit/batcher.ts';
import type { Transaction } from '../../commit/transaction.ts';
import type { Definitions } from '../../config/definitions.ts';
import { inhibitionOf } from '../inhibitions/state.ts';
import { addJob } from '../delivery/mutations.ts';
import type { Clock } from '../../ports.ts';
import type { Namespace } from '../../registry/namespace.ts';
import type { Registry } from '../../registry/registry.ts';
import { isOutdated, moveMember, noteTold, removeMember, touch, type GroupingHandler } from './mutations.ts';
import { groupsOf, openTouched, type Group, type GroupId, type GroupMember } from './state.ts';
import { GROUPED_EVENTS } from './storage.ts';

/** Most events moved in one commit when `group_by` was changed or removed. */
const SLICE = 100;

/**
 * Most events of a group that are read for a flush if there are inhibition rules, changed ones first. It is twice the
 * maximum of a run.
 */
const LOOKED_AT = 2000;

interface TurnParts {
  readonly batcher: Pick<Batcher, 'run'>;
  readonly definitions: Pick<Definitions, 'in' | 'inhibitions'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** A handler with `group_by`. */
type Grouping = RunningHandler & { readonly group_by: readonly string[] };

/** Flushes groups, each in one commit with the run that it enqueues. */
export class GroupTurns {
  readonly #parts: TurnParts;

  constructor(parts: TurnParts) {
    this.#parts = parts;
  }

  /** Returns the time of the next flush; see `dueOf`. */
  dueOf(group: Group): number {
    return dueOf(this.#parts.definitions, group);
  }

  /**
   * Flushes a group that is due. If `group_by` changed, its events move to their new groups, a chunk at a time. If
   * `group_by` was removed, each pending notification becomes a run of its own.
   *
   * @throws MonError `unavailable`
   */
  take(id: GroupId): Promise<void> {
    const { batcher, clock } = this.#parts;
    return batcher.run((transaction) => this.#take(transaction, id), {
      needs: (registry) => this.#needs(registry, id, clock.now()),
    });
  }

  #needs(registry: Registry, id: GroupId, nowMs: number): readonly GroupMember[] {
    const namespace = registry.held(id.namespace);
    const group = namespace && groupsOf(namespace).get(id.handler, id.key);
    if (namespace === undefined || group === undefined) return [];
    const handler = this.#handlerOf(group);
    if (handler === undefined || isOutdated(group, handler.group_by)) return firstOf(group);
    // With inhibition rules, more events must be read: only the event itself shows whether it is inhibited by now.
    const limits = this.#parts.definitions.inhibitions.length > 0 ? MANY : limitsOf(handler);
    return turnOf(namespace, group, handler, nowMs, limits).listed.map(([member]) => member);
  }

  #take(transaction: Transaction, id: GroupId): void {
    const namespace = transaction.registry.namespace(id.namespace);
    const group = groupsOf(namespace).get(id.handler, id.key);
    if (group === undefined) return;
    const handler = this.#handlerOf(group);
    if (handler === undefined || isOutdated(group, handler.group_by)) {
      dissolve(transaction, namespace, group, handler && { name: group.handler, names: handler.group_by });
    } else if (dueAtMs(group, groupTimes(handler)) <= transaction.nowMs) {
      const isInhibited = this.#inhibitedIn(transaction, namespace);
      const turn = turnOf(namespace, group, handler, transaction.nowMs, limitsOf(handler), isInhibited);
      tell(transaction, namespace, group, turn);
    }
    // Schedule the group again, whatever happened to it.
    transaction.registry.state(openTouched).add(group);
  }

  #inhibitedIn(transaction: Transaction, namespace: Namespace): IsInhibited {
    const { inhibitions } = this.#parts.definitions;
    if (inhibitions.length === 0) return () => false;
    return (member) =>
      transaction.hasBody(GROUPED_EVENTS, member) &&
      inhibitionOf(inhibitions, namespace, transaction.body(GROUPED_EVENTS, member)) !== undefined;
  }

  #handlerOf(group: Group): Grouping | undefined {
    return handlerOf(this.#parts.definitions, group);
  }
}

/** Returns the time of the next flush of a group in epoch milliseconds; 0: at once, because `group_by` changed. */
export function dueOf(definitions: Pick<Definitions, 'in'>, group: Group): number {
  const handler = handlerOf(definitions, group);
  return isOutdated(group, handler?.group_by) ? 0 : dueAtMs(group, groupTimes(handler ?? {}));
}

function handlerOf(definitions: Pick<Definitions, 'in'>, { namespace, handler }: Group): Grouping | undefined {
  const definition = definitions.in(namespace).handler(handler);
  return definition !== undefined && isGrouping(definition) ? definition : undefined;
}

function isGrouping(definition: { readonly type: string; readonly group_by?: unknown }): definition is Grouping {
  return definition.type !== 'set' && definition.group_by !== undefined;
}

type TurnLimits = Pick<Parameters<typeof takeTurn>[2], 'events' | 'bytes'>;

const MANY: TurnLimits = { events: LOOKED_AT, bytes: Infinity };

function limitsOf(handler: Grouping): TurnLimits {
  return { events: groupLimit(handler), bytes: GROUP_BYTES_MAX };
}

type IsInhibited = (member: GroupMember) => boolean;

function turnOf(
  namespace: Namespace,
  group: Group,
  handler: Grouping,
  nowMs: number,
  limits: TurnLimits,
  isInhibited: IsInhibited = () => false,
): Turn<GroupMember> {
  const heeds = handler.handle_silenced !== true;
  const presenceOf = (member: GroupMember): Presence => {
    const { client, check, eventId } = member;
    const entry = namespace.check(client, check);
    if (entry?.state.event?.id !== eventId) return 'gone';
    if (heeds && entry.isSilenced(nowMs)) return 'silenced';
    return isInhibited(member) ? 'inhibited' : 'open';
  };
  return takeTurn(group.members.values(), presenceOf, {
    isRepeatDue: isRepeatDue(group, groupTimes(handler), nowMs),
    ...limits,
  });
}

function tell(transaction: Transaction, namespace: Namespace, group: Group, turn: Turn<GroupMember>): void {
  const { nowMs } = transaction;
  const { cause } = turn;
  const listed = turn.listed.filter(([member]) => transaction.hasBody(GROUPED_EVENTS, member));
  const unread = turn.listed.length - listed.length;
  if (unread > 0) {
    // Record the inhibited events first. The next batch then reads other events in their place.
    for (const member of turn.held) noteTold(transaction, namespace, member, 'held');
    if (turn.held.length > 0) touch(transaction, namespace, group);
    // An unread event may also come from another command of this batch. The next batch flushes the group then.
    if (turn.held.length > 0 || turn.listed.length + turn.omitted <= LOOKED_AT) return;
  }
  if (cause !== undefined) {
    const run = runOf(transaction, group, { ...turn, listed, omitted: turn.omitted + unread }, cause);
    const [first] = run.events;
    if (first !== undefined) addJob(transaction, namespace, group.handler, first, run);
    group.toldAtMs = nowMs;
  }
  group.turnAtMs = nowMs;
  group.untoldSinceMs = turn.hasUntold ? nowMs : undefined;
  for (const member of turn.told) noteTold(transaction, namespace, member, member.status);
  for (const member of turn.held) noteTold(transaction, namespace, member, 'held');
  for (const member of turn.leaves) removeMember(transaction, namespace, member);
  touch(transaction, namespace, group);
}

function runOf(
  transaction: Transaction,
  { namespace, handler, key, by }: Group,
  { listed, omitted, counts, severity }: Turn<GroupMember>,
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

/** @param handler undefined: it has no `group_by` any more, or is not defined */
function dissolve(
  transaction: Transaction,
  namespace: Namespace,
  group: Group,
  handler: GroupingHandler | undefined,
): void {
  for (const member of firstOf(group)) {
    if (!transaction.hasBody(GROUPED_EVENTS, member)) continue;
    if (handler !== undefined && moveMember(transaction, namespace, handler, member)) continue;
    if (isNews(member)) {
      const event = transaction.body(GROUPED_EVENTS, member);
      // If its new group has no room, a handler with `group_by` gets the event as a group of one.
      const alone = handler && groupOfOne({ namespace: namespace.name, handler: handler.name }, handler.names, event);
      addJob(transaction, namespace, group.handler, event, alone);
    }
    removeMember(transaction, namespace, member);
  }
}

function firstOf({ members }: Group): GroupMember[] {
  return [...members.values()].slice(0, SLICE);
}

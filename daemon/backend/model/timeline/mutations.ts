import type { CheckState } from '../../../../shared/domain/event.ts';
import { canBeSilenced } from '../../../../shared/domain/silencing.ts';
import { outputSummary } from '../../../../shared/domain/event-row.ts';
import {
  escalationTransition,
  hasState,
  removalOf,
  stateChangeOf,
  type StateChange,
} from '../../../../shared/domain/timeline/state-change.ts';
import type { EscalationChange } from '../../../../shared/schemas/escalation.ts';
import type { SilencedEntry } from '../../../../shared/schemas/silenced.ts';
import type { Transition } from '../../../../shared/schemas/timeline.ts';
import type { Transaction } from '../transaction/transaction.ts';
import { shownOutput } from '../events/feed-rows.ts';
import type { Key } from '../../ports.ts';
import type { CheckEntry, Namespace } from '../registry/namespace.ts';
import type { Registry } from '../registry/registry.ts';
import { indexOfCheck, indexOfSelector, indexOfSilence, reverseId, TIMELINE_HEAD, timelineOf } from './storage.ts';

/** Maximum number of silences that are listed in one transition. */
const SILENCES_MAX = 20;

/** Maximum length of the reason that is stored in a transition. */
const REASON_MAX = 200;

/** Name of the user who makes the change; undefined if the change is automatic. */
type ActingUser = string | undefined;

/**
 * Records a transition of a check in the timeline, in the same commit as the change itself.
 *
 * @param entry the check, before the change
 * @param output output of the result that causes the new state; undefined if it is unknown
 */
export function recordStateChange(
  transaction: Transaction,
  entry: CheckEntry,
  after: CheckState,
  output: string | undefined,
  by: ActingUser,
): void {
  const change = stateChangeOf(entry.state, after);
  if (change === undefined || !transaction.registry.timeline.isKept) return;
  // While an event is recovering, it keeps its output.
  const eventOutput = after.event?.recovery === undefined ? output : entry.summary;
  recordCheckTransition(
    transaction,
    entry,
    { ...change, ...silencedByAttribute(transaction, entry, change), ...outputOf(entry, eventOutput) },
    by,
  );
}

/** Records a change of an escalation of the check's open event in the timeline. */
export function recordEscalation(transaction: Transaction, entry: CheckEntry, escalation: EscalationChange): void {
  const { event } = entry.state;
  if (event === undefined || !transaction.registry.timeline.isKept) return;
  const change = escalationTransition(event, escalation);
  const details = { ...silencedByAttribute(transaction, entry, change), ...outputOf(entry, entry.summary) };
  recordCheckTransition(transaction, entry, { ...change, ...details }, undefined);
}

/**
 * Records in the timeline that the state of a check is deleted, or that the check is renamed.
 *
 * @param to the new name of the check, if it is renamed
 */
export function recordRemoval(transaction: Transaction, entry: CheckEntry, by: ActingUser, to?: string): void {
  const removal = removalOf(entry.state);
  if (removal === undefined || !transaction.registry.timeline.isKept) return;
  recordCheckTransition(transaction, entry, to === undefined ? removal : { ...removal, kind: 'rename', to }, by);
}

/** Records in the timeline that a silence was created, or that it replaced the silence with the same id. */
export function recordSilence(
  transaction: Transaction,
  namespace: Namespace,
  entry: SilencedEntry,
  by: ActingUser,
): void {
  const { creator, reason, begin, expireAtMs: end, expire_on_resolve: endsWithEvent, recurrence } = entry;
  recordSilenceTransition(transaction, namespace, entry, JSON.stringify({ begin, end }), {
    kind: 'silence',
    ...silenceOf(entry),
    ...(by !== undefined && { by }),
    ...(creator !== null && { creator }),
    ...(reason !== null && { reason: reason.slice(0, REASON_MAX).toWellFormed() }),
    ...(begin !== null && { begin }),
    ...(end !== null && { end }),
    ...(endsWithEvent && { expire_on_resolve: true }),
    ...(recurrence !== undefined && { recurrence }),
  });
}

/**
 * Records in the timeline that a silence ended.
 *
 * @param by name of the user who ended it; undefined if it expired
 * @param reason why it was ended, if given
 */
export function recordSilenceEnd(
  transaction: Transaction,
  namespace: Namespace,
  entry: SilencedEntry,
  by: ActingUser,
  reason?: string,
): void {
  const transition: Transition =
    by === undefined
      ? { kind: 'expire', ...silenceOf(entry) }
      : { kind: 'clear', ...silenceOf(entry), by, ...(reason !== undefined && { reason }) };
  recordSilenceTransition(transaction, namespace, entry, '', transition);
}

function silenceOf({ id, subscription, check, selector }: SilencedEntry): Omit<Transition, 'kind'> {
  return {
    silence: id,
    ...(subscription !== null && { subscription }),
    ...(check !== null && { check }),
    ...(selector !== undefined && { selector }),
  };
}

/** Maximum length of a selector in bytes if it is part of a key, because an index of PostgreSQL allows 2,704 bytes. */
const INDEXED_SELECTOR_BYTES_MAX = 2000;

function recordSilenceTransition(
  transaction: Transaction,
  { name }: Namespace,
  { subscription, check, selector }: SilencedEntry,
  span: string,
  transition: Transition,
): void {
  if (!transaction.registry.timeline.isKept) return;
  if (selector === undefined) {
    writeTransition(transaction, name, [indexOfSilence(name, subscription, check), span], transition);
    return;
  }
  // A database does not allow longer keys. A silence with such a selector is in the timeline of the namespace, but not
  // in those of single checks.
  const isIndexed = Buffer.byteLength(selector) <= INDEXED_SELECTOR_BYTES_MAX;
  writeTransition(transaction, name, isIndexed ? [indexOfSelector(name, selector), span] : undefined, transition);
}

function recordCheckTransition(
  transaction: Transaction,
  { client, name: check }: CheckEntry,
  transition: Omit<Transition, 'client'>,
  by: ActingUser,
): void {
  const { namespace, name } = client;
  const { was = '', status = '' } = transition;
  const index = indexOfCheck(namespace.name, name, check);
  const id = writeTransition(transaction, namespace.name, [index, `${String(was)}>${String(status)}`], {
    ...transition,
    client: name,
    check,
    ...(by !== undefined && { by }),
  });
  transaction.registry.timeline.recordStateChange({ namespace: namespace.name, client: name, check }, id);
}

function writeTransition(
  transaction: Transaction,
  namespace: string,
  indexed: readonly [index: Key, text: string] | undefined,
  transition: Transition,
): number {
  const id = newTimelineId(transaction);
  const reversedId = reverseId(id);
  transaction.write([...timelineOf(namespace), reversedId], JSON.stringify(transition));
  if (indexed !== undefined) transaction.write([...indexed[0], reversedId], indexed[1]);
  return id;
}

/** Returns a new timeline id; it is higher than all ids that were assigned so far. */
export function newTimelineId(transaction: Transaction): number {
  const { registry, nowMs } = transaction;
  const id = registry.timeline.newId(nowMs, () => isBlank(registry));
  transaction.putLatest(TIMELINE_HEAD, registry, 'head');
  return id;
}

/** True if there is no state at all: no silence, and no check with a state. */
export function isBlank(registry: Registry): boolean {
  for (const { silenced, clients } of registry.namespaces()) {
    if (silenced.size > 0) return false;
    for (const { checks } of clients.values())
      for (const { state } of checks.values()) if (hasState(state)) return false;
  }
  return true;
}

function silencedByAttribute(
  { nowMs }: Transaction,
  entry: CheckEntry,
  change: StateChange,
): Pick<Transition, 'silenced_by'> {
  const action = change.kind === 'resolve' ? 'resolve' : change.flapping === true ? 'flapping' : 'create';
  if (change.status === undefined || !canBeSilenced({ status: change.status, action })) return {};
  const ids = entry.silencedBy(nowMs).slice(0, SILENCES_MAX);
  return ids.length === 0 ? {} : { silenced_by: ids };
}

function outputOf({ client }: CheckEntry, output: string | undefined): Pick<Transition, 'output'> {
  const shown = output === undefined ? '' : shownOutput(client, outputSummary(output));
  return shown === '' ? {} : { output: shown };
}

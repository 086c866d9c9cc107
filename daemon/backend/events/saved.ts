import type { CheckState, EventState } from '../../../shared/domain/event.ts';
import type { Transaction } from '../commit/transaction.ts';
import type { CheckEntry } from '../registry/namespace.ts';
import type { CheckBodies, RenewedResult } from './check-record.ts';
import { forgetInhibitor } from '../inhibitions/saved.ts';
import { noteRemoval, noteTurn } from '../timeline/saved.ts';
import { noteMatched } from '../silences/saved.ts';
import { CHECK_RECORDS } from './table.ts';

/**
 * @param output of the event, when `state` holds a new one
 * @param by who asked for it, where somebody did
 */
export function saveCheck(
  transaction: Transaction,
  entry: CheckEntry,
  state: CheckState,
  bodies: CheckBodies,
  output: string | undefined,
  by?: string,
): void {
  const { facts } = entry;
  // Of a result that was deleted the check of its event is left.
  const known = bodies.check ?? bodies.eventCheck;
  if (known !== undefined && (state.event ?? entry.state.event) !== undefined) {
    entry.client.namespace.learnCheck(entry, known, state.event === undefined ? undefined : bodies.eventCheck);
  }
  // What silences it is noted below, by the severity that it has from now on.
  if (state.event !== undefined) entry.eventStatus = state.event.status;
  noteTurn(transaction, entry, state, output ?? bodies.check?.output, by);
  if ((state.event === undefined) !== (entry.state.event === undefined)) noteMatch(transaction, entry);
  // An event that stays as it is through an OK may be silenced by others because of what that says.
  if (state.event !== entry.state.event || entry.facts !== facts) transaction.announce(CHECK_RECORDS, entry);
  if (state.event === undefined && entry.state.event !== undefined) {
    endInhibitor(transaction, entry);
    noteInhibited(transaction, entry, undefined);
  }
  entry.client.namespace.setCheck(entry, state, bodies.check ?? undefined, output);
  transaction.keep(CHECK_RECORDS, entry, bodies);
}

/**
 * The last result of a check, which has a base, came once more, with other times and perhaps another output. No event is
 * open, so that nobody is to be told.
 */
export function renewCheck(
  transaction: Transaction,
  entry: CheckEntry,
  state: CheckState,
  renewed: RenewedResult,
): void {
  entry.client.namespace.renewCheck(entry, state, renewed.executed);
  transaction.amend(CHECK_RECORDS, entry, renewed);
}

/** Notes in the open event of a check that this batch saved whether a silence keeps back its handlers. */
export function saveSuppressed(entry: CheckEntry, isSuppressed: true | undefined): void {
  const { event } = entry.state;
  if (event !== undefined) entry.state = { ...entry.state, event: { ...event, isSuppressed } };
}

/** Notes in the open event of a check that this batch saves whether an inhibition keeps it, or has kept it, from handlers, and from whom. */
export function saveInhibited(
  transaction: Transaction,
  entry: CheckEntry,
  { isHeld, inhibited, owed }: Pick<EventState, 'isHeld' | 'inhibited' | 'owed'>,
): void {
  const { event } = entry.state;
  if (event === undefined) return;
  noteInhibited(transaction, entry, inhibited);
  entry.client.namespace.inhibited.move(entry, event.inhibited, inhibited);
  entry.state = { ...entry.state, event: { ...event, isHeld, inhibited, owed } };
}

/** Announces that a rule keeps more or fewer events quiet. */
function noteInhibited(transaction: Transaction, entry: CheckEntry, after: EventState['inhibited']): void {
  const before = entry.state.event?.inhibited;
  if (before === after) return;
  const { name } = entry.client.namespace;
  if (before !== undefined) transaction.note(['inhibited', name, before.rule]);
  if (after !== undefined && after.rule !== before?.rule) transaction.note(['inhibited', name, after.rule]);
  transaction.announce(CHECK_RECORDS, entry);
}

/**
 * Forgets that silences kept back the open event of a check, whose bodies the command must have asked for. Nothing that
 * is shown changes with it.
 */
export function saveUnsuppressed(transaction: Transaction, entry: CheckEntry): void {
  const bodies = transaction.body(CHECK_RECORDS, entry);
  saveSuppressed(entry, undefined);
  transaction.keep(CHECK_RECORDS, entry, bodies);
}

/**
 * @param by who asked for it, where somebody did
 * @param to under which name it goes on
 */
export function removeCheck(transaction: Transaction, entry: CheckEntry, by?: string, to?: string): void {
  noteRemoval(transaction, entry, by, to);
  noteEvent(transaction, entry);
  if (entry.state.event !== undefined) {
    endInhibitor(transaction, entry);
    noteInhibited(transaction, entry, undefined);
  }
  entry.client.namespace.removeCheck(entry);
  transaction.forget(CHECK_RECORDS, entry);
}

/** That an event begins or ends is a match of those that silence it, whether or not a handler would have heard of it. */
function noteMatch(transaction: Transaction, entry: CheckEntry): void {
  const { namespace } = entry.client;
  if (namespace.silenced.size > 0) noteMatched(transaction, namespace, entry.silencedBy(transaction.nowMs));
}

function endInhibitor(transaction: Transaction, { client, name }: CheckEntry): void {
  forgetInhibitor(transaction, client.namespace, client.name, name);
}

/** Announces the open event of a check, if there is one: what is shown of it may be another. */
export function noteEvent(transaction: Transaction, entry: CheckEntry): void {
  if (entry.state.event !== undefined) transaction.announce(CHECK_RECORDS, entry);
}

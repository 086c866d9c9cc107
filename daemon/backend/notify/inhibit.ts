import { buildEvent } from '../../../shared/domain/build-event.ts';
import type { EventState } from '../../../shared/domain/event.ts';
import type { Quiet, RoutedHandler } from '../../../shared/domain/notify/verdict.ts';
import { nextInhibited, quietAsBefore, quietEnd } from '../../../shared/domain/notify/inhibition-rule.ts';
import { stillOwed } from '../../../shared/domain/notify/log.ts';
import type { Event } from '../../../shared/schemas/event.ts';
import type { Inhibited } from '../../../shared/schemas/inhibition.ts';
import type { Transaction } from '../commit/transaction.ts';
import { CLIENTS } from '../clients/table.ts';
import type { CheckBodies } from '../events/check-record.ts';
import { saveInhibited } from '../events/saved.ts';
import { noteInhibitor } from './inhibitions/mutations.ts';
import { inhibitionOf, openSettledRules } from './inhibitions/state.ts';
import type { CheckEntry } from '../registry/namespace.ts';
import type { Occasion } from './context.ts';

/*
 * The inhibitions of an event while it is handled: whether it inhibits others, whether it is inhibited itself, and
 * what its record stores about that.
 */

/** Records whether a stored event inhibits others from now on. */
export function noteInhibiting(transaction: Transaction, occasion: Occasion): void {
  const { client, check, state, history } = occasion;
  if (!isOfStored(occasion) || !transaction.hasBody(CLIENTS, client)) return;
  const record = transaction.body(CLIENTS, client);
  const event = buildEvent({ client: record, check, state, history, silencedBy: NONE });
  noteInhibitor(transaction, client.namespace, transaction.handling.definitions.inhibitions, event);
}

/** Records whether an event that was stored by other means than a result inhibits others from now on. */
export function noteStoredInhibiting(
  transaction: Transaction,
  { client, state }: CheckEntry,
  bodies: CheckBodies,
): void {
  const check = bodies.eventCheck ?? bodies.check;
  if (state.event === undefined || check === null || transaction.handling.definitions.inhibitions.length === 0) return;
  noteInhibiting(transaction, { client, check, state: state.event, history: bodies.eventHistory ?? state.history });
}

const NONE: readonly never[] = [];

/** Returns the reason if an inhibition suppresses an event for all handlers; undefined if none does. */
export function quietNow(transaction: Transaction, occasion: Occasion, event: Event): Quiet | undefined {
  const { client, state } = occasion;
  if (event.action === 'resolve') return quietEnd(state);
  const { inhibitions } = transaction.handling.definitions;
  const quiet = inhibitions.length === 0 ? undefined : inhibitionOf(inhibitions, client.namespace, event);
  return quiet ?? (state.inhibited === undefined ? undefined : untilJudged(transaction, occasion, state.inhibited));
}

/**
 * Returns the previous reason for an event inhibited by a rule that was changed or removed, until the event is judged
 * again. Before that the inhibitors under the current rules are not known (inhibition 4).
 */
function untilJudged(transaction: Transaction, { isJudged }: Occasion, inhibited: Inhibited): Quiet | undefined {
  if (isJudged === true) return undefined;
  const { inhibitions } = transaction.handling.definitions;
  const { mark } = inhibited;
  if (!transaction.registry.state(openSettledRules).marks.includes(mark)) return undefined;
  return inhibitions.some((rule) => rule.mark === mark) ? undefined : quietAsBefore(inhibited);
}

/** True if an event that an inhibition suppressed is handled for the first time without one. */
export function isFreed({ inhibited }: EventState, quiet: Quiet | undefined, event: Event): boolean {
  return inhibited?.isWithheld === true && quiet === undefined && event.action !== 'resolve';
}

/**
 * Records in an open event whether any handler was notified, the current inhibition, and the pending notifications.
 *
 * @param handlers all handlers to notify now: without an inhibition, their pending notifications are settled
 * @param withheldFrom the handlers among them that would have run but for the inhibition
 */
export function rememberQuiet(
  transaction: Transaction,
  occasion: Occasion,
  quiet: Quiet | undefined,
  { handlers, withheldFrom }: { readonly handlers: readonly RoutedHandler[]; readonly withheldFrom: readonly string[] },
): void {
  const { state, isNew } = occasion;
  if (quiet === undefined && isUninhibited(state)) return;
  const entry = storedEntry(occasion);
  if (entry === undefined) return;
  const isHeld = quiet !== undefined && (isNew === true || state.isHeld === true) ? true : undefined;
  const inhibited = nextInhibited(state.inhibited, quiet, [...(state.owed ?? []), ...withheldFrom]);
  const named = handlers.map(({ name }) => name);
  const owed = quiet === undefined ? stillOwed(state, named) : undefined;
  if (isHeld !== state.isHeld || inhibited !== state.inhibited || owed?.join() !== state.owed?.join()) {
    saveInhibited(transaction, entry, { isHeld, inhibited, owed });
  }
}

function isUninhibited({ isHeld, inhibited, owed }: EventState): boolean {
  return isHeld === undefined && inhibited === undefined && owed === undefined;
}

/**
 * True if the occasion is about the event as it is stored. Metrics can be handled beside it: then the stored event
 * stays unchanged, and keeps inhibiting others and its own pending notifications.
 */
export function isOfStored(occasion: Occasion): boolean {
  return storedEntry(occasion)?.state.event === occasion.state;
}

/** True if an occasion has the id of a stored event but leaves that event unchanged. */
export function isBesideStored(occasion: Occasion): boolean {
  const entry = storedEntry(occasion);
  return entry !== undefined && entry.state.event !== occasion.state;
}

/** Returns the entry of an event that is stored; undefined for one that is only handled. */
function storedEntry({ client, check, state }: Occasion): CheckEntry | undefined {
  const entry = client.namespace.check(client.name, check.name);
  return entry?.state.event?.id === state.id ? entry : undefined;
}

import { buildEvent } from '../../../shared/domain/build-event.ts';
import type { EventState } from '../../../shared/domain/event.ts';
import type { Quiet, RoutedHandler } from '../../../shared/domain/handling.ts';
import { nextInhibited, quietAsBefore, quietEnd } from '../../../shared/domain/inhibition/rule.ts';
import { stillOwed } from '../../../shared/domain/withheld.ts';
import type { Event } from '../../../shared/schemas/event.ts';
import type { Inhibited } from '../../../shared/schemas/inhibition.ts';
import type { Transaction } from '../commit/transaction.ts';
import { CLIENTS } from '../clients/table.ts';
import type { CheckBodies } from '../events/check-record.ts';
import { saveInhibited } from '../events/saved.ts';
import { noteInhibitor } from '../inhibitions/saved.ts';
import { inhibitionOf, openSettledRules } from '../inhibitions/state.ts';
import type { CheckEntry } from '../registry/namespace.ts';
import type { Occasion } from './occasion.ts';

/*
 * Inhibitions as the handling of an event meets them: whether it keeps others quiet, whether it is kept quiet itself,
 * and what is remembered of that in its record.
 */

/** Notes whether a stored event keeps others quiet from here on. */
export function noteInhibiting(transaction: Transaction, occasion: Occasion): void {
  const { client, check, state, history } = occasion;
  if (!isOfStored(occasion) || !transaction.hasBody(CLIENTS, client)) return;
  const record = transaction.body(CLIENTS, client);
  const event = buildEvent({ client: record, check, state, history, silencedBy: NONE });
  noteInhibitor(transaction, client.namespace, transaction.handling.definitions.inhibitions, event);
}

/** The same of an event that came to be stored otherwise than by a result. */
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

/** Why an inhibition keeps an event from everybody; undefined: none does. */
export function quietNow(transaction: Transaction, occasion: Occasion, event: Event): Quiet | undefined {
  const { client, state } = occasion;
  if (event.action === 'resolve') return quietEnd(state);
  const { inhibitions } = transaction.handling.definitions;
  const quiet = inhibitions.length === 0 ? undefined : inhibitionOf(inhibitions, client.namespace, event);
  return quiet ?? (state.inhibited === undefined ? undefined : untilJudged(transaction, occasion, state.inhibited));
}

/**
 * What a rule kept quiet that is gone, or says something else now, stays so until it is judged again: before that
 * nobody knows which events keep others quiet by the rules in force (inhibition 4).
 */
function untilJudged(transaction: Transaction, { isJudged }: Occasion, inhibited: Inhibited): Quiet | undefined {
  if (isJudged === true) return undefined;
  const { inhibitions } = transaction.handling.definitions;
  const { mark } = inhibited;
  if (!transaction.registry.state(openSettledRules).marks.includes(mark)) return undefined;
  return inhibitions.some((rule) => rule.mark === mark) ? undefined : quietAsBefore(inhibited);
}

/** Whether an event that an inhibition kept from handlers is handled for the first time without one. */
export function isFreed({ inhibited }: EventState, quiet: Quiet | undefined, event: Event): boolean {
  return inhibited?.isWithheld === true && quiet === undefined && event.action !== 'resolve';
}

/**
 * Remembers in an open event whether anybody has heard of it, what keeps it quiet, and who is to hear of it when it is
 * free.
 *
 * @param handlers all that are to hear of it now: it is owed to them no more where it is free
 * @param withheldFrom those of them that would have run, and that the inhibition keeps it from
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
 * Whether it is about the event as it is stored. Of a metric something may be told that leaves its event as it is,
 * which goes on to keep others quiet, and to be owed to whom an inhibition kept it from.
 */
export function isOfStored(occasion: Occasion): boolean {
  return storedEntry(occasion)?.state.event === occasion.state;
}

/** Whether it leaves an event as it is stored, which it has the id of. */
export function isBesideStored(occasion: Occasion): boolean {
  const entry = storedEntry(occasion);
  return entry !== undefined && entry.state.event !== occasion.state;
}

/** The entry of an event that is stored, and not only handled. */
function storedEntry({ client, check, state }: Occasion): CheckEntry | undefined {
  const entry = client.namespace.check(client.name, check.name);
  return entry?.state.event?.id === state.id ? entry : undefined;
}

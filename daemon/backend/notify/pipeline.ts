import { buildEvent } from '../../../shared/domain/build-event.ts';
import type { EventState } from '../../../shared/domain/event.ts';
import {
  heedsSilences,
  isHandlingDisabled,
  isRun,
  isSuppressedRun,
  judgeHandler,
  type HandlingCircumstances,
  type RoutedHandler,
} from '../../../shared/domain/notify/verdict.ts';
import { groupOfOne } from '../../../shared/domain/notify/group-document.ts';
import { isOwedTo } from '../../../shared/domain/notify/log.ts';
import { checkRedactKeysOf } from '../../../shared/domain/redact.ts';
import { canBeSilenced, silencedBy } from '../../../shared/domain/silencing.ts';
import type { HandlerVerdict } from '../../../shared/schemas/explain.ts';
import type { Event } from '../../../shared/schemas/event.ts';
import type { HandledEvent } from '../../../shared/schemas/handler-job.ts';
import type { SilencedEntry } from '../../../shared/schemas/silenced.ts';
import type { Namespace } from '../registry/namespace.ts';
import { openEvents } from '../events/state.ts';
import type { Transaction } from '../commit/transaction.ts';
import { noteSuppressed } from '../silences/saved.ts';
import { CLIENTS } from '../clients/table.ts';
import { addToGroup, isHeldBack } from './groups/mutations.ts';
import { groupsOf } from './groups/state.ts';
import type { EventHandling, HandlingNote } from './route.ts';
import type { Occasion } from './context.ts';
import { isBesideStored, isFreed, isOfStored, noteInhibiting, quietNow, rememberQuiet } from './inhibit.ts';
import { addJob } from './delivery/mutations.ts';

/**
 * Decides for each handler of an event whether it runs, and enqueues those runs in the commit of the event. The entry
 * of the event in the registry must be up to date, and silences that end with the event removed.
 *
 * @returns the new `isSuppressed` of the event: set from the first run that a silence suppresses until a run without a
 * silence
 */
export function handleEvent(transaction: Transaction, occasion: Occasion): EventState['isSuppressed'] {
  const { check, state } = occasion;
  // A check without handlers can still inhibit others.
  if (transaction.handling.definitions.inhibitions.length > 0) noteInhibiting(transaction, occasion);
  const route = transaction.handling.route(occasion.client.namespace.name, check);
  const isEnd =
    state.action === 'resolve' && !isBesideStored(occasion) && transaction.hasBody(CLIENTS, occasion.client);
  const others = isEnd ? groupsToldOf(transaction.handling, occasion, route.handlers) : NONE;
  const handlers = others.length === 0 ? route.handlers : [...route.handlers, ...others];
  const refusals = others.length === 0 ? route.refusals : undefined;
  // The usual case without handlers: skip building the event.
  const inAdvance = handlers.length === 0 ? NONE : isHandlingDisabled(check) ? DISABLED : refusals;
  if (inAdvance !== undefined) {
    if (isOfStored(occasion)) rememberQuiet(transaction, occasion, undefined, NOBODY);
    note(transaction, occasion, inAdvance);
    return state.isSuppressed;
  }
  return askForRuns(transaction, occasion, handlers);
}

/**
 * Returns handlers that have the problem in a group and are not on the route of its end. The group knows whether they
 * were notified of the problem, so they are notified of the end as well.
 */
export function groupsToldOf(
  handling: Pick<EventHandling, 'definitions'>,
  { client, check }: Pick<Occasion, 'client' | 'check'>,
  handlers: readonly RoutedHandler[],
): readonly RoutedHandler[] {
  const groups = groupsOf(client.namespace);
  if (groups.size === 0) return NONE;
  const definitions = handling.definitions.in(client.namespace.name);
  return groups.membersOf(client.name, check.name).flatMap(({ handler: name, isOver, isPassing }) => {
    const definition = definitions.handler(name);
    const isWanted = !isOver && !isPassing && !handlers.some((handler) => handler.name === name);
    if (!isWanted || definition === undefined || definition.type === 'set') return [];
    return [{ kind: 'handler' as const, name, definition }];
  });
}

/** Notifies the handlers of a check that get every event about an OK event that resolves nothing. */
export function handleWell(transaction: Transaction, occasion: Occasion): void {
  const { client, check } = occasion;
  if (isHandlingDisabled(check)) return;
  askForRuns(transaction, occasion, transaction.handling.route(client.namespace.name, check).all);
}

/**
 * Handles an open event that silences suppressed and that is no longer silenced, only for the handlers that heed
 * silences: the others were notified already. Verdicts and runs are the same as for a new occurrence.
 *
 * @returns whether the silence is settled; false: an inhibition suppressed the event too and has lifted, so the next
 * result notifies all of them (inhibition 2)
 */
export function handleSilenceEnd(transaction: Transaction, occasion: Occasion): boolean {
  const { check, client } = occasion;
  if (isHandlingDisabled(check)) {
    note(transaction, occasion, DISABLED);
    return true;
  }
  if (occasion.state.inhibited !== undefined) {
    const event = eventNow(transaction, occasion);
    if (isFreed(occasion.state, quietNow(transaction, occasion, event), event)) return false;
  }
  const { handlers } = transaction.handling.route(client.namespace.name, check);
  askForRuns(transaction, occasion, handlers.filter(heedsSilences));
  return true;
}

/**
 * Judges an open event again after the inhibition rules changed. Newly inhibited events are recorded. An event whose
 * inhibition lifted is notified as if it had occurred just now.
 */
export function handleRulesChange(transaction: Transaction, changed: Occasion): EventState['isSuppressed'] {
  const occasion: Occasion = { ...changed, isJudged: true };
  const { state } = occasion;
  const event = eventNow(transaction, occasion);
  const quiet = quietNow(transaction, occasion, event);
  if (isFreed(state, quiet, event)) return handleEvent(transaction, occasion);
  // No occurrence came in: handlers with a pending notification get it with the next one.
  rememberQuiet(transaction, occasion, quiet, NOBODY);
  return state.isSuppressed;
}

/** Builds the event as inhibitions see it, without its silences. */
function eventNow(transaction: Transaction, { client, check, state, history }: Occasion): Event {
  return buildEvent({ client: transaction.body(CLIENTS, client), check, state, history, silencedBy: NONE });
}

/**
 * Notifies the handlers of a check about an event that belongs to no client. Groups do not apply, because there is no
 * event to group.
 */
export function handleNotice(transaction: Transaction, namespace: Namespace, event: HandledEvent): void {
  const { handling, nowMs } = transaction;
  const circumstances = handling.circumstances(namespace.name, openEvents(namespace), nowMs);
  const verdicts = handling.route(namespace.name, event.check).handlers.map((handler) => {
    const verdict = handling.judge(handler, event, circumstances);
    if (isRun(verdict)) askAlone(transaction, namespace, handler, event);
    return verdict;
  });
  const { id, client, check, action, occurrences } = event;
  const about = { namespace: namespace.name, client: client.name, check: check.name };
  noteVerdicts(transaction, { ...about, status: check.status, action, occurrences, event_id: id }, verdicts);
}

/** One verdict for the whole event, whatever handlers it has. */
const DISABLED: readonly HandlerVerdict[] = [
  { handler: '*', verdict: 'disabled', reason: 'its check says handle: false' },
];

function askForRuns(
  transaction: Transaction,
  occasion: Occasion,
  handlers: readonly RoutedHandler[],
): EventState['isSuppressed'] {
  const { client, state } = occasion;
  const { namespace } = client;
  const record = transaction.body(CLIENTS, client);
  const event = buildEvent({ ...occasion, client: record, silencedBy: silencesOf(occasion, transaction.nowMs) });
  const silencedOk = handlers.some(getsV2Events) ? silencedOkEvent(occasion, event, transaction.nowMs) : undefined;
  const quiet = quietNow(transaction, occasion, event);
  // An event beside the stored one creates no pending notification and settles none.
  const isBeside = isBesideStored(occasion);
  const isFree = !isBeside && quiet === undefined && event.action !== 'resolve';
  const isTelling = !isBeside && transaction.handling.handlesSilenceEnds();
  const unsilenced = isTelling ? afterSilence(event, state) : undefined;
  const circumstances: HandlingCircumstances = {
    ...transaction.handling.circumstances(namespace.name, openEvents(namespace), transaction.nowMs, quiet),
    isBeside,
  };
  const uninhibited = { ...circumstances, quiet: undefined };
  const verdicts: HandlerVerdict[] = [];
  let hasRun = false;
  const withheldFrom: string[] = [];
  let isSuppressed = state.isSuppressed;
  for (const handler of handlers) {
    const shown = silencedOk !== undefined && getsV2Events(handler) ? silencedOk : event;
    const usual = unsilenced !== undefined && heedsSilences(handler) ? unsilenced : shown;
    const isHeld = !isBeside && quiet === undefined && isHeldFrom(namespace, handler, event);
    // Only handlers that missed a notification get `inhibition_ended`.
    const isOwed = isHeld || (isFree && isOwedTo(state, handler.name));
    const given: HandledEvent = isOwed ? { ...usual, inhibition_ended: true } : usual;
    const verdict = transaction.handling.judge(handler, given, circumstances);
    verdicts.push(verdict);
    if (isRun(verdict)) {
      ask(transaction, namespace, handler, given);
      hasRun = true;
    } else if (event.silenced && verdict.verdict === 'silenced' && isSuppressedRun(handler, given, uninhibited)) {
      // If both apply, record the inhibition; the silence is re-evaluated once the inhibition lifts.
      if (quiet === undefined) {
        noteSuppressed(transaction, namespace, event.silenced_by);
        isSuppressed = true;
      } else withheldFrom.push(handler.name);
    } else if (verdict.verdict === 'inhibited' && isRun(judgeHandler(handler, given, uninhibited))) {
      withheldFrom.push(handler.name);
    }
  }
  if (!isBeside) rememberQuiet(transaction, occasion, quiet, { handlers, withheldFrom });
  note(transaction, occasion, verdicts);
  return unsilenced !== undefined || (hasRun && !event.silenced) ? undefined : isSuppressed;
}

/** Enqueues the event with its group, or alone if it has no group or the group has no room. */
function ask(transaction: Transaction, namespace: Namespace, handler: RoutedHandler, event: HandledEvent): void {
  const { name } = handler;
  const names = groupNamesOf(handler);
  if (names !== undefined && addToGroup(transaction, namespace, { name, names }, event)) return;
  askAlone(transaction, namespace, handler, event);
}

/** Enqueues the event alone. A handler with `group_by` gets it as a group of one. */
function askAlone(transaction: Transaction, namespace: Namespace, handler: RoutedHandler, event: HandledEvent): void {
  const { name } = handler;
  const names = groupNamesOf(handler);
  const group = names && groupOfOne({ namespace: namespace.name, handler: name }, names, event);
  addJob(transaction, namespace, name, event, group);
}

/**
 * True if an inhibition held the event back from this handler when its group was flushed, after the event was handled.
 */
function isHeldFrom(namespace: Namespace, handler: RoutedHandler, event: Event): boolean {
  return (
    event.action !== 'resolve' && groupNamesOf(handler) !== undefined && isHeldBack(namespace, handler.name, event)
  );
}

function groupNamesOf(handler: RoutedHandler): readonly string[] | undefined {
  return handler.kind === 'handler' ? handler.definition?.group_by : undefined;
}

/**
 * Returns the event with `silence_ended`, the first time that a suppressed event is not silenced. The clock or a result
 * may notice the end of the silence; either way handlers are notified once. Returns undefined if nothing was
 * suppressed, or a silence still applies. A resolve never mentions the silence.
 */
function afterSilence(event: HandledEvent, { isSuppressed }: EventState): HandledEvent | undefined {
  if (isSuppressed !== true || event.silenced || event.action === 'resolve') return undefined;
  return { ...event, silence_ended: true };
}

/** Returns the ids of the entries that silence an event at this moment. */
export function silencesOf(occasion: Occasion, nowMs: number): readonly string[] {
  return canBeSilenced(occasion.state) ? matchingSilences(occasion, nowMs) : NONE;
}

function matchingSilences(occasion: Occasion, nowMs: number): readonly string[] {
  const { client, check } = occasion;
  return silencedBy(client.namespace.silenced, client.subscriptions, check.name, nowMs, selectedFor(occasion));
}

/**
 * Returns an OK result that resolves nothing as handlers of the v2 format get it: silenced if entries match it, as the
 * API shows it. The v1 API looks up no silences for it (completion 1.3).
 *
 * @returns undefined when nothing silences it, or when all handlers get the same event
 */
export function silencedOkEvent(occasion: Occasion, event: Event, nowMs: number): Event | undefined {
  if (canBeSilenced(occasion.state)) return undefined;
  const silencedIds = matchingSilences(occasion, nowMs);
  return silencedIds.length === 0 ? undefined : { ...event, silenced: true, silenced_by: silencedIds };
}

/** True if a handler gets events in the v2 format. */
export function getsV2Events(handler: RoutedHandler): boolean {
  return handler.kind === 'handler' && handler.definition?.event_format === 'core';
}

/** Returns the silenced entries whose selector matches an event. */
export function selectedFor({ client, check, state, isAssumed }: Occasion): readonly SilencedEntry[] {
  const { silenced, watched } = client.namespace;
  if (!silenced.hasSelectors) return NONE;
  const entry = client.checks.get(check.name);
  if (entry !== undefined && isAssumed !== true) return entry.selected();
  const facts = watched.check.read(check, checkRedactKeysOf({ redact: client.redact }));
  // A resolving event keeps the severity that it had, as in `CheckEntry.alertStatus`.
  const status = state.status === 0 ? (entry?.alertStatus ?? 0) : state.status;
  return silenced.selectingOnce(client.subject(check.name, facts, status));
}

const NONE: readonly never[] = [];

const NOBODY = { handlers: NONE, withheldFrom: NONE };

function note(transaction: Transaction, { client, check, state }: Occasion, verdicts: readonly HandlerVerdict[]): void {
  const { id, status, action, occurrences } = state;
  const about = { namespace: client.namespace.name, client: client.name, check: check.name };
  noteVerdicts(transaction, { ...about, status, action, occurrences, event_id: id }, verdicts);
}

function noteVerdicts(
  transaction: Transaction,
  about: Omit<HandlingNote, 'verdicts'>,
  verdicts: readonly HandlerVerdict[],
): void {
  const worthSaying = verdicts.filter(({ verdict, defects }) => verdict !== 'handle' || defects !== undefined);
  if (worthSaying.length > 0) transaction.noteHandling({ ...about, verdicts: worthSaying });
}

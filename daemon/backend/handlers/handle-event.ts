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
} from '../../../shared/domain/handling.ts';
import { groupOfOne } from '../../../shared/domain/grouping/run.ts';
import { isOwedTo } from '../../../shared/domain/withheld.ts';
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
import { addToGroup, isHeldBack } from '../groups/saved.ts';
import { groupsOf } from '../groups/state.ts';
import type { EventHandling, HandlingNote } from './event-handling.ts';
import type { Occasion } from './occasion.ts';
import { isBesideStored, isFreed, isOfStored, noteInhibiting, quietNow, rememberQuiet } from './quieting.ts';
import { addJob } from './saved.ts';

/**
 * Decides for each handler of an event whether it runs, and asks for those runs in the commit of the event. Its own
 * entry in the registry must be up to date, and silences that end with it gone.
 *
 * @returns what the event is to remember: whether a silence keeps back what would have run, from the first such run
 * until one is made without a silence
 */
export function handleEvent(transaction: Transaction, occasion: Occasion): EventState['isSuppressed'] {
  const { check, state } = occasion;
  // Also of a check that nobody hears of: it may keep others quiet.
  if (transaction.handling.definitions.inhibitions.length > 0) noteInhibiting(transaction, occasion);
  const route = transaction.handling.route(occasion.client.namespace.name, check);
  const isEnd =
    state.action === 'resolve' && !isBesideStored(occasion) && transaction.hasBody(CLIENTS, occasion.client);
  const others = isEnd ? groupsToldOf(transaction.handling, occasion, route.handlers) : NONE;
  const handlers = others.length === 0 ? route.handlers : [...route.handlers, ...others];
  const refusals = others.length === 0 ? route.refusals : undefined;
  // The usual case of who has no handlers yet: no event is put together for it.
  const inAdvance = handlers.length === 0 ? NONE : isHandlingDisabled(check) ? DISABLED : refusals;
  if (inAdvance !== undefined) {
    if (isOfStored(occasion)) rememberQuiet(transaction, occasion, undefined, NOBODY);
    note(transaction, occasion, inAdvance);
    return state.isSuppressed;
  }
  return askForRuns(transaction, occasion, handlers);
}

/**
 * Handlers that have a problem in a group, and are not among those of its end: of them it is known whether they were
 * told of it, so they hear of the end, too.
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

/** Gives an event that is well and follows nothing to those handlers of its check that get every event. */
export function handleWell(transaction: Transaction, occasion: Occasion): void {
  const { client, check } = occasion;
  if (isHandlingDisabled(check)) return;
  askForRuns(transaction, occasion, transaction.handling.route(client.namespace.name, check).all);
}

/**
 * Handles an open event that silences kept from handlers and nothing silences any more, for those handlers alone: the
 * others had it already. What is said and what runs is as if it had occurred just now.
 *
 * @returns whether the silence is done with; false: an inhibition kept the event from handlers too and is over, so that
 * its next result tells all of them (inhibition 2)
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
 * Judges an open event again because the inhibitions are others than when it was handled last: who is kept quiet from
 * now on is noted, and what an inhibition kept from handlers is told as if it had occurred just now.
 */
export function handleRulesChange(transaction: Transaction, changed: Occasion): EventState['isSuppressed'] {
  const occasion: Occasion = { ...changed, isJudged: true };
  const { state } = occasion;
  const event = eventNow(transaction, occasion);
  const quiet = quietNow(transaction, occasion, event);
  if (isFreed(state, quiet, event)) return handleEvent(transaction, occasion);
  // Nothing has come: who is owed something hears of it with what does.
  rememberQuiet(transaction, occasion, quiet, NOBODY);
  return state.isSuppressed;
}

/** As inhibitions see it, whoever silences it. */
function eventNow(transaction: Transaction, { client, check, state, history }: Occasion): Event {
  return buildEvent({ client: transaction.body(CLIENTS, client), check, state, history, silencedBy: NONE });
}

/**
 * Gives what is of no client to the handlers that its check names, as they take any event, but for groups: there is no
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

/** Once for the event, whoever its handlers are. */
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
  // What is told beside an open event is owed to nobody, and takes nothing from whom something is owed.
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
    // Who was kept from nothing is told of no end.
    const isOwed = isHeld || (isFree && isOwedTo(state, handler.name));
    const given: HandledEvent = isOwed ? { ...usual, inhibition_ended: true } : usual;
    const verdict = transaction.handling.judge(handler, given, circumstances);
    verdicts.push(verdict);
    if (isRun(verdict)) {
      ask(transaction, namespace, handler, given);
      hasRun = true;
    } else if (event.silenced && verdict.verdict === 'silenced' && isSuppressedRun(handler, given, uninhibited)) {
      // Of both the inhibition remembers it: the silence is asked again when that ends.
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

/** By itself, or with its group; where there is no room in the group, by itself. */
function ask(transaction: Transaction, namespace: Namespace, handler: RoutedHandler, event: HandledEvent): void {
  const { name } = handler;
  const names = groupNamesOf(handler);
  if (names !== undefined && addToGroup(transaction, namespace, { name, names }, event)) return;
  askAlone(transaction, namespace, handler, event);
}

/** By itself: a handler that tells of groups gets it as a group of one. */
function askAlone(transaction: Transaction, namespace: Namespace, handler: RoutedHandler, event: HandledEvent): void {
  const { name } = handler;
  const names = groupNamesOf(handler);
  const group = names && groupOfOne({ namespace: namespace.name, handler: name }, names, event);
  addJob(transaction, namespace, name, event, group);
}

/**
 * Whether its group holds an event back from a handler, which would have heard of it but for an inhibition that began
 * later.
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
 * The event as handlers get it that silences kept it from, the first time that nothing silences it: whether the end of
 * the silence is noticed by the clock or by a result, it is told once. Undefined: nothing was kept back, or still is.
 * Who hears that a problem is over needs no word of the silence.
 */
function afterSilence(event: HandledEvent, { isSuppressed }: EventState): HandledEvent | undefined {
  if (isSuppressed !== true || event.silenced || event.action === 'resolve') return undefined;
  return { ...event, silence_ended: true };
}

/** Ids of the entries that silence an event at this moment. */
export function silencesOf(occasion: Occasion, nowMs: number): readonly string[] {
  return canBeSilenced(occasion.state) ? matchingSilences(occasion, nowMs) : NONE;
}

function matchingSilences(occasion: Occasion, nowMs: number): readonly string[] {
  const { client, check } = occasion;
  return silencedBy(client.namespace.silenced, client.subscriptions, check.name, nowMs, selectedFor(occasion));
}

/**
 * An OK result that resolves nothing, as handlers of version 2 get it: silenced where entries match it, as the API
 * shows it. Version 1 looks up no silences for it (completion 1.3).
 *
 * @returns undefined when nothing silences it, or when it is shown to all handlers in the same way
 */
export function silencedOkEvent(occasion: Occasion, event: Event, nowMs: number): Event | undefined {
  if (canBeSilenced(occasion.state)) return undefined;
  const silencedIds = matchingSilences(occasion, nowMs);
  return silencedIds.length === 0 ? undefined : { ...event, silenced: true, silenced_by: silencedIds };
}

/** Whether a handler gets events in the format of version 2. */
export function getsV2Events(handler: RoutedHandler): boolean {
  return handler.kind === 'handler' && handler.definition?.event_format === 'core';
}

/** The silenced entries whose selector matches an event. */
export function selectedFor({ client, check, state, isAssumed }: Occasion): readonly SilencedEntry[] {
  const { silenced, watched } = client.namespace;
  if (!silenced.hasSelectors) return NONE;
  const entry = client.checks.get(check.name);
  if (entry !== undefined && isAssumed !== true) return entry.selected();
  const facts = watched.check.read(check, checkRedactKeysOf({ redact: client.redact }));
  // An event that ends has the severity that it had, as in `CheckEntry.alertStatus`.
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

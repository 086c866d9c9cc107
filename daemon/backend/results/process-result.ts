import { BUILT_IN } from '../../../shared/domain/built-in.ts';
import { nextCheckState, type CheckState } from '../../../shared/domain/event.ts';
import { entriesEndedByResolve } from '../../../shared/domain/silencing.ts';
import { withinOutputSize, withStoredOutput } from '../../../shared/domain/truncation.ts';
import { clientSubscription } from '../../../shared/domain/subscription.ts';
import type { MonError } from '../../../shared/errors.ts';
import { BACKEND_CLIENT } from '../../../shared/schemas/backend-client.ts';
import type { Client } from '../../../shared/schemas/client.ts';
import type { CheckResult } from '../../../shared/schemas/result.ts';
import { COMPATIBLE_VERSION } from '../../../shared/schemas/version.ts';
import type { CheckBodies } from '../model/events/check-record.ts';
import type { CheckEntry, ClientEntry, Namespace } from '../model/registry/namespace.ts';
import { endSilenced } from '../silences/commands.ts';
import { notifyOk, notifyRegistration, notifyResult } from '../notify/notifications.ts';
import type { Transaction } from '../model/transaction/transaction.ts';
import { type EventDemand } from '../model/notify/route.ts';
import { saveCheck } from '../model/events/mutations.ts';
import { pendingResolutionsOf, type PendingResolution } from '../model/notify/silence-ends/state.ts';
import { saveClient } from '../model/clients/mutations.ts';
import { CHECK_RECORDS } from '../model/events/storage.ts';

/** A result that is ready for the rules: merged with its definition, with every default filled in. */
export interface IncomingResult {
  /** The client of the result: the reporter, or the check's `source`. */
  readonly client: string;
  /** The client that reported it. */
  readonly reporter: string;
  readonly check: CheckResult;
  /** Name of the user who requested it; absent: it was reported. */
  readonly by?: string;
}

/** The reporter of results that come through the API, unless they name a `source` (completion 1.6). */
export const API_REPORTER = 'sensu-api';

type RecordEntry = CheckEntry | ClientEntry | PendingResolution;

const NONE: readonly RecordEntry[] = [];

const BUILT_IN_HANDLERS: ReadonlySet<string> = BUILT_IN.handlers;

/**
 * Returns the entries whose bodies these results need. These are the client of an event that may reach handlers, and an
 * event that outlives an OK, which keeps its original parts. Nearly all results need none.
 *
 * @param demand the handlers that an event of the namespace could reach
 */
export function recordsNeeded(
  namespace: Namespace,
  results: readonly IncomingResult[],
  demand: EventDemand,
): readonly RecordEntry[] {
  let needed: RecordEntry[] | undefined;
  let client: ClientEntry | undefined;
  const resolutions = pendingResolutionsOf(namespace);
  for (const result of results) {
    const { check } = result;
    const isPlainOk = check.status === 0 && check['auto_resolve'] !== false && check['resolve_after'] === undefined;
    const mayRun = demand !== 'none' || namesBuiltIn(check);
    if (isPlainOk && !mayRun) continue;
    // Most of the time an agent reports for itself.
    if (client?.name !== result.client) client = namespace.clients.get(result.client);
    if (client === undefined) continue;
    const entry = client.checks.get(check.name);
    if (mayRun && mayBeHandled(entry, check, demand)) (needed ??= []).push(client);
    const pending = resolutions.size === 0 ? undefined : resolutions.get(client.name, check.name);
    if (pending !== undefined) (needed ??= []).push(pending);
    if (!isPlainOk && entry !== undefined && mayOutlive(entry, check)) (needed ??= []).push(entry);
  }
  return needed ?? NONE;
}

/** True if a result may leave an event as it was built. */
function mayOutlive({ state }: CheckEntry, check: CheckResult): boolean {
  return check.status === 0 && (check['auto_resolve'] === false || state.event !== undefined);
}

/** True if it names a built-in handler, which needs no definition. */
function namesBuiltIn({ handler, handlers }: CheckResult): boolean {
  if (typeof handler === 'string' && BUILT_IN_HANDLERS.has(handler)) return true;
  return Array.isArray(handlers) && handlers.some((name) => BUILT_IN_HANDLERS.has(String(name)));
}

/**
 * True if the result may run a handler. A result that opens an event in the same batch is handled itself, so that its
 * client is fetched when the event ends.
 */
function mayBeHandled(entry: CheckEntry | undefined, check: CheckResult, demand: EventDemand): boolean {
  if (demand === 'all' && Array.isArray(check['handlers']) && check['handlers'].length > 0) return true;
  if (check.status !== 0 || entry?.state.event !== undefined) return true;
  return check['type'] === 'metric' || check['low_flap_threshold'] !== undefined;
}

/** Returns the reason why a result is rejected: it would create a client or a check, and memory is full. */
export function refusalOfNew(
  { memory }: Transaction,
  namespace: Namespace,
  client: string,
  check: string,
): MonError | undefined {
  if (!memory.isFull || namespace.check(client, check) !== undefined) return undefined;
  return memory.refusal();
}

/**
 * Applies one result: history, event, the silences that end with it, and the handlers that run (completion 1.4).
 *
 * @returns the entry of the result
 */
export function processResult(transaction: Transaction, namespace: Namespace, result: IncomingResult): CheckEntry {
  const { check } = result;
  const client = namespace.clients.get(result.client) ?? registerUnknown(transaction, namespace, result);
  const entry = namespace.ensureCheck(client, check.name);
  const notifiesOk = check.status === 0 && transaction.routing.notifiesOk(namespace.name, check);
  const isNew = entry.state.event === undefined;
  const { state, transition } = nextCheckState(entry.state, check, {
    now: transaction.now,
    newId: transaction.newId,
    notifiesOk,
  });
  const isOpened = transition.kind === 'open';
  const bodies = nextBodies(transaction, entry, state, isOpened, withinOutputSize(check));
  saveCheck(transaction, entry, state, bodies, isOpened ? check.output : undefined, result.by);
  transaction.resultCount++;
  if (transition.kind === 'none') return entry;
  if (transition.kind === 'resolve') endSilences(transaction, entry);
  const { event } = transition;
  if (transition.kind === 'ok') {
    notifyOk(transaction, { client, check, state: event, history: state.history });
    return entry;
  }
  notifyResult(transaction, { client, check, state: event, history: state.history, isNew });
  return entry;
}

function nextBodies(
  transaction: Transaction,
  entry: CheckEntry,
  state: CheckState,
  isOpened: boolean,
  check: CheckResult,
): CheckBodies {
  // Checked again, because the mark of the truncation may make it too long.
  const stored = withinOutputSize(withStoredOutput(check));
  if (isOpened) {
    // The event keeps the whole output, the result the truncated one.
    const eventCheck = stored.output === check.output ? undefined : check;
    return { check: stored, eventCheck };
  }
  if (state.event === undefined) return { check: stored };
  return { check: stored, ...frozenEvent(entry, transaction.body(CHECK_RECORDS, entry)) };
}

/** Returns the event part of a record whose event stays unchanged. */
export function frozenEvent(entry: CheckEntry, bodies: CheckBodies): Pick<CheckBodies, 'eventCheck' | 'eventHistory'> {
  return {
    eventCheck: bodies.eventCheck ?? bodies.check ?? undefined,
    eventHistory: bodies.eventHistory ?? entry.state.history,
  };
}

function endSilences(transaction: Transaction, check: CheckEntry): void {
  const { namespace, subscriptions } = check.client;
  const { silenced } = namespace;
  const ended = entriesEndedByResolve(silenced, subscriptions, check.name, transaction.nowMs, check.selected());
  for (const entry of ended) endSilenced(transaction, namespace, entry, 'expire_on_resolve');
}

/** Registers the unknown client of a result, as Sensu Core does (completion 1.10). */
function registerUnknown(transaction: Transaction, namespace: Namespace, result: IncomingResult): ClientEntry {
  const client = clientMadeBy(result, transaction.now);
  const entry = saveClient(transaction, namespace, client, {
    signature: '',
    reporter: isForProxy(result) ? result.reporter : undefined,
    // Clients of version 1 and the backend itself do not count as entities.
    isCounted: result.reporter === API_REPORTER || result.client === BACKEND_CLIENT ? false : undefined,
  });
  notifyRegistration(transaction, entry);
  return entry;
}

/**
 * Returns the client that a result creates if it is unknown; a `source` creates a proxy client (completion 1.10).
 *
 * @param now epoch seconds
 */
export function clientMadeBy(result: IncomingResult, now: number): Client {
  return {
    name: result.client,
    address: 'unknown',
    subscriptions: [clientSubscription(result.client)],
    keepalives: false,
    version: COMPATIBLE_VERSION,
    timestamp: now,
    ...(isForProxy(result) ? { type: 'proxy' } : {}),
  };
}

function isForProxy({ client, reporter }: IncomingResult): boolean {
  return client !== reporter;
}

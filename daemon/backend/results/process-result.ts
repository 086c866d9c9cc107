import { BUILT_IN_NAMES } from '../../../shared/domain/built-in.ts';
import { nextCheckState, type CheckState, type EventState } from '../../../shared/domain/event.ts';
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
import { type RequiredEvents } from '../model/notify/routing.ts';
import { saveCheck } from '../model/events/mutations.ts';
import { pendingResolutionsOf, type PendingResolution } from '../model/notify/silence-ends/state.ts';
import { recordSample } from '../model/results/mutations.ts';
import { saveClient } from '../model/clients/mutations.ts';
import { CHECK_RECORDS } from '../model/events/storage.ts';

/** A result that is ready to be applied: merged with its check definition and completed with all default values. */
export interface IncomingResult {
  /** Name of the client of the result: the reporter, or the check's `source`. */
  readonly client: string;
  /** Name of the client that reported the result. */
  readonly reporter: string;
  readonly check: CheckResult;
  /**
   * Name of the user whose action produced the result, for example by resolving an event; absent if a client reported
   * it.
   */
  readonly by?: string;
}

/**
 * The reporter of all results from the API. It is also the client of results that name no `source` (completion 1.6).
 */
export const API_REPORTER = 'sensu-api';

type RecordEntry = CheckEntry | ClientEntry | PendingResolution;

const NO_RECORDS: readonly RecordEntry[] = [];

const BUILT_IN_HANDLERS: ReadonlySet<string> = BUILT_IN_NAMES.handlers;

/**
 * Returns the entries whose stored records must be read before these results are applied. These are clients whose
 * events can reach handlers, pending resolutions, and checks whose event can stay open despite an OK result. Nearly all
 * results need none.
 *
 * @param demand tells which events the handlers of the namespace get
 */
export function recordsNeeded(
  namespace: Namespace,
  results: readonly IncomingResult[],
  demand: RequiredEvents,
): readonly RecordEntry[] {
  let needed: RecordEntry[] | undefined;
  let client: ClientEntry | undefined;
  const resolutions = pendingResolutionsOf(namespace);
  for (const result of results) {
    const { check } = result;
    const isPlainOk = check.status === 0 && check['auto_resolve'] !== false && check['resolve_after'] === undefined;
    const mayRun = demand !== 'none' || namesBuiltIn(check);
    if (isPlainOk && !mayRun) continue;
    // Looks up the client only if it differs from the previous one: most agents report only for themselves.
    if (client?.name !== result.client) client = namespace.clients.get(result.client);
    if (client === undefined) continue;
    const entry = client.checks.get(check.name);
    if (mayRun && mayBeHandled(entry, check, demand)) (needed ??= []).push(client);
    const pending = resolutions.size === 0 ? undefined : resolutions.get(client.name, check.name);
    if (pending !== undefined) (needed ??= []).push(pending);
    if (!isPlainOk && entry !== undefined && mayOutlive(entry, check)) (needed ??= []).push(entry);
  }
  return needed ?? NO_RECORDS;
}

/**
 * True if this OK result can leave the event of the check open, so that the stored check and history of the event are
 * needed.
 */
function mayOutlive({ state }: CheckEntry, check: CheckResult): boolean {
  return check.status === 0 && (check['auto_resolve'] === false || state.event !== undefined);
}

/** True if the check names a built-in handler, which exists without a definition. */
function namesBuiltIn({ handler, handlers }: CheckResult): boolean {
  if (typeof handler === 'string' && BUILT_IN_HANDLERS.has(handler)) return true;
  return Array.isArray(handlers) && handlers.some((name) => BUILT_IN_HANDLERS.has(String(name)));
}

/**
 * True if handlers possibly run for the result. If an event opens and resolves in the same batch, its client is already
 * read because of the result that opens it.
 */
function mayBeHandled(entry: CheckEntry | undefined, check: CheckResult, demand: RequiredEvents): boolean {
  if (demand === 'all' && Array.isArray(check['handlers']) && check['handlers'].length > 0) return true;
  if (check.status !== 0 || entry?.state.event !== undefined) return true;
  return check['type'] === 'metric' || check['low_flap_threshold'] !== undefined;
}

/** Returns the error for a result that would create a client or a check while memory is full; otherwise undefined. */
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
 * Applies one result: updates the history and the event, ends silences that expire on resolve, and notifies handlers
 * (completion 1.4).
 *
 * @returns the check entry of the result
 */
export function processResult(transaction: Transaction, namespace: Namespace, result: IncomingResult): CheckEntry {
  const { check } = result;
  const client = namespace.clients.get(result.client) ?? registerUnknown(transaction, namespace, result);
  const entry = namespace.ensureCheck(client, check.name);
  const notifiesOk = check.status === 0 && transaction.routing.hasHandlerForOkEvents(namespace.name, check);
  const { event: before } = entry.state;
  const isNewEvent = before === undefined;
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
  const acknowledgementEnd = transition.kind === 'open' && endsAcknowledgement(before, event) ? 'worse' : undefined;
  notifyResult(transaction, { client, check, state: event, history: state.history, isNewEvent, acknowledgementEnd });
  return entry;
}

/**
 * Applies a result that a client or an API caller reported, and records its duration and metrics. Results that the
 * backend creates itself measure nothing, such as stale ones.
 *
 * @returns the check entry of the result
 */
export function processReported(transaction: Transaction, namespace: Namespace, result: IncomingResult): CheckEntry {
  const entry = processResult(transaction, namespace, result);
  const { executed, output, duration } = result.check;
  recordSample(transaction, entry, {
    executed,
    output,
    duration: typeof duration === 'number' ? duration : undefined,
  });
  return entry;
}

function endsAcknowledgement(before: EventState | undefined, after: EventState): boolean {
  return before?.acknowledgement !== undefined && after.acknowledgement === undefined;
}

function nextBodies(
  transaction: Transaction,
  entry: CheckEntry,
  state: CheckState,
  isOpened: boolean,
  check: CheckResult,
): CheckBodies {
  // The size is limited again, because truncation adds a mark, which can make the output too long.
  const stored = withinOutputSize(withStoredOutput(check));
  if (isOpened) {
    // The event stores the whole output; the last result stores only the truncated output.
    const eventCheck = stored.output === check.output ? undefined : check;
    return { check: stored, eventCheck };
  }
  if (state.event === undefined) return { check: stored };
  return { check: stored, ...frozenEvent(entry, transaction.body(CHECK_RECORDS, entry)) };
}

/**
 * Returns the fields of a check record that keep the check and the history of an open event. They are needed if a
 * result does not change that event.
 */
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

/** Creates the unknown client of a result, as Sensu Core does (completion 1.10). */
function registerUnknown(transaction: Transaction, namespace: Namespace, result: IncomingResult): ClientEntry {
  const client = buildClientFromResult(result, transaction.now);
  const entry = saveClient(transaction, namespace, client, {
    signature: '',
    reporter: isForProxy(result) ? result.reporter : undefined,
    // Neither clients created by results from the API nor the client of the backend itself count toward the entity
    // limit.
    isCounted: result.reporter === API_REPORTER || result.client === BACKEND_CLIENT ? false : undefined,
  });
  notifyRegistration(transaction, entry);
  return entry;
}

/**
 * Returns the record of the client that a result creates if its client is unknown. If the client is not the reporter
 * but the check's `source`, it becomes a proxy client (completion 1.10).
 *
 * @param now current time in epoch seconds
 */
export function buildClientFromResult(result: IncomingResult, now: number): Client {
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

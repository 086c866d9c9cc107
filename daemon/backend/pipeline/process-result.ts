import { nextCheckState, type CheckState } from '../../../shared/domain/event.ts';
import { entriesEndedByResolve } from '../../../shared/domain/silencing.ts';
import { truncateOutput, truncatesOutput } from '../../../shared/domain/truncation.ts';
import { clientSubscription } from '../../../shared/domain/subscription.ts';
import type { Client } from '../../../shared/schemas/client.ts';
import type { CheckResult } from '../../../shared/schemas/result.ts';
import { COMPATIBLE_VERSION } from '../../../shared/schemas/version.ts';
import type { CheckBodies } from '../registry/check-record.ts';
import type { CheckEntry, ClientEntry, Namespace } from '../registry/namespace.ts';
import { endSilenced } from './silenced.ts';
import { handleEvent } from './handle-event.ts';
import { handleRegistration } from './handle-registration.ts';
import type { Transaction } from './transaction.ts';

/** A result that is ready for the rules: merged with its definition, with every default filled in. */
export interface IncomingResult {
  /** Whose result it is: the reporter, or the check's `source`. */
  readonly client: string;
  /** Who reported it. */
  readonly reporter: string;
  readonly check: CheckResult;
}

const NONE: readonly CheckEntry[] = [];

/**
 * The records that processing these results has to read: an event that outlives an OK keeps what it was built from.
 * For nearly all results there are none.
 */
export function entriesNeeded(namespace: Namespace, results: readonly IncomingResult[]): readonly CheckEntry[] {
  let needed: CheckEntry[] | undefined;
  for (const { client, check } of results) {
    if (check.status !== 0 || check['auto_resolve'] !== false) continue;
    const entry = namespace.check(client, check.name);
    if (entry !== undefined) (needed ??= []).push(entry);
  }
  return needed ?? NONE;
}

/** Applies one result: history, event, the silences that end with it, and the handlers that run (completion 1.4). */
export function processResult(transaction: Transaction, namespace: Namespace, result: IncomingResult): void {
  const { check } = result;
  const client = namespace.clients.get(result.client) ?? registerUnknown(transaction, namespace, result);
  const entry = namespace.ensureCheck(client, check.name);
  const { state, transition } = nextCheckState(entry.state, check, transaction);
  const isOpened = transition.kind === 'open';
  const stored = truncatesOutput(check)
    ? { ...check, output: truncateOutput(check.output, check['truncate_output_length']) }
    : check;
  const bodies = nextBodies(transaction, entry, state, isOpened, check, stored);
  transaction.saveCheck(entry, state, bodies, isOpened ? check.output : undefined);
  transaction.resultCount++;
  if (transition.kind === 'none') return;
  if (transition.kind === 'resolve') endSilences(transaction, client, check.name);
  const { event } = transition;
  const isSuppressed = handleEvent(transaction, { client, check, state: event, history: state.history });
  if (isOpened && isSuppressed !== event.isSuppressed) transaction.saveSuppressed(entry, isSuppressed);
}

function nextBodies(
  transaction: Transaction,
  entry: CheckEntry,
  state: CheckState,
  isOpened: boolean,
  check: CheckResult,
  stored: CheckResult,
): CheckBodies {
  if (isOpened) {
    // The event keeps the whole output, the result what is left of it.
    const eventCheck = stored.output === check.output ? undefined : check;
    return { check: stored, eventCheck };
  }
  if (state.event === undefined) return { check: stored };
  return { check: stored, ...frozenEvent(entry, transaction.bodies(entry)) };
}

/** The event part of a record whose event stays as it is. */
export function frozenEvent(entry: CheckEntry, bodies: CheckBodies): Pick<CheckBodies, 'eventCheck' | 'eventHistory'> {
  return {
    eventCheck: bodies.eventCheck ?? bodies.check ?? undefined,
    eventHistory: bodies.eventHistory ?? entry.state.history,
  };
}

function endSilences(transaction: Transaction, client: ClientEntry, check: string): void {
  const { namespace } = client;
  const { subscriptions } = client.record;
  for (const entry of entriesEndedByResolve(namespace.silenced, subscriptions, check, transaction.nowMs)) {
    endSilenced(transaction, namespace, entry, 'expire_on_resolve');
  }
}

/** A result of an unknown client makes one, as the peer does (completion 1.10). */
function registerUnknown(transaction: Transaction, namespace: Namespace, result: IncomingResult): ClientEntry {
  const client = clientMadeBy(result, transaction.now);
  const entry = transaction.saveClient(namespace, client, '', isForProxy(result) ? result.reporter : undefined);
  handleRegistration(transaction, entry);
  return entry;
}

/**
 * The client that a result makes when there is none of its name; a `source` makes a proxy client (completion 1.10).
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

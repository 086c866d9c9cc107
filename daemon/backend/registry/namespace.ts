import type { Client } from '../../../shared/schemas/client.ts';
import type { CheckResult } from '../../../shared/schemas/result.ts';
import { NO_CHECK_STATE, type CheckState } from '../../../shared/domain/event.ts';
import { outputSummary } from '../../../shared/domain/event-row.ts';
import { KEEPALIVE_CHECK } from '../../../shared/domain/keepalive.ts';
import { severityOf, type Severity } from '../../../shared/domain/severity.ts';
import { ttlOf } from '../../../shared/domain/ttl.ts';
import { AggregateRegistry, NO_AGGREGATES, type Aggregate } from './aggregates.ts';
import { ResultsByCheck } from './results-by-check.ts';
import { SilencedRegistry } from './silenced.ts';
import { StashRegistry } from './stashes.ts';
import { TtlIndex } from './ttl-index.ts';

/** A client and check: what decides the next event, packed. The bodies stay in the store until they are read. */
export class CheckEntry {
  readonly client: ClientEntry;
  readonly name: string;
  state: CheckState = NO_CHECK_STATE;
  /** Status of the last result; undefined after the result was deleted while its event stays. */
  status: number | undefined = undefined;
  /** When the last result was executed, epoch seconds; without one 0. */
  executed = 0;
  /** Seconds after which the last result is stale; 0: never. */
  ttl = 0;
  isInTtlIndex = false;
  /** What the last result belongs to. */
  aggregates: readonly Aggregate[] = NO_AGGREGATES;
  /** How many aggregates of the namespace had been deleted when the last result came; 0 where it names none. */
  deletionsBefore = 0;
  /** Beginning of the output of the open event, for rows. */
  summary = '';

  constructor(client: ClientEntry, name: string) {
    this.client = client;
    this.name = name;
  }
}

/** A client with its checks. */
export class ClientEntry {
  readonly namespace: Namespace;
  record: Client;
  /** Empty until the client has shown one; then its keepalives and results must carry it (completion 1.10). */
  signature: string;
  /** Whose results made it, when it is a proxy client. */
  readonly reporter: string | undefined;
  readonly checks = new Map<string, CheckEntry>();
  openEvents = 0;

  constructor(namespace: Namespace, record: Client, signature: string, reporter: string | undefined) {
    this.namespace = namespace;
    this.record = record;
    this.signature = signature;
    this.reporter = reporter;
  }

  get name(): string {
    return this.record.name;
  }

  /** Whether it is known to be silent: its keepalive event is open. */
  get isDown(): boolean {
    return this.openEvents > 0 && this.checks.get(KEEPALIVE_CHECK)?.state.event !== undefined;
  }

  /** The checks with a result or an event, by name. */
  sortedChecks(): CheckEntry[] {
    return [...this.checks.values()].toSorted(byName);
  }
}

/** How far the spool of an agent was committed. */
export interface SpoolMark {
  readonly spool: string;
  /** The highest id that is committed. */
  readonly acked: number;
}

/** A client that was deleted: what comes from before that must not bring it back. Epoch milliseconds. */
export interface Tombstone {
  readonly deletedMs: number;
  readonly untilMs: number;
}

/** Everything in one namespace, with the indexes that its readers need. Only the pipeline changes it. */
export class Namespace {
  readonly name: string;
  readonly clients = new Map<string, ClientEntry>();
  readonly silenced = new SilencedRegistry();
  readonly stashes = new StashRegistry();
  readonly aggregates = new AggregateRegistry();
  readonly ttls = new TtlIndex();
  readonly spools = new Map<string, SpoolMark>();
  /** Names of deleted clients, and until when (epoch milliseconds) they may not come back. */
  readonly invalidated = new Map<string, number>();
  readonly tombstones = new Map<string, Tombstone>();
  /** Results by the severity of the last one. */
  readonly results: Record<Severity, number> = { ok: 0, warning: 0, critical: 0, unknown: 0 };
  readonly resultsByCheck = new ResultsByCheck();
  /** Clients that something else reports for, whoever made them. */
  proxies = 0;
  readonly #proxiesByReporter = new Map<string, number>();
  readonly #eventsByCheck = new Map<string, Set<CheckEntry>>();
  readonly #clientsBySubscription = new Map<string, Set<ClientEntry>>();
  #sortedClients: readonly ClientEntry[] | undefined;

  constructor(name: string) {
    this.name = name;
  }

  /** All clients by name; sorted again only after one came or went. */
  sortedClients(): readonly ClientEntry[] {
    return (this.#sortedClients ??= [...this.clients.values()].toSorted(byName));
  }

  check(client: string, check: string): CheckEntry | undefined {
    return this.clients.get(client)?.checks.get(check);
  }

  /** Entries with an open event, by client, then check. */
  *events(): Generator<CheckEntry, void, undefined> {
    for (const client of this.sortedClients()) yield* eventsOf(client);
  }

  /** Open events by severity, counted when it is asked. */
  eventCounts(): Record<Severity, number> {
    const counts = { ok: 0, warning: 0, critical: 0, unknown: 0 };
    for (const entries of this.#eventsByCheck.values()) {
      for (const { state } of entries) if (state.event !== undefined) counts[severityOf(state.event.status)]++;
    }
    return counts;
  }

  /** How many proxy clients the results of this one have made that are still here. */
  proxiesOf(reporter: string): number {
    return this.#proxiesByReporter.get(reporter) ?? 0;
  }

  /** @param reporter of a new proxy client; one that is known keeps its own */
  putClient(record: Client, signature: string, reporter?: string): ClientEntry {
    const present = this.clients.get(record.name);
    if (present === undefined) {
      const entry = new ClientEntry(this, record, signature, reporter);
      this.#countProxy(entry, 1);
      this.proxies += proxyCount(record);
      this.clients.set(record.name, entry);
      this.#sortedClients = undefined;
      this.#subscribe(entry, record.subscriptions);
      return entry;
    }
    if (!sameSubscriptions(present.record.subscriptions, record.subscriptions)) {
      this.#unsubscribe(present);
      this.#subscribe(present, record.subscriptions);
    }
    this.proxies += proxyCount(record) - proxyCount(present.record);
    present.record = record;
    present.signature = signature;
    return present;
  }

  removeClient(entry: ClientEntry): void {
    for (const check of entry.checks.values()) this.removeCheck(check);
    this.#unsubscribe(entry);
    this.#countProxy(entry, -1);
    this.proxies -= proxyCount(entry.record);
    this.clients.delete(entry.name);
    this.#sortedClients = undefined;
  }

  /** The entry of a client and check, made when it is new. */
  ensureCheck(client: ClientEntry, name: string): CheckEntry {
    let entry = client.checks.get(name);
    if (entry === undefined) client.checks.set(name, (entry = new CheckEntry(client, name)));
    return entry;
  }

  /**
   * @param result the last one; undefined when there is none
   * @param output of the event, when `state` holds a new one; undefined keeps what is there
   * @param deletionsBefore how many aggregates had been deleted when the result came
   */
  setCheck(
    entry: CheckEntry,
    state: CheckState,
    result: CheckResult | undefined,
    output: string | undefined,
    deletionsBefore = this.aggregates.deletionCount,
  ): void {
    this.aggregates.follow(entry, result, deletionsBefore);
    const status = result?.status;
    const hadEvent = entry.state.event !== undefined;
    const hasEvent = state.event !== undefined;
    if (entry.status !== undefined) this.results[severityOf(entry.status)]--;
    if (status !== undefined) this.results[severityOf(status)]++;
    this.resultsByCheck.move(entry.name, entry.status, status);
    entry.state = state;
    entry.status = status;
    entry.executed = result?.executed ?? 0;
    entry.ttl = ttlOf(result);
    if (entry.ttl > 0) this.ttls.follow(entry);
    if (!hasEvent) entry.summary = '';
    else if (output !== undefined) entry.summary = summaryOf(output);
    if (hasEvent === hadEvent) return;
    entry.client.openEvents += hasEvent ? 1 : -1;
    if (hasEvent) addTo(this.#eventsByCheck, entry.name, entry);
    else removeFrom(this.#eventsByCheck, entry.name, entry);
    this.aggregates.noteEvent(entry);
  }

  removeCheck(entry: CheckEntry): void {
    this.setCheck(entry, NO_CHECK_STATE, undefined, undefined);
    entry.client.checks.delete(entry.name);
  }

  /** The open events that an entry on these two parts names, whether or not it is active. */
  *eventsNamedBy(subscription: string | null, check: string | null): Generator<CheckEntry, void, undefined> {
    if (subscription === null) {
      if (check !== null) yield* this.#eventsByCheck.get(check) ?? [];
      return;
    }
    for (const client of this.#clientsBySubscription.get(subscription) ?? []) {
      if (check === null) {
        yield* eventsOf(client);
        continue;
      }
      const entry = client.checks.get(check);
      if (entry?.state.event !== undefined) yield entry;
    }
  }

  #countProxy({ reporter }: ClientEntry, by: 1 | -1): void {
    if (reporter === undefined) return;
    const count = this.proxiesOf(reporter) + by;
    if (count === 0) this.#proxiesByReporter.delete(reporter);
    else this.#proxiesByReporter.set(reporter, count);
  }

  #subscribe(entry: ClientEntry, subscriptions: readonly string[]): void {
    for (const subscription of subscriptions) addTo(this.#clientsBySubscription, subscription, entry);
  }

  #unsubscribe(entry: ClientEntry): void {
    for (const subscription of entry.record.subscriptions) {
      removeFrom(this.#clientsBySubscription, subscription, entry);
    }
  }
}

/** The open events of a client, by check. */
export function* eventsOf(client: ClientEntry): Generator<CheckEntry, void, undefined> {
  if (client.openEvents === 0) return;
  for (const check of client.sortedChecks()) if (check.state.event !== undefined) yield check;
}

function proxyCount({ type }: Client): 0 | 1 {
  return type === 'proxy' ? 1 : 0;
}

function summaryOf(output: string): string {
  // A copy: a slice would keep the whole output in memory.
  return Buffer.from(outputSummary(output)).toString();
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

function sameSubscriptions(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((subscription, at) => subscription === b[at]);
}

function addTo<T>(index: Map<string, Set<T>>, key: string, value: T): void {
  const values = index.get(key);
  if (values === undefined) index.set(key, new Set([value]));
  else values.add(value);
}

function removeFrom<T>(index: Map<string, Set<T>>, key: string, value: T): void {
  const values = index.get(key);
  if (values === undefined) return;
  values.delete(value);
  if (values.size === 0) index.delete(key);
}

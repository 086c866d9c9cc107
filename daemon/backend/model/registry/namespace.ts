import type { Attributes } from '../../../../shared/domain/attributes.ts';
import { shownAddress, subscriptionsOf } from '../../../../shared/domain/client-profile.ts';
import { NO_CHECK_STATE, type CheckState } from '../../../../shared/domain/event.ts';
import { lastProblem } from '../../../../shared/domain/history.ts';
import { outputSummary } from '../../../../shared/domain/event-row.ts';
import { KEEPALIVE_CHECK } from '../../../../shared/domain/keepalive.ts';
import { severityOf, type Severity } from '../../../../shared/domain/severity.ts';
import { staleRepeatOf, ttlOf } from '../../../../shared/domain/ttl.ts';
import { checkRedactKeysOf, redactKeysOf } from '../../../../shared/domain/redact.ts';
import type { SelectorSubject } from '../../../../shared/domain/selector.ts';
import { isSilenced, silencedBy } from '../../../../shared/domain/silencing.ts';
import type { Client } from '../../../../shared/schemas/client.ts';
import type { CachedResult } from '../../../../shared/schemas/result.ts';
import type { SilencedEntry } from '../../../../shared/schemas/silenced.ts';
import { InhibitedEventIndex } from '../notify/inhibitions/inhibited-events.ts';
import { AggregateRegistry, NO_AGGREGATES, type Aggregate } from '../aggregates/state.ts';
import { ClientCounts } from '../clients/counts.ts';
import { ClientProfiles, type SharedProfile } from '../clients/profiles.ts';
import { Subscribers } from '../clients/subscribers.ts';
import { OpenEvents } from '../events/open-events.ts';
import { ResultsByCheck } from '../results/state.ts';
import { TtlIndex } from '../results/ttl-index.ts';
import { DEFAULT_NAMING, type AlertNaming } from '../../../../shared/domain/alert-labels.ts';
import type { CoveringEntries } from '../silences/matcher-index.ts';
import type { CheckSelectors, ClientSelectors } from '../silences/selectors.ts';
import { SilencedRegistry } from '../silences/state.ts';
import { byName } from './by-name.ts';
import {
  CHECK_BYTES,
  CLIENT_BYTES,
  CountedMap,
  EVENT_BYTES,
  Footprint,
  MARK_BYTES,
  MEMBER_BYTES,
  SUBSCRIBED_BYTES,
} from './footprint.ts';
import { WatchedAttributes, type Facts } from './watched-attributes.ts';

export type CheckAggregate = Aggregate<CheckEntry>;

/** The last result of a check, while an agent may send the next one as a delta to it. */
export interface CheckBaseline {
  /** Stamp of the stored result. */
  readonly stamp: string;
  /** True if its record was given to the store. */
  isStored: boolean;
  /** Called when another result has replaced it, or it was removed. */
  forget(): void;
}

/**
 * A client and check: the packed state that decides the next event. The bodies stay in the store until they are read.
 */
export class CheckEntry {
  readonly client: ClientEntry;
  readonly name: string;
  state: CheckState = NO_CHECK_STATE;
  /** Status of the last result; undefined after the result was deleted while its event stays. */
  status: number | undefined = undefined;
  /** Execution time of the last result, epoch seconds; 0: there is none. */
  executed = 0;
  /** `executed` of the last result that was not OK, since the registry was read; 0: there was none. */
  lastProblem = 0;
  /** Seconds after which the last result is stale; 0: never. */
  ttl = 0;
  /** Seconds after which a stale result is notified again; 0: staleness is not checked. */
  ttlRepeat = 0;
  /** Time of the next staleness check, epoch seconds; 0: never. */
  ttlAt = 0;
  /** The aggregates of the last result. */
  aggregates: readonly CheckAggregate[] = NO_AGGREGATES;
  /** Number of aggregates of the namespace that had been deleted when the last result arrived; 0 if it names none. */
  deletionsBefore = 0;
  /** Beginning of the output of the open event, for rows. */
  summary = '';
  /** Watched attributes of the last result of its event; undefined: no selector needs any, or there was none. */
  facts: Facts | undefined = undefined;
  selectors: CheckSelectors | undefined = undefined;
  /** The sets of matchers that cover it; undefined: not computed yet, or there are none. */
  covering: CoveringEntries | undefined = undefined;
  /** Status of the open event, set before the rest of the event is loaded; undefined: none is open. */
  eventStatus: number | undefined = undefined;
  baseline: CheckBaseline | undefined = undefined;

  constructor(client: ClientEntry, name: string) {
    this.client = client;
    this.name = name;
  }

  /**
   * The status that determines its severity for matchers: a resolved event keeps its last status until the resolution
   * is handled.
   */
  get alertStatus(): number {
    return this.eventStatus ?? lastProblem(this.state.history);
  }

  /** Returns the ids of the entries that silence it now. */
  silencedBy(nowMs: number): string[] {
    const { namespace, subscriptions } = this.client;
    return silencedBy(namespace.silenced, subscriptions, this.name, nowMs, this.selected());
  }

  /** True if an entry silences it now. */
  isSilenced(nowMs: number): boolean {
    const { namespace, subscriptions } = this.client;
    return isSilenced(namespace.silenced, subscriptions, this.name, nowMs, this.selected());
  }

  /** Returns the silenced entries whose selector matches it. */
  selected(): readonly SilencedEntry[] {
    const { silenced } = this.client.namespace;
    return silenced.hasSelectors ? silenced.selecting(this) : NO_ENTRIES;
  }

  /** Returns the check as selectors see it. */
  subject(): SelectorSubject {
    return this.client.subject(this.name, this.facts, this.alertStatus);
  }
}

const NO_TEXTS: readonly string[] = [];
const NO_ENTRIES: readonly SilencedEntry[] = [];

/** The checks of a client without results; most proxy clients of a large fleet have few or none. */
const NO_CHECKS: ReadonlyMap<string, CheckEntry> = new Map();

/** The address of most clients that were created by results. */
const UNKNOWN_ADDRESS = 'unknown';

/** The data about a client that is not in its record. */
export interface ClientOrigin {
  readonly signature: string;
  /** The client whose results created it, if it is a proxy client. */
  readonly reporter?: string | undefined;
  /** False: version 1 created it. */
  readonly isCounted?: boolean | undefined;
}

/** A client with its checks, in packed form. Its record stays in the store until it is read. */
export class ClientEntry {
  readonly namespace: Namespace;
  readonly name: string;
  profile: SharedProfile;
  /** The address as it may be shown. */
  address: string;
  /** Time of the last keepalive, epoch seconds. */
  timestamp: number;
  /** Empty until the client has sent one; then its keepalives and results must carry it (completion 1.10). */
  signature: string;
  /** The client whose results created it, if it is a proxy client. */
  reporter: string | undefined;
  /** True if the limit of entities counts it; clients of version 1 are not counted. */
  isCounted: boolean;
  openEvents = 0;
  /** True if its keepalive event is open. Cached, because an aggregate needs it for each member. */
  isDown = false;
  /** The watched attributes; undefined: none. */
  facts: Facts | undefined = undefined;
  selectors: ClientSelectors | undefined = undefined;
  #checks: Map<string, CheckEntry> | undefined = undefined;
  /** Sorted when a list needs it. */
  #sortedChecks: readonly CheckEntry[] | undefined = undefined;

  /** @param profile of `client`, acquired for this entry */
  constructor(
    namespace: Namespace,
    client: Client,
    profile: SharedProfile,
    { signature, reporter, isCounted = true }: ClientOrigin,
  ) {
    this.namespace = namespace;
    this.name = client.name;
    this.profile = profile;
    this.address = packedAddress(client);
    this.timestamp = client.timestamp;
    this.signature = signature;
    this.reporter = reporter;
    this.isCounted = isCounted;
  }

  /** The checks by name. */
  get checks(): ReadonlyMap<string, CheckEntry> {
    return this.#checks ?? NO_CHECKS;
  }

  get subscriptions(): readonly string[] {
    return subscriptionsOf(this.profile, this.name);
  }

  get version(): string {
    return this.profile.version;
  }

  /** The keys whose values it hides, by its own setting; undefined: the default ones. */
  get redact(): readonly string[] | undefined {
    return this.profile.redact;
  }

  /** The attributes that its keepalive results copy. */
  get keepalive(): Attributes {
    return this.profile.keepalive;
  }

  /** Execution time of its newest result, epoch seconds; 0: it has none. */
  get lastResult(): number {
    let last = 0;
    for (const { executed } of this.checks.values()) last = Math.max(last, executed);
    return last;
  }

  /** Memory usage without its profile and its checks. */
  get bytes(): number {
    const texts = this.name.length + this.address.length + this.signature.length;
    return CLIENT_BYTES + SUBSCRIBED_BYTES * this.profile.subscriptions.length + texts;
  }

  /**
   * Returns a check of the client as selectors see it.
   *
   * @param facts of the check; default: its attributes are unknown
   * @param status of its event; default: it has none
   */
  subject(check = '', facts?: Facts, status?: number): SelectorSubject {
    const factsByOwner = { client: this.facts, check: facts };
    const { name: namespace, naming } = this.namespace;
    return {
      namespace,
      naming,
      ...(status !== undefined && { status }),
      client: this.name,
      check,
      subscriptions: this.subscriptions,
      attribute: (owner, name) => factsByOwner[owner]?.texts.get(name) ?? NO_TEXTS,
    };
  }

  /** Returns the checks with a result or an event, by name. */
  sortedChecks(): readonly CheckEntry[] {
    this.#sortedChecks ??= [...this.checks.values()].toSorted(byName);
    return this.#sortedChecks;
  }

  /** Applies a newer record. */
  update(client: Client, profile: SharedProfile, { signature, reporter, isCounted = true }: ClientOrigin): void {
    this.reporter = reporter;
    this.isCounted = isCounted;
    this.profile = profile;
    this.address = packedAddress(client);
    this.timestamp = client.timestamp;
    this.signature = signature;
  }

  addCheck(check: CheckEntry): void {
    this.#sortedChecks = undefined;
    (this.#checks ??= new Map()).set(check.name, check);
  }

  deleteCheck(check: CheckEntry): void {
    this.#sortedChecks = undefined;
    this.#checks?.delete(check.name);
  }
}

/** Yields the open events of a client, by check. */
export function* eventsOf(client: ClientEntry): Generator<CheckEntry, void, undefined> {
  if (client.openEvents === 0) return;
  for (const check of client.sortedChecks()) if (check.state.event !== undefined) yield check;
}

function packedAddress(client: Client): string {
  const address = shownAddress(client);
  return address === UNKNOWN_ADDRESS ? UNKNOWN_ADDRESS : address;
}

/** The position up to which the spool of an agent was committed. */
export interface SpoolMark {
  readonly spool: string;
  /** The highest id that is committed. */
  readonly acked: number;
}

/** A mark for a deleted client: data from before the deletion must not create it again. Epoch milliseconds. */
export interface Tombstone {
  readonly deletedMs: number;
  readonly untilMs: number;
}

/** The state of a noun in one namespace. */
interface NounState {
  readonly size: number;
}

/** Creates the state of a noun in one namespace. */
export type OpenState<State extends NounState> = (footprint: Footprint) => State;

/** Everything in one namespace, with the indexes of its readers. Only transactions change it. */
export class Namespace {
  readonly name: string;
  readonly clients = new Map<string, ClientEntry>();
  readonly silenced: SilencedRegistry;
  readonly aggregates: AggregateRegistry<CheckEntry>;
  readonly ttls = new TtlIndex<CheckEntry>();
  readonly spools: Map<string, SpoolMark>;
  /** Names of deleted clients, and the time (epoch milliseconds) until which they may not be created again. */
  readonly invalidated: Map<string, number>;
  readonly tombstones: Map<string, Tombstone>;
  /** Number of results by the severity of the last one. */
  readonly results: Record<Severity, number> = { ok: 0, warning: 0, critical: 0, unknown: 0 };
  readonly resultsByCheck = new ResultsByCheck();
  /** The attributes of clients and checks that selectors use. */
  readonly watched = {
    client: new WatchedAttributes(() => this.clients.size === 0),
    check: new WatchedAttributes(() => this.clients.size === 0),
  };
  readonly counted = new ClientCounts();
  readonly openEvents = new OpenEvents<CheckEntry>();
  readonly inhibited = new InhibitedEventIndex<CheckEntry>();
  /** The states of nouns, by the function that created them. */
  readonly #states = new Map<OpenState<NounState>, NounState>();
  readonly #footprint: Footprint;
  readonly #profiles: ClientProfiles;
  readonly #subscribers = new Subscribers(this.clients);
  #sortedClients: readonly ClientEntry[] | undefined;
  #allEvents: readonly CheckEntry[] | undefined;

  readonly #naming: () => AlertNaming;

  /**
   * @param footprint counts the memory usage of the namespace
   * @param naming the meaning of alert labels by the settings in force
   */
  constructor(name: string, footprint = new Footprint(), naming = (): AlertNaming => DEFAULT_NAMING) {
    this.name = name;
    this.#naming = naming;
    this.#footprint = footprint;
    this.#profiles = new ClientProfiles(footprint);
    this.silenced = new SilencedRegistry(footprint, this.watched);
    this.aggregates = new AggregateRegistry(this.silenced);
    this.spools = new CountedMap(footprint, MARK_BYTES);
    this.invalidated = new CountedMap(footprint, MARK_BYTES);
    this.tombstones = new CountedMap(footprint, MARK_BYTES);
  }

  /** The meaning of alert labels by the settings in force; a reload replaces the object. */
  get naming(): AlertNaming {
    return this.#naming();
  }

  /** Returns the state of a noun. States that each result needs are fields instead, to avoid the look-up. */
  state<State extends NounState>(open: OpenState<State>): State {
    let state = this.#states.get(open) as State | undefined;
    if (state === undefined) this.#states.set(open, (state = open(this.#footprint)));
    return state;
  }

  /** True if nothing in the namespace is stored. */
  get isEmpty(): boolean {
    const { clients, silenced, spools, invalidated, tombstones, aggregates } = this;
    const kept: readonly NounState[] = [clients, silenced, spools, invalidated, tombstones, ...this.#states.values()];
    return aggregates.deletionCount === 0 && kept.every(({ size }) => size === 0);
  }

  /** Returns all clients by name; sorted again only after a client was added or removed. */
  sortedClients(): readonly ClientEntry[] {
    return (this.#sortedClients ??= [...this.clients.values()].toSorted(byName));
  }

  check(client: string, check: string): CheckEntry | undefined {
    return this.clients.get(client)?.checks.get(check);
  }

  /** Yields the entries with an open event, by client, then check. */
  *events(): Generator<CheckEntry, void, undefined> {
    for (const client of this.sortedClients()) yield* eventsOf(client);
  }

  /** Returns the same entries as an array, much faster; computed again only after an event opened or ended. */
  allEvents(): readonly CheckEntry[] {
    return (this.#allEvents ??= this.#findEvents());
  }

  #findEvents(): CheckEntry[] {
    const entries: CheckEntry[] = [];
    for (const client of this.sortedClients()) {
      if (client.openEvents === 0) continue;
      for (const check of client.sortedChecks()) if (check.state.event !== undefined) entries.push(check);
    }
    return entries;
  }

  /** @param origin of a new client; a known client keeps its own, but is counted once a counted source reports it */
  putClient(record: Client, origin: ClientOrigin): ClientEntry {
    const present = this.clients.get(record.name);
    if (present === undefined) return this.loadClient(record, origin);
    const { reporter } = present;
    const isCounted = present.isCounted || origin.isCounted === true;
    return this.loadClient(record, { signature: origin.signature, reporter, isCounted });
  }

  /** Loads a client from its stored record. */
  loadClient(record: Client, origin: ClientOrigin): ClientEntry {
    const profile = this.#profiles.take(record);
    const present = this.clients.get(record.name);
    if (present === undefined) {
      const entry = new ClientEntry(this, record, profile, origin);
      this.clients.set(entry.name, entry);
      entry.facts = this.watched.client.read(record, redactKeysOf(record));
      this.#sortedClients = undefined;
      this.#subscribers.add(entry, profile);
      this.#count(entry, 1);
      return entry;
    }
    this.#count(present, -1);
    const { profile: before } = present;
    if (profile !== before) {
      this.#subscribers.remove(present, before);
      this.#subscribers.add(present, profile);
    }
    this.#profiles.release(before);
    present.update(record, profile, origin);
    this.#count(present, 1);
    if (profile !== before) present.selectors = undefined;
    this.learnClient(present, record);
    return present;
  }

  /** Updates the watched attributes of a client. */
  learnClient(entry: ClientEntry, record: Client): void {
    const facts = this.watched.client.read(record, redactKeysOf(record));
    if (facts !== entry.facts) entry.selectors = undefined;
    entry.facts = facts;
  }

  /**
   * Updates the watched attributes of a check whose event is or was open; other checks do not need them.
   *
   * @param eventCheck the check in its event, if it differs from the result: its labels are listed
   */
  learnCheck(entry: CheckEntry, result: CachedResult, eventCheck?: CachedResult | null): void {
    if (this.watched.check.isEmpty) return;
    const hidden = checkRedactKeysOf({ redact: entry.client.redact });
    const facts = this.watched.check.read(result, hidden, eventCheck ?? result);
    if (facts !== entry.facts) entry.selectors = undefined;
    entry.facts = facts;
  }

  /** Counts a client that is added (1) or removed (-1), or before and after it changes. */
  #count(entry: ClientEntry, by: 1 | -1): void {
    this.counted.count(entry, by);
    this.#footprint.bytes += by * entry.bytes;
  }

  /** Returns the additional bytes that a client would take with this record, if no other client shares its profile. */
  growthOf(record: Client, present: ClientEntry): number {
    return this.#profiles.bytesOf(record) - present.profile.bytes;
  }

  removeClient(entry: ClientEntry): void {
    for (const check of entry.checks.values()) this.removeCheck(check);
    this.#count(entry, -1);
    this.#subscribers.remove(entry, entry.profile);
    this.#profiles.release(entry.profile);
    this.clients.delete(entry.name);
    this.#sortedClients = undefined;
  }

  /** Returns the entry of a client and check, created if it is new. */
  ensureCheck(client: ClientEntry, name: string): CheckEntry {
    let entry = client.checks.get(name);
    if (entry === undefined) {
      client.addCheck((entry = new CheckEntry(client, name)));
      this.#footprint.bytes += checkBytes(entry);
    }
    return entry;
  }

  /**
   * @param result the last one; undefined if there is none
   * @param output of the event, if `state` has a new one; undefined keeps the present one
   * @param deletionsBefore number of aggregates that had been deleted when the result arrived
   */
  setCheck(
    entry: CheckEntry,
    state: CheckState,
    result: CachedResult | undefined,
    output: string | undefined,
    deletionsBefore = this.aggregates.deletionCount,
  ): void {
    const { aggregates, baseline } = entry;
    if (baseline !== undefined) {
      baseline.forget();
      entry.baseline = undefined;
    }
    this.aggregates.follow(entry, result, deletionsBefore);
    if (entry.aggregates !== aggregates)
      this.#footprint.bytes += memberBytes(entry.aggregates) - memberBytes(aggregates);
    const status = result?.status;
    const hadEvent = entry.state.event !== undefined;
    const hasEvent = state.event !== undefined;
    entry.eventStatus = state.event?.status;
    const inhibitor = entry.state.event?.notifications.inhibitedBy;
    const next = state.event?.notifications.inhibitedBy;
    if (inhibitor !== next) this.inhibited.update(entry, inhibitor, next);
    if (entry.status !== undefined) this.results[severityOf(entry.status)]--;
    if (status !== undefined) this.results[severityOf(status)]++;
    this.resultsByCheck.move(entry.name, entry.status, status);
    entry.state = state;
    entry.status = status;
    entry.executed = result?.executed ?? 0;
    if (result !== undefined && result.status !== 0) entry.lastProblem = result.executed;
    entry.ttl = ttlOf(result);
    if (entry.ttl > 0 && result !== undefined) this.ttls.follow(entry, staleRepeatOf(result));
    else if (entry.ttlRepeat > 0) this.ttls.noteEnd();
    if (!hasEvent) entry.summary = '';
    else if (output !== undefined) entry.summary = summaryOf(output);
    if (hasEvent === hadEvent) return;
    this.#allEvents = undefined;
    entry.client.openEvents += hasEvent ? 1 : -1;
    if (entry.name === KEEPALIVE_CHECK) entry.client.isDown = hasEvent;
    this.#footprint.bytes += hasEvent ? EVENT_BYTES : -EVENT_BYTES;
    if (hasEvent) this.openEvents.add(entry);
    else this.openEvents.remove(entry);
    this.aggregates.noteEvent(entry);
  }

  /**
   * Records a repeated result: it is still OK, no event is open, and its ttl and aggregates are unchanged.
   *
   * @param executed epoch seconds
   */
  renewCheck(entry: CheckEntry, state: CheckState, executed: number): void {
    entry.state = state;
    entry.executed = executed;
    if (entry.ttl > 0) this.ttls.follow(entry, entry.ttlRepeat);
  }

  removeCheck(entry: CheckEntry): void {
    this.setCheck(entry, NO_CHECK_STATE, undefined, undefined);
    entry.client.deleteCheck(entry);
    this.#footprint.bytes -= checkBytes(entry);
  }

  /** Deletes an aggregate. Its members join again with their next results. */
  deleteAggregate({ name }: CheckAggregate): void {
    this.loadDeletion(name, this.aggregates.deletionCount + 1);
  }

  /** @param count number of deleted aggregates, including this one */
  loadDeletion(name: string, count: number): void {
    this.#footprint.bytes -= MEMBER_BYTES * this.aggregates.loadDeletion(name, count);
  }

  /** Returns the clients that have this subscription. */
  subscribersOf(subscription: string): Iterable<ClientEntry> {
    return this.#subscribers.of(subscription);
  }
}

function checkBytes({ name }: CheckEntry): number {
  return CHECK_BYTES + name.length;
}

function memberBytes(aggregates: readonly CheckAggregate[]): number {
  return MEMBER_BYTES * aggregates.length;
}

function summaryOf(output: string): string {
  // A copy: a slice would keep the whole output in memory.
  return Buffer.from(outputSummary(output)).toString();
}

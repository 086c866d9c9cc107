import { checkAttributes, clientAttributes } from '../../../../shared/domain/attribute-set.ts';
import type { Attributes } from '../../../../shared/domain/attributes.ts';
import { shownAddress, subscriptionsOf } from '../../../../shared/domain/client-profile.ts';
import type { CheckSeries } from '../../../../shared/domain/check-series.ts';
import { NO_CHECK_STATE, type CheckState } from '../../../../shared/domain/event.ts';
import { lastProblem } from '../../../../shared/domain/history.ts';
import { outputSummary } from '../../../../shared/domain/event-row.ts';
import { KEEPALIVE_CHECK } from '../../../../shared/domain/keepalive.ts';
import { severityOf, type Severity } from '../../../../shared/domain/severity.ts';
import { staleRepeatOf, ttlOf } from '../../../../shared/domain/ttl.ts';
import { checkRedactKeysOf, redactKeysOf } from '../../../../shared/domain/redact.ts';
import type { SelectorSubject } from '../../../../shared/domain/selector.ts';
import { isSilenced, silencedByIds } from '../../../../shared/domain/silencing.ts';
import { clientSubscription } from '../../../../shared/domain/subscription.ts';
import type { Client } from '../../../../shared/schemas/client.ts';
import type { CachedResult } from '../../../../shared/schemas/result.ts';
import type { EscalationState } from '../../../../shared/schemas/escalation.ts';
import type { SilencedEntry } from '../../../../shared/schemas/silenced.ts';
import { AcknowledgedEvents } from '../events/acknowledged-events.ts';
import { EscalatedEvents } from '../events/escalated-events.ts';
import { InhibitedEventIndex } from '../notify/inhibitions/inhibited-events.ts';
import { AggregateRegistry, NO_AGGREGATES, type Aggregate } from '../aggregates/state.ts';
import { AttributeSets, type SharedAttributes } from '../attributes/state.ts';
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
import { compareByName } from './by-name.ts';
import {
  CHECK_BYTES,
  CLIENT_BYTES,
  CountedMap,
  EVENT_BYTES,
  Footprint,
  CLIENT_MARK_BYTES,
  MEMBER_BYTES,
  SERIES_BYTES,
  SUBSCRIBED_BYTES,
} from './footprint.ts';
import { WatchedAttributes, type SelectorAttributes } from './watched-attributes.ts';

export type CheckAggregate = Aggregate<CheckEntry>;

/**
 * A full result of a check that the agent can refer to: it can send later results as differences (deltas) to this one.
 */
export interface CheckBaseline {
  /** Stamp (unique text) of the stored record; no other value of this record ever has the same stamp. */
  readonly stamp: string;
  /** True as soon as the record with this result was encoded for the store. */
  isStored: boolean;
  /**
   * Called when the record of the check is replaced or removed, so that no delta can refer to the result any longer.
   */
  forget(): void;
}

/**
 * One check of one client in memory: the compact state that decides about the next event. The stored record of the
 * check stays in the store and is read on demand.
 */
export class CheckEntry {
  readonly client: ClientEntry;
  readonly name: string;
  state: CheckState = NO_CHECK_STATE;
  /**
   * Status of the last result; undefined if there is none, for example because it was deleted while the event is open.
   */
  status: number | undefined = undefined;
  /** Execution time of the last result, in epoch seconds; 0 if there is none. */
  executed = 0;
  /**
   * Execution time of the last result that was not OK, in epoch seconds; 0 if there was none since the registry was
   * loaded.
   */
  lastProblem = 0;
  /** Number of seconds from the execution of the last result until the result becomes stale; 0 if it never does. */
  ttl = 0;
  /** Number of seconds after which a result that stays stale is reported again; 0 if staleness is not checked. */
  ttlRepeat = 0;
  /** Time of the next check for staleness, in epoch seconds; 0 if there is none. */
  ttlAt = 0;
  /** The aggregates that the check is a member of, according to its last result. */
  aggregates: readonly CheckAggregate[] = NO_AGGREGATES;
  /**
   * Number of aggregates in the namespace that had been deleted when the last result arrived; 0 if the result names no
   * aggregate.
   */
  deletionsBefore = 0;
  /** Beginning of the output of the open event, for lists of events; empty if no event is open. */
  summary = '';
  /**
   * Attributes that selectors of silences use, from the last result of the event. Undefined if selectors use none, or
   * there was no event.
   */
  selectorAttributes: SelectorAttributes | undefined = undefined;
  selectors: CheckSelectors | undefined = undefined;
  /** The attributes of the check that events are searched by; undefined if it has none or no event is open. */
  attributes: SharedAttributes | undefined = undefined;
  /** Cache of the silences whose label matchers match the check; undefined if it was not computed yet. */
  covering: CoveringEntries | undefined = undefined;
  /**
   * Status of the open event; undefined if no event is open. When records are loaded, it is set before the rest of the
   * event.
   */
  eventStatus: number | undefined = undefined;
  baseline: CheckBaseline | undefined = undefined;
  /** The duration and the metrics of the check over time; undefined if they are not recorded. */
  series: CheckSeries | undefined = undefined;

  constructor(client: ClientEntry, name: string) {
    this.client = client;
    this.name = name;
  }

  /**
   * The status that label matchers derive the severity of the event from. For a resolved event it is the last status
   * that was not OK, so that the resolution matches the same silences as the event.
   */
  get alertStatus(): number {
    return this.eventStatus ?? lastProblem(this.state.history);
  }

  /** Returns the ids of the silences that silence this check at `nowMs`. */
  silencedBy(nowMs: number): string[] {
    const { namespace, subscriptions } = this.client;
    return silencedByIds(namespace.silenced, subscriptions, this.name, nowMs, this.selected());
  }

  /** True if a silence that is active at `nowMs` matches this check. */
  isSilenced(nowMs: number): boolean {
    const { namespace, subscriptions } = this.client;
    return isSilenced(namespace.silenced, subscriptions, this.name, nowMs, this.selected());
  }

  /** Returns the silences whose selector matches this check. */
  selected(): readonly SilencedEntry[] {
    const { silenced } = this.client.namespace;
    return silenced.hasSelectors ? silenced.selecting(this) : NO_ENTRIES;
  }

  /** Returns the attributes of this check and its client that selectors are matched against. */
  subject(): SelectorSubject {
    return this.client.subject(this.name, this.selectorAttributes, this.alertStatus);
  }
}

const NO_TEXTS: readonly string[] = [];
const NO_ENTRIES: readonly SilencedEntry[] = [];

/** An empty map that all clients without checks share, to save memory: a large fleet has many such proxy clients. */
const NO_CHECKS: ReadonlyMap<string, CheckEntry> = new Map();

/** Address of most clients that were created by results; all of them share this text. */
const UNKNOWN_ADDRESS = 'unknown';

/** Data about a client that is stored together with its record, but is not in the record. */
export interface ClientOrigin {
  readonly signature: string;
  /** Name of the client whose results created this proxy client; undefined for other clients. */
  readonly reporter?: string | undefined;
  /**
   * False if the client does not count toward the entity limit, for example because the v1 API created it; true by
   * default.
   */
  readonly isCounted?: boolean | undefined;
}

/** A client with its checks, in memory in compact form. Its full record stays in the store and is read on demand. */
export class ClientEntry {
  readonly namespace: Namespace;
  readonly name: string;
  profile: SharedProfile;
  /** The address of the client after redaction. */
  address: string;
  /** Time of the last keepalive, in epoch seconds. */
  timestamp: number;
  /**
   * Signature that keepalives and results of the client must contain; empty if the client has sent none yet (completion
   * 1.10).
   */
  signature: string;
  /** Name of the client whose results created this proxy client; undefined for other clients. */
  reporter: string | undefined;
  /** True if the client counts toward the entity limit. */
  isCounted: boolean;
  openEvents = 0;
  /** Number of checks that have a last result. */
  resultCount = 0;
  /** True if the keepalive event of the client is open. It is cached, because aggregates look it up for each member. */
  isDown = false;
  /** The attributes of the client that selectors of silences use; undefined if selectors use none. */
  selectorAttributes: SelectorAttributes | undefined = undefined;
  selectors: ClientSelectors | undefined = undefined;
  /** The attributes of the client that events are searched by; undefined if it has none. */
  attributes: SharedAttributes | undefined = undefined;
  #checks: Map<string, CheckEntry> | undefined = undefined;
  /** The checks sorted by name; undefined until they are first needed. */
  #sortedChecks: readonly CheckEntry[] | undefined = undefined;

  /** @param profile the shared profile of `client`; its use count already includes this entry */
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

  /**
   * Keys whose values are redacted, by a setting of the client; undefined if it has no such setting and the default
   * keys apply.
   */
  get redact(): readonly string[] | undefined {
    return this.profile.redact;
  }

  /** The attributes of the client that are copied to the results of its keepalive check. */
  get keepalive(): Attributes {
    return this.profile.keepalive;
  }

  /** Execution time of the newest result of the client, in epoch seconds; 0 if it has none. */
  get lastResult(): number {
    let last = 0;
    for (const { executed } of this.checks.values()) last = Math.max(last, executed);
    return last;
  }

  /** Estimated memory usage of the client in bytes, without its profile and its checks. */
  get bytes(): number {
    const texts = this.name.length + this.address.length + this.signature.length;
    return CLIENT_BYTES + SUBSCRIBED_BYTES * this.profile.subscriptions.length + texts;
  }

  /**
   * Returns the attributes of the client, and of one of its checks, that selectors are matched against.
   *
   * @param check name of the check
   * @param facts attributes of the check that selectors use; if absent, they are unknown
   * @param status status of the event of the check; if absent, the check has no event
   */
  subject(check = '', facts?: SelectorAttributes, status?: number): SelectorSubject {
    const factsByOwner = { client: this.selectorAttributes, check: facts };
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

  /** Returns the checks of the client that have a result or an event, sorted by name. */
  sortedChecks(): readonly CheckEntry[] {
    this.#sortedChecks ??= [...this.checks.values()].toSorted(compareByName);
    return this.#sortedChecks;
  }

  /** Updates the client from a newer record. */
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

/** Yields the checks of a client that have an open event, sorted by name. */
export function* eventsOf(client: ClientEntry): Generator<CheckEntry, void, undefined> {
  if (client.openEvents === 0) return;
  for (const check of client.sortedChecks()) if (check.state.event !== undefined) yield check;
}

function packedAddress(client: Client): string {
  const address = shownAddress(client);
  return address === UNKNOWN_ADDRESS ? UNKNOWN_ADDRESS : address;
}

/** The position in the spool of an agent up to which its results are committed. */
export interface SpoolMark {
  readonly spool: string;
  /** The highest committed id of a result. */
  readonly acked: number;
}

/**
 * Records that a client was deleted. Data from before the deletion must not create it again. Times are in epoch
 * milliseconds.
 */
export interface Tombstone {
  readonly deletedMs: number;
  readonly untilMs: number;
}

/** The state of one kind of objects in one namespace; its size is 0 if no such object is stored. */
interface NounState {
  readonly size: number;
}

/** A function that creates the state of one kind of objects in one namespace. */
export type OpenState<State extends NounState> = (footprint: Footprint) => State;

/**
 * All objects of one namespace in memory, with the indexes for reading them. Except when they are loaded, only
 * transactions change them.
 */
export class Namespace {
  readonly name: string;
  readonly clients = new Map<string, ClientEntry>();
  readonly silenced: SilencedRegistry;
  readonly aggregates: AggregateRegistry<CheckEntry>;
  readonly ttls = new TtlIndex<CheckEntry>();
  readonly spools: Map<string, SpoolMark>;
  /**
   * The clients that were deleted with a ban, by name. The value is the time until which the client must not be created
   * again, in epoch milliseconds.
   */
  readonly invalidated: Map<string, number>;
  readonly tombstones: Map<string, Tombstone>;
  /** Number of checks by the severity of their last result. */
  readonly results: Record<Severity, number> = { ok: 0, warning: 0, critical: 0, unknown: 0 };
  readonly resultsByCheck = new ResultsByCheck();
  /** Readers of the attributes of clients and checks that selectors of silences use. */
  readonly watched = {
    client: new WatchedAttributes(() => this.clients.size === 0),
    check: new WatchedAttributes(() => this.clients.size === 0),
  };
  readonly attributeSets: AttributeSets;
  readonly counted = new ClientCounts();
  readonly openEvents = new OpenEvents<CheckEntry>();
  readonly inhibited = new InhibitedEventIndex<CheckEntry>();
  readonly acknowledged = new AcknowledgedEvents<CheckEntry>();
  readonly escalated = new EscalatedEvents<CheckEntry>();
  /** The states that `state` has created, by the function that created them. */
  readonly #states = new Map<OpenState<NounState>, NounState>();
  readonly #footprint: Footprint;
  readonly #profiles: ClientProfiles;
  readonly #subscribers = new Subscribers(this.clients);
  #sortedClients: readonly ClientEntry[] | undefined;
  #allEvents: readonly CheckEntry[] | undefined;

  readonly #naming: () => AlertNaming;

  /**
   * @param footprint counts the memory usage of all namespaces
   * @param naming returns how the current settings map alert labels to clients and checks
   */
  constructor(name: string, footprint = new Footprint(), naming = (): AlertNaming => DEFAULT_NAMING) {
    this.name = name;
    this.#naming = naming;
    this.#footprint = footprint;
    this.#profiles = new ClientProfiles(footprint);
    this.attributeSets = new AttributeSets(footprint);
    this.silenced = new SilencedRegistry(footprint, this.watched);
    this.aggregates = new AggregateRegistry(this.silenced);
    this.spools = new CountedMap(footprint, CLIENT_MARK_BYTES);
    this.invalidated = new CountedMap(footprint, CLIENT_MARK_BYTES);
    this.tombstones = new CountedMap(footprint, CLIENT_MARK_BYTES);
  }

  /**
   * How the current settings map alert labels to clients and checks. It is a new object after a reload of the settings.
   */
  get naming(): AlertNaming {
    return this.#naming();
  }

  /**
   * Returns the state of one kind of objects in this namespace; the first call creates it. Kinds that every result
   * needs are fields of the namespace instead, which saves a look-up.
   */
  state<State extends NounState>(open: OpenState<State>): State {
    let state = this.#states.get(open) as State | undefined;
    if (state === undefined) this.#states.set(open, (state = open(this.#footprint)));
    return state;
  }

  /** True if no object of the namespace is stored. */
  get isEmpty(): boolean {
    const { clients, silenced, spools, invalidated, tombstones, aggregates } = this;
    const kept: readonly NounState[] = [clients, silenced, spools, invalidated, tombstones, ...this.#states.values()];
    return aggregates.deletionCount === 0 && kept.every(({ size }) => size === 0);
  }

  /** Returns all clients sorted by name. The list is cached until a client is added or removed. */
  sortedClients(): readonly ClientEntry[] {
    return (this.#sortedClients ??= [...this.clients.values()].toSorted(compareByName));
  }

  check(client: string, check: string): CheckEntry | undefined {
    return this.clients.get(client)?.checks.get(check);
  }

  /** Yields the checks that have an open event, sorted by client, then check. */
  *events(): Generator<CheckEntry, void, undefined> {
    for (const client of this.sortedClients()) yield* eventsOf(client);
  }

  /**
   * Returns the same checks as `events`, as an array. It is much faster, because the array is cached until an event
   * opens or ends.
   */
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

  /**
   * Adds a client, or replaces the record of an existing client.
   *
   * @param origin the origin of a new client. For an existing client, only `signature` is used, and `isCounted` if it
   *   is true
   */
  putClient(record: Client, origin: ClientOrigin): ClientEntry {
    const present = this.clients.get(record.name);
    if (present === undefined) return this.loadClient(record, origin);
    const { reporter } = present;
    const isCounted = present.isCounted || origin.isCounted === true;
    return this.loadClient(record, { signature: origin.signature, reporter, isCounted });
  }

  /** Adds or updates a client in memory from its stored record and origin. */
  loadClient(record: Client, origin: ClientOrigin): ClientEntry {
    const profile = this.#profiles.acquire(record);
    const present = this.clients.get(record.name);
    if (present === undefined) {
      const entry = new ClientEntry(this, record, profile, origin);
      this.clients.set(entry.name, entry);
      entry.selectorAttributes = this.watched.client.read(record, redactKeysOf(record));
      this.#updateAttributes(entry, record);
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
    this.updateSelectorAttributes(present, record);
    this.#updateAttributes(present, record);
    if (profile !== before && String(profile.redact) !== String(before.redact)) this.#hideCheckAttributes(present);
    return present;
  }

  #updateAttributes(entry: ClientEntry, record: Client): void {
    const attributes = clientAttributes(record, clientSubscription(entry.name), redactKeysOf(record));
    entry.attributes = this.attributeSets.replace(entry.attributes, attributes);
  }

  /**
   * Removes the attributes of checks that must not be shown any longer, after the client changed its list of keys to
   * redact. Attributes that may be shown again are added by the next result of the check.
   */
  #hideCheckAttributes({ checks, redact }: ClientEntry): void {
    const hidden = [...checkRedactKeysOf({ redact })];
    for (const check of checks.values()) {
      const entries = check.attributes?.set.entries ?? [];
      const shown = entries.filter(([name]) => !hidden.some((key) => `.${name}.`.includes(`.${key}.`)));
      check.attributes = this.attributeSets.replace(check.attributes, shown);
    }
  }

  /**
   * Updates the attributes of a check that events are searched by.
   *
   * @param check the check of the open event; undefined if no event is open
   */
  updateCheckAttributes(entry: CheckEntry, check: CachedResult | undefined): void {
    if (check === undefined && entry.attributes === undefined) return;
    const hidden = checkRedactKeysOf({ redact: entry.client.redact });
    const attributes = check === undefined ? [] : checkAttributes(check, hidden);
    entry.attributes = this.attributeSets.replace(entry.attributes, attributes);
  }

  /** Updates the attributes of a client that selectors of silences use. */
  updateSelectorAttributes(entry: ClientEntry, record: Client): void {
    const facts = this.watched.client.read(record, redactKeysOf(record));
    if (facts !== entry.selectorAttributes) entry.selectors = undefined;
    entry.selectorAttributes = facts;
  }

  /**
   * Updates the attributes of a check that selectors of silences use. They are needed only if the event of the check is
   * or was open.
   *
   * @param eventCheck the check in the event, if it differs from the result; its labels are used, because lists show
   *   them
   */
  updateCheckSelectorAttributes(entry: CheckEntry, result: CachedResult, eventCheck?: CachedResult | null): void {
    if (this.watched.check.isEmpty) return;
    const hidden = checkRedactKeysOf({ redact: entry.client.redact });
    const facts = this.watched.check.read(result, hidden, eventCheck ?? result);
    if (facts !== entry.selectorAttributes) entry.selectors = undefined;
    entry.selectorAttributes = facts;
  }

  /**
   * Adds a client to the counts (1) or subtracts it (-1). If a client changes, subtract it before and add it after the
   * change.
   */
  #count(entry: ClientEntry, by: 1 | -1): void {
    this.counted.count(entry, by);
    this.#footprint.bytes += by * entry.bytes;
  }

  /**
   * Returns by how many bytes memory usage would grow if `present` got this record. It assumes that no other client
   * shares the present profile, so that its memory is freed.
   */
  growthOf(record: Client, present: ClientEntry): number {
    return this.#profiles.bytesOf(record) - present.profile.bytes;
  }

  removeClient(entry: ClientEntry): void {
    for (const check of entry.checks.values()) this.removeCheck(check);
    entry.attributes = this.attributeSets.replace(entry.attributes, []);
    this.#count(entry, -1);
    this.#subscribers.remove(entry, entry.profile);
    this.#profiles.release(entry.profile);
    this.clients.delete(entry.name);
    this.#sortedClients = undefined;
  }

  /** Returns the entry of a check of a client. Creates the entry if it does not exist. */
  ensureCheck(client: ClientEntry, name: string): CheckEntry {
    let entry = client.checks.get(name);
    if (entry === undefined) {
      client.addCheck((entry = new CheckEntry(client, name)));
      this.#footprint.bytes += checkBytes(entry);
    }
    return entry;
  }

  /**
   * Sets the state and the last result of a check, and updates all indexes.
   *
   * @param result the last result; undefined if there is none
   * @param output output of the event, if `state` contains a new one; undefined if the output has not changed
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
    this.aggregates.updateMembership(entry, result, deletionsBefore);
    if (entry.aggregates !== aggregates)
      this.#footprint.bytes += memberBytes(entry.aggregates) - memberBytes(aggregates);
    const status = result?.status;
    const hadEvent = entry.state.event !== undefined;
    const hasEvent = state.event !== undefined;
    entry.eventStatus = state.event?.status;
    const inhibitor = entry.state.event?.notifications.inhibitedBy;
    const next = state.event?.notifications.inhibitedBy;
    if (inhibitor !== next) this.inhibited.update(entry, inhibitor, next);
    const acknowledgement = entry.state.event?.acknowledgement;
    if (acknowledgement !== state.event?.acknowledgement) {
      this.#footprint.bytes += this.acknowledged.update(entry, acknowledgement, state.event?.acknowledgement);
    }
    const escalations = entry.state.event?.escalations;
    if (escalations !== state.event?.escalations) this.#noteEscalations(entry, escalations, state.event?.escalations);
    if (entry.status !== undefined) this.results[severityOf(entry.status)]--;
    if (status !== undefined) this.results[severityOf(status)]++;
    this.resultsByCheck.changeCounts(entry.name, entry.status, status);
    entry.client.resultCount += Number(status !== undefined) - Number(entry.status !== undefined);
    entry.state = state;
    entry.status = status;
    entry.executed = result?.executed ?? 0;
    if (result !== undefined && result.status !== 0) entry.lastProblem = result.executed;
    entry.ttl = ttlOf(result);
    if (entry.ttl > 0 && result !== undefined) this.ttls.watch(entry, staleRepeatOf(result));
    else if (entry.ttlRepeat > 0) this.ttls.recordUnused();
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

  /** Sets the escalations of the open event of a check, and updates their index. */
  setEscalations(entry: CheckEntry, escalations: readonly EscalationState[] | undefined): void {
    const { event } = entry.state;
    if (event === undefined) return;
    this.#noteEscalations(entry, event.escalations, escalations);
    entry.state = { ...entry.state, event: { ...event, escalations } };
  }

  #noteEscalations(
    entry: CheckEntry,
    previous: readonly EscalationState[] | undefined,
    current: readonly EscalationState[] | undefined,
  ): void {
    this.#footprint.bytes += this.escalated.update(entry, previous, current);
  }

  /**
   * Updates a check after a result that repeats its baseline. Such a result is OK, no event is open, and `ttl` and
   * aggregates are unchanged.
   *
   * @param executed execution time of the result, in epoch seconds
   */
  renewCheck(entry: CheckEntry, state: CheckState, executed: number): void {
    entry.state = state;
    entry.executed = executed;
    if (entry.ttl > 0) this.ttls.watch(entry, entry.ttlRepeat);
  }

  /** Sets or removes the series of a check. */
  setSeries(entry: CheckEntry, series: CheckSeries | undefined): void {
    const more = Number(series !== undefined) - Number(entry.series !== undefined);
    entry.series = series;
    this.#footprint.seriesCount += more;
    this.#footprint.bytes += more * SERIES_BYTES;
  }

  removeCheck(entry: CheckEntry): void {
    this.setCheck(entry, NO_CHECK_STATE, undefined, undefined);
    this.updateCheckAttributes(entry, undefined);
    this.setSeries(entry, undefined);
    entry.client.deleteCheck(entry);
    this.#footprint.bytes -= checkBytes(entry);
  }

  /** Deletes an aggregate. A check becomes a member again with its next result that names the aggregate. */
  deleteAggregate({ name }: CheckAggregate): void {
    this.loadDeletion(name, this.aggregates.deletionCount + 1);
  }

  /**
   * Applies the deletion of an aggregate.
   *
   * @param count number of aggregates deleted in the namespace so far, including this one
   */
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
  // The text is copied, because a slice would keep the whole output in memory.
  return Buffer.from(outputSummary(output)).toString();
}

import type { Client } from '../../../shared/schemas/client.ts';
import type { CheckResult } from '../../../shared/schemas/result.ts';
import { NO_CHECK_STATE, type CheckState } from '../../../shared/domain/event.ts';
import { outputSummary } from '../../../shared/domain/event-row.ts';
import { severityOf, type Severity } from '../../../shared/domain/severity.ts';
import { staleRepeatOf, ttlOf } from '../../../shared/domain/ttl.ts';
import { AggregateRegistry, type Aggregate } from '../aggregates/state.ts';
import { byName } from './by-name.ts';
import { ClientProfiles } from '../clients/profiles.ts';
import { CheckEntry, ClientEntry, eventsOf, type ClientOrigin } from './entries.ts';
import { CHECK_BYTES, CountedMap, EVENT_BYTES, Footprint, MARK_BYTES, MEMBER_BYTES } from './footprint.ts';
import { ResultsByCheck } from '../results/state.ts';
import { SilencedRegistry } from '../silences/state.ts';
import { StashRegistry } from '../stashes/state.ts';
import { Subscribers } from '../clients/subscribers.ts';
import { TtlIndex } from '../results/ttl-index.ts';

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

/** Everything in one namespace, with the indexes that its readers need. Only transactions change it. */
export class Namespace {
  readonly name: string;
  readonly clients = new Map<string, ClientEntry>();
  readonly silenced: SilencedRegistry;
  readonly stashes: StashRegistry;
  readonly aggregates = new AggregateRegistry();
  readonly ttls = new TtlIndex();
  readonly spools: Map<string, SpoolMark>;
  /** Names of deleted clients, and until when (epoch milliseconds) they may not come back. */
  readonly invalidated: Map<string, number>;
  readonly tombstones: Map<string, Tombstone>;
  /** Results by the severity of the last one. */
  readonly results: Record<Severity, number> = { ok: 0, warning: 0, critical: 0, unknown: 0 };
  readonly resultsByCheck = new ResultsByCheck();
  /** Clients that the limit of entities counts, and those of them that something else reports for. */
  readonly counted = { total: 0, proxies: 0 };
  readonly #proxiesByReporter = new Map<string, number>();
  readonly #eventsByCheck = new Map<string, Set<CheckEntry>>();
  readonly #footprint: Footprint;
  readonly #profiles: ClientProfiles;
  readonly #subscribers = new Subscribers(this.clients);
  #sortedClients: readonly ClientEntry[] | undefined;

  /** @param footprint counts what is kept in here */
  constructor(name: string, footprint = new Footprint()) {
    this.name = name;
    this.#footprint = footprint;
    this.#profiles = new ClientProfiles(footprint);
    this.silenced = new SilencedRegistry(footprint);
    this.stashes = new StashRegistry(footprint);
    this.spools = new CountedMap(footprint, MARK_BYTES);
    this.invalidated = new CountedMap(footprint, MARK_BYTES);
    this.tombstones = new CountedMap(footprint, MARK_BYTES);
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

  /** @param origin of a new client; one that is known keeps its own, but is counted from when something counted it */
  putClient(record: Client, origin: ClientOrigin): ClientEntry {
    const profile = this.#profiles.take(record);
    const present = this.clients.get(record.name);
    if (present === undefined) {
      const entry = new ClientEntry(this, record, profile, origin);
      this.#countProxy(entry, 1);
      this.#count(entry, 1);
      this.clients.set(entry.name, entry);
      this.#sortedClients = undefined;
      this.#subscribers.add(entry, profile);
      this.#footprint.bytes += entry.bytes;
      return entry;
    }
    const { profile: before } = present;
    this.#footprint.bytes -= present.bytes;
    this.#count(present, -1);
    if (profile !== before) {
      this.#subscribers.remove(present, before);
      this.#subscribers.add(present, profile);
    }
    this.#profiles.release(before);
    present.update(record, profile, origin);
    this.#count(present, 1);
    this.#footprint.bytes += present.bytes;
    return present;
  }

  /** Bytes of memory that a client would take more with this record, because no other is like it. */
  growthOf(record: Client, present: ClientEntry): number {
    return this.#profiles.bytesOf(record) - present.profile.bytes;
  }

  removeClient(entry: ClientEntry): void {
    for (const check of entry.checks.values()) this.removeCheck(check);
    this.#footprint.bytes -= entry.bytes;
    this.#subscribers.remove(entry, entry.profile);
    this.#profiles.release(entry.profile);
    this.#countProxy(entry, -1);
    this.#count(entry, -1);
    this.clients.delete(entry.name);
    this.#sortedClients = undefined;
  }

  /** The entry of a client and check, made when it is new. */
  ensureCheck(client: ClientEntry, name: string): CheckEntry {
    let entry = client.checks.get(name);
    if (entry === undefined) {
      client.addCheck((entry = new CheckEntry(client, name)));
      this.#footprint.bytes += checkBytes(entry);
    }
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
    const { aggregates } = entry;
    this.aggregates.follow(entry, result, deletionsBefore);
    if (entry.aggregates !== aggregates)
      this.#footprint.bytes += memberBytes(entry.aggregates) - memberBytes(aggregates);
    const status = result?.status;
    const hadEvent = entry.state.event !== undefined;
    const hasEvent = state.event !== undefined;
    if (entry.status !== undefined) this.results[severityOf(entry.status)]--;
    if (status !== undefined) this.results[severityOf(status)]++;
    this.resultsByCheck.move(entry.name, entry.status, status);
    entry.state = state;
    entry.status = status;
    entry.executed = result?.executed ?? 0;
    if (result !== undefined && result.status !== 0) entry.lastProblem = result.executed;
    entry.ttl = ttlOf(result);
    if (entry.ttl > 0 && result !== undefined) this.ttls.follow(entry, staleRepeatOf(result));
    if (!hasEvent) entry.summary = '';
    else if (output !== undefined) entry.summary = summaryOf(output);
    if (hasEvent === hadEvent) return;
    entry.client.openEvents += hasEvent ? 1 : -1;
    this.#footprint.bytes += hasEvent ? EVENT_BYTES : -EVENT_BYTES;
    if (hasEvent) addTo(this.#eventsByCheck, entry.name, entry);
    else removeFrom(this.#eventsByCheck, entry.name, entry);
    this.aggregates.noteEvent(entry);
  }

  removeCheck(entry: CheckEntry): void {
    this.setCheck(entry, NO_CHECK_STATE, undefined, undefined);
    entry.client.deleteCheck(entry);
    this.#footprint.bytes -= checkBytes(entry);
  }

  /** Dissolves an aggregate. Its members come back with their next results. */
  deleteAggregate(aggregate: Aggregate): void {
    this.#footprint.bytes -= MEMBER_BYTES * aggregate.size;
    this.aggregates.delete(aggregate);
  }

  /** The open events that an entry on these two parts names, whether or not it is active. */
  *eventsNamedBy(subscription: string | null, check: string | null): Generator<CheckEntry, void, undefined> {
    if (subscription === null) {
      if (check !== null) yield* this.#eventsByCheck.get(check) ?? [];
      return;
    }
    for (const client of this.#subscribers.of(subscription)) {
      if (check === null) {
        yield* eventsOf(client);
        continue;
      }
      const entry = client.checks.get(check);
      if (entry?.state.event !== undefined) yield entry;
    }
  }

  /** The checks with a result or an event that an entry on these two parts names, whether or not it is active. */
  *checksNamedBy(subscription: string | null, check: string | null): Generator<CheckEntry, void, undefined> {
    const clients = subscription === null ? this.clients.values() : this.#subscribers.of(subscription);
    for (const client of clients) {
      if (check === null) yield* client.checks.values();
      else {
        const entry = client.checks.get(check);
        if (entry !== undefined) yield entry;
      }
    }
  }

  #count({ isCounted, profile: { isProxy } }: ClientEntry, by: 1 | -1): void {
    if (!isCounted) return;
    this.counted.total += by;
    if (isProxy) this.counted.proxies += by;
  }

  #countProxy({ reporter }: ClientEntry, by: 1 | -1): void {
    if (reporter === undefined) return;
    const count = this.proxiesOf(reporter) + by;
    if (count === 0) this.#proxiesByReporter.delete(reporter);
    else this.#proxiesByReporter.set(reporter, count);
  }
}

function checkBytes({ name }: CheckEntry): number {
  return CHECK_BYTES + name.length;
}

function memberBytes(aggregates: readonly Aggregate[]): number {
  return MEMBER_BYTES * aggregates.length;
}

function summaryOf(output: string): string {
  // A copy: a slice would keep the whole output in memory.
  return Buffer.from(outputSummary(output)).toString();
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

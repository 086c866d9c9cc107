import { aggregateNames, type AggregatedResult } from '../../../../shared/domain/aggregate.ts';
import { KEEPALIVE_CHECK } from '../../../../shared/domain/keepalive.ts';
import { severityOf, type Severity } from '../../../../shared/domain/severity.ts';
import type { SilencedRegistry } from '../silences/state.ts';

/** The empty list of aggregates; all checks without an aggregate share it. */
export const NO_AGGREGATES: readonly never[] = [];

/** The attributes of a check on a client that its aggregates use. */
export interface Member<Entry extends Member<Entry>> {
  readonly name: string;
  readonly client: {
    readonly isDown: boolean;
    readonly checks: ReadonlyMap<string, Entry>;
  };
  /** State of the check. Aggregates only use whether `event` is defined, that is, whether an event is open. */
  readonly state: { readonly event?: object | undefined };
  /** Status of the last result; undefined if there is no result. */
  readonly status: number | undefined;
  aggregates: readonly Aggregate<Entry>[];
  deletionsBefore: number;
  /** Returns true if an active silence matches the check. */
  isSilenced(nowMs: number): boolean;
}

/** The attributes of a result that decide which aggregates it belongs to, and how it is counted there. */
export interface CountedResult extends AggregatedResult {
  readonly status: number;
}

/**
 * An aggregate: the checks on clients whose last result names it. Its counters are updated when a member is added,
 * changes or is removed.
 */
export class Aggregate<Entry extends Member<Entry>> {
  readonly name: string;
  /** Number of members by the severity of their last result. */
  readonly counts: Record<Severity, number> = { ok: 0, warning: 0, critical: 0, unknown: 0 };
  /** Number of members whose client has an open keepalive event. */
  down = 0;
  /**
   * A list with only this aggregate, shared by all members that belong to no other aggregate. A separate list for each
   * member would take more memory than the entry of the member in `#members`.
   */
  readonly singletonList: readonly Aggregate<Entry>[] = [this];
  readonly #members = new Set<Entry>();
  readonly #membersOfClient = new Map<Entry['client'], number>();
  readonly #membersOfCheck = new Map<string, number>();
  /** Members with an open event. */
  readonly #open = new Set<Entry>();
  /** Members with an open event that is silenced, according to the version `#epoch` of the active silences. */
  readonly #silenced = new Set<Entry>();
  /** Version of the active silences that `#silenced` was determined for; undefined if it must be determined again. */
  #epoch: number | undefined;

  constructor(name: string) {
    this.name = name;
  }

  get size(): number {
    return this.#members.size;
  }

  get clientCount(): number {
    return this.#membersOfClient.size;
  }

  get checkCount(): number {
    return this.#membersOfCheck.size;
  }

  members(): Iterable<Entry> {
    return this.#members;
  }

  /**
   * True if a check is a member. Searches the list of the check, which is several times as fast as a look-up in
   * `#members`.
   */
  has(entry: Entry): boolean {
    return entry.aggregates.includes(this);
  }

  hasClient(client: Entry['client']): boolean {
    return this.#membersOfClient.has(client);
  }

  join(entry: Entry, status: number): void {
    this.#members.add(entry);
    this.#membersOfClient.set(entry.client, (this.#membersOfClient.get(entry.client) ?? 0) + 1);
    this.#membersOfCheck.set(entry.name, (this.#membersOfCheck.get(entry.name) ?? 0) + 1);
    this.counts[severityOf(status)]++;
    if (entry.client.isDown) this.down++;
    if (entry.state.event === undefined) return;
    this.#open.add(entry);
    this.forgetSilenced();
  }

  removeMember(entry: Entry): void {
    this.#members.delete(entry);
    countDown(this.#membersOfClient, entry.client);
    countDown(this.#membersOfCheck, entry.name);
    if (entry.status !== undefined) this.counts[severityOf(entry.status)]--;
    if (entry.client.isDown) this.down--;
    this.#open.delete(entry);
    this.#silenced.delete(entry);
  }

  /** Updates the set of members with an open event, after the event of a member opened or ended. */
  updateOpenEvent(entry: Entry): void {
    if (entry.state.event !== undefined) {
      this.#open.add(entry);
      return;
    }
    this.#open.delete(entry);
    this.#silenced.delete(entry);
  }

  /**
   * Determines again whether the open event of a member is silenced, after the event or its client changed. Does
   * nothing if `#silenced` is out of date anyway.
   *
   * @param epoch version number of the current active silences
   */
  updateSilencing(entry: Entry, epoch: number, nowMs: number): void {
    if (this.#epoch !== epoch) return;
    if (entry.isSilenced(nowMs)) this.#silenced.add(entry);
    else this.#silenced.delete(entry);
  }

  /**
   * Invalidates the set of silenced members, after an event or its silences changed. Called if the current time is
   * unknown.
   */
  forgetSilenced(): void {
    this.#epoch = undefined;
  }

  /**
   * Returns the members whose open event is silenced now. All open events are examined only if the active silences have
   * changed since the last call, or the set was invalidated.
   *
   * @param epoch version number of the current active silences
   */
  silenced(epoch: number, nowMs: number): ReadonlySet<Entry> {
    if (this.#epoch !== epoch) {
      this.#silenced.clear();
      for (const entry of this.#open) if (entry.isSilenced(nowMs)) this.#silenced.add(entry);
      this.#epoch = epoch;
    }
    return this.#silenced;
  }
}

/** The aggregates of one namespace. */
export class AggregateRegistry<Entry extends Member<Entry>> {
  readonly #byName = new Map<string, Aggregate<Entry>>();
  /** The value of `deletionCount` at the last deletion of each aggregate, by the name of the aggregate. */
  readonly #deletions = new Map<string, number>();
  /**
   * Number of deletions of aggregates in this namespace so far. A result belongs to an aggregate only if it arrived
   * after the last deletion of that aggregate.
   */
  deletionCount = 0;
  readonly #silences: Pick<SilencedRegistry, 'epochAt'>;

  /** @param silences the silences of the same namespace */
  constructor(silences: Pick<SilencedRegistry, 'epochAt'>) {
    this.#silences = silences;
  }

  get(name: string): Aggregate<Entry> | undefined {
    return this.#byName.get(name);
  }

  /** Returns all aggregates, sorted by name. */
  sorted(): Aggregate<Entry>[] {
    return [...this.#byName.values()].toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  }

  /** Returns the members of an aggregate whose open event is silenced now. */
  silenced(aggregate: Aggregate<Entry>, nowMs: number): ReadonlySet<Entry> {
    return aggregate.silenced(this.#silences.epochAt(nowMs), nowMs);
  }

  /**
   * Updates the aggregates of a check to those that its new result names. Call it before the check stores the result,
   * because the counters need its previous status.
   *
   * @param entry the check on a client
   * @param result undefined if the check no longer has a result
   * @param deletionsBefore value of `deletionCount` when the result arrived
   */
  updateMembership(entry: Entry, result: CountedResult | undefined, deletionsBefore: number): void {
    const names = result === undefined ? [] : aggregateNames(result);
    entry.deletionsBefore = names.length === 0 ? 0 : deletionsBefore;
    if (names.length === 0 && entry.aggregates.length === 0) return;
    if (result !== undefined && isMemberOf(entry, names)) {
      // In the usual case the result names the same aggregates as before, so that only the severity can have changed.
      const before = severityOf(entry.status ?? result.status);
      const after = severityOf(result.status);
      if (before === after) return;
      for (const { counts } of entry.aggregates) {
        counts[before]--;
        counts[after]++;
      }
      return;
    }
    for (const aggregate of entry.aggregates) this.#removeFromAggregate(aggregate, entry);
    entry.aggregates = result === undefined ? NO_AGGREGATES : this.#join(entry, names, result.status);
  }

  /**
   * Updates the aggregates of a check after its event opened or ended. If the check is `keepalive`, also updates the
   * number of members with a keepalive event, in the aggregates of all checks of the client.
   */
  noteEvent(entry: Entry): void {
    for (const aggregate of entry.aggregates) aggregate.updateOpenEvent(entry);
    if (entry.name !== KEEPALIVE_CHECK) return;
    const step = entry.state.event === undefined ? -1 : 1;
    for (const check of entry.client.checks.values()) for (const aggregate of check.aggregates) aggregate.down += step;
  }

  /**
   * Updates, in the aggregates of a check, whether its open event is silenced. Called after the event or the client
   * changed.
   */
  noteSilencing(entry: Entry, nowMs: number): void {
    if (entry.state.event === undefined || entry.aggregates.length === 0) return;
    const epoch = this.#silences.epochAt(nowMs);
    for (const aggregate of entry.aggregates) aggregate.updateSilencing(entry, epoch, nowMs);
  }

  /**
   * Invalidates the sets of silenced members in the aggregates of a check. Called instead of `noteSilencing` if the
   * current time is unknown.
   */
  forgetSilencing(entry: Entry): void {
    for (const aggregate of entry.aggregates) aggregate.forgetSilenced();
  }

  /** Returns the value of `deletionCount` at the last deletion of an aggregate; undefined if it was never deleted. */
  deletion(name: string): number | undefined {
    return this.#deletions.get(name);
  }

  /**
   * Removes the records of all deletions.
   *
   * @returns the names of the aggregates whose deletions were recorded
   */
  clearDeletions(): string[] {
    const names = [...this.#deletions.keys()];
    this.#deletions.clear();
    return names;
  }

  /**
   * Records the deletion of an aggregate, and removes the members whose last result arrived before it.
   *
   * @param count value of `deletionCount` at this deletion
   * @returns the number of removed members; they become members again with their next results
   */
  loadDeletion(name: string, count: number): number {
    const before = this.#deletions.get(name) ?? 0;
    this.#deletions.set(name, count);
    if (before > count) this.#countDeletions(before);
    else this.deletionCount = Math.max(this.deletionCount, count);
    const aggregate = this.#byName.get(name);
    if (aggregate === undefined) return 0;
    const gone = [...aggregate.members()].filter(({ deletionsBefore }) => deletionsBefore < count);
    for (const entry of gone) {
      this.#removeFromAggregate(aggregate, entry);
      entry.aggregates = packAggregates(entry.aggregates.filter((other) => other !== aggregate));
    }
    return gone.length;
  }

  /**
   * Removes the record of a deletion that is no longer stored, because its namespace was deleted. Otherwise a later
   * aggregate of the same name would count as deleted too.
   */
  unloadDeletion(name: string): void {
    const before = this.#deletions.get(name) ?? 0;
    this.#deletions.delete(name);
    this.#countDeletions(before);
  }

  /**
   * Lowers `deletionCount` to the highest value that is still recorded, if the record that was removed or lowered had
   * the highest.
   *
   * @param gone previous value of that record
   */
  #countDeletions(gone: number): void {
    if (gone < this.deletionCount) return;
    this.deletionCount = 0;
    for (const count of this.#deletions.values()) this.deletionCount = Math.max(this.deletionCount, count);
  }

  #join(entry: Entry, names: readonly string[], status: number): readonly Aggregate<Entry>[] {
    const joined = names
      .filter((name) => (this.#deletions.get(name) ?? 0) <= entry.deletionsBefore)
      .map((name) => this.#ensure(name));
    for (const aggregate of joined) aggregate.join(entry, status);
    return packAggregates(joined);
  }

  #removeFromAggregate(aggregate: Aggregate<Entry>, entry: Entry): void {
    aggregate.removeMember(entry);
    if (aggregate.size === 0) this.#byName.delete(aggregate.name);
  }

  #ensure(name: string): Aggregate<Entry> {
    let aggregate = this.#byName.get(name);
    if (aggregate === undefined) this.#byName.set(name, (aggregate = new Aggregate(name)));
    return aggregate;
  }
}

function isMemberOf<Entry extends Member<Entry>>({ aggregates }: Entry, names: readonly string[]): boolean {
  return aggregates.length === names.length && aggregates.every(({ name }, at) => name === names[at]);
}

/**
 * Returns the aggregates of a check as a list. To save memory, checks share the empty list, and lists with a single
 * aggregate.
 */
function packAggregates<Entry extends Member<Entry>>(
  aggregates: readonly Aggregate<Entry>[],
): readonly Aggregate<Entry>[] {
  const [first, second] = aggregates;
  if (first === undefined) return NO_AGGREGATES;
  return second === undefined ? first.singletonList : aggregates;
}

function countDown<T>(counts: Map<T, number>, key: T): void {
  const count = counts.get(key) ?? 0;
  if (count > 1) counts.set(key, count - 1);
  else counts.delete(key);
}

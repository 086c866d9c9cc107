import { aggregateNames, type AggregatedResult } from '../../../../shared/domain/aggregate.ts';
import { KEEPALIVE_CHECK } from '../../../../shared/domain/keepalive.ts';
import { severityOf, type Severity } from '../../../../shared/domain/severity.ts';
import type { SilencedRegistry } from '../silences/state.ts';

/** The aggregates of most checks: none. */
export const NO_AGGREGATES: readonly never[] = [];

/** A check of a client, as its aggregates need it. */
export interface Member<Entry extends Member<Entry>> {
  readonly name: string;
  readonly client: {
    readonly isDown: boolean;
    readonly checks: ReadonlyMap<string, Entry>;
  };
  /** Only whether an event is open is used. */
  readonly state: { readonly event?: object | undefined };
  /** Status of the last result. */
  readonly status: number | undefined;
  aggregates: readonly Aggregate<Entry>[];
  deletionsBefore: number;
  /** Returns whether an entry silences it now. */
  isSilenced(nowMs: number): boolean;
}

/** The parts of a result that its aggregates count. */
export interface CountedResult extends AggregatedResult {
  readonly status: number;
}

/** The checks of clients whose last result names an aggregate, counted as they are added, changed and removed. */
export class Aggregate<Entry extends Member<Entry>> {
  readonly name: string;
  /** Number of members by the severity of their last result. */
  readonly counts: Record<Severity, number> = { ok: 0, warning: 0, critical: 0, unknown: 0 };
  /** Number of members whose client has an open keepalive event. */
  down = 0;
  /** Shared by members of only this aggregate: an array per member would take more memory than its entry here. */
  readonly singletonList: readonly Aggregate<Entry>[] = [this];
  readonly #members = new Set<Entry>();
  readonly #membersOfClient = new Map<Entry['client'], number>();
  readonly #membersOfCheck = new Map<string, number>();
  /** Members with an open event. */
  readonly #open = new Set<Entry>();
  /** Open members whose event is silenced, valid for one epoch of the silences. */
  readonly #silenced = new Set<Entry>();
  /** Undefined: the set must be computed anew. */
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

  /** Looks in the member's own list, which is several times as fast as a look-up in the set of all members. */
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

  leave(entry: Entry): void {
    this.#members.delete(entry);
    countDown(this.#membersOfClient, entry.client);
    countDown(this.#membersOfCheck, entry.name);
    if (entry.status !== undefined) this.counts[severityOf(entry.status)]--;
    if (entry.client.isDown) this.down--;
    this.#open.delete(entry);
    this.#silenced.delete(entry);
  }

  /** Records that the event of a member began or ended. */
  noteEvent(entry: Entry): void {
    if (entry.state.event !== undefined) {
      this.#open.add(entry);
      return;
    }
    this.#open.delete(entry);
    this.#silenced.delete(entry);
  }

  /** Records that the open event of a member is new, or that its client has other subscriptions. */
  noteSilencing(entry: Entry, epoch: number, nowMs: number): void {
    if (this.#epoch !== epoch) return;
    if (entry.isSilenced(nowMs)) this.#silenced.add(entry);
    else this.#silenced.delete(entry);
  }

  /** Records that the open event of a member changed, or its silences did, at an unknown time. */
  forgetSilenced(): void {
    this.#epoch = undefined;
  }

  /**
   * Returns the members whose event is silenced now. It examines each open event only if the silences changed since the
   * last call.
   *
   * @param epoch of the present silences
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
  /** The value of `deletionCount` at the last deletion of each aggregate, by name. */
  readonly #deletions = new Map<string, number>();
  /**
   * Number of deletions of aggregates so far. A result belongs to an aggregate only if it arrived after the deletion.
   */
  deletionCount = 0;
  readonly #silences: Pick<SilencedRegistry, 'epochAt'>;

  /** @param silences of the same namespace */
  constructor(silences: Pick<SilencedRegistry, 'epochAt'>) {
    this.#silences = silences;
  }

  get(name: string): Aggregate<Entry> | undefined {
    return this.#byName.get(name);
  }

  /** Returns all aggregates by name. */
  sorted(): Aggregate<Entry>[] {
    return [...this.#byName.values()].toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  }

  /** Returns the members of an aggregate whose event is silenced now. */
  silenced(aggregate: Aggregate<Entry>, nowMs: number): ReadonlySet<Entry> {
    return aggregate.silenced(this.#silences.epochAt(nowMs), nowMs);
  }

  /**
   * Updates the memberships of an entry to those that a result names; called before the entry stores the result.
   *
   * @param result undefined: the entry has no result any more
   * @param deletionsBefore value of `deletionCount` when the result arrived
   */
  follow(entry: Entry, result: CountedResult | undefined, deletionsBefore: number): void {
    const names = result === undefined ? [] : aggregateNames(result);
    entry.deletionsBefore = names.length === 0 ? 0 : deletionsBefore;
    if (names.length === 0 && entry.aggregates.length === 0) return;
    if (result !== undefined && isMemberOf(entry, names)) {
      // The usual case: an existing member, where only the severity may change.
      const before = severityOf(entry.status ?? result.status);
      const after = severityOf(result.status);
      if (before === after) return;
      for (const { counts } of entry.aggregates) {
        counts[before]--;
        counts[after]++;
      }
      return;
    }
    for (const aggregate of entry.aggregates) this.#leave(aggregate, entry);
    entry.aggregates = result === undefined ? NO_AGGREGATES : this.#join(entry, names, result.status);
  }

  /** Records that the event of an entry began or ended; called after the entry has changed. */
  noteEvent(entry: Entry): void {
    for (const aggregate of entry.aggregates) aggregate.noteEvent(entry);
    if (entry.name !== KEEPALIVE_CHECK) return;
    const step = entry.state.event === undefined ? -1 : 1;
    for (const check of entry.client.checks.values()) for (const aggregate of check.aggregates) aggregate.down += step;
  }

  /**
   * Records that the silences of the open event of an entry may have changed, with the event itself or with its client.
   */
  noteSilencing(entry: Entry, nowMs: number): void {
    if (entry.state.event === undefined || entry.aggregates.length === 0) return;
    const epoch = this.#silences.epochAt(nowMs);
    for (const aggregate of entry.aggregates) aggregate.noteSilencing(entry, epoch, nowMs);
  }

  /** Does the same as `noteSilencing`, at an unknown time. */
  forgetSilencing(entry: Entry): void {
    for (const aggregate of entry.aggregates) aggregate.forgetSilenced();
  }

  /** Returns the number of deletions up to the last one of an aggregate; undefined: it was never deleted. */
  deletion(name: string): number | undefined {
    return this.#deletions.get(name);
  }

  /** @returns the names of deleted aggregates that were recorded */
  clearDeletions(): string[] {
    const names = [...this.#deletions.keys()];
    this.#deletions.clear();
    return names;
  }

  /**
   * Records a deletion, with a number as `deletion` returns it.
   *
   * @returns the number of removed members, which join again with their next results
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
      this.#leave(aggregate, entry);
      entry.aggregates = packed(entry.aggregates.filter((other) => other !== aggregate));
    }
    return gone.length;
  }

  /**
   * Removes the record of a deletion that is no longer stored, because its namespace was deleted. Another aggregate may
   * have its name later.
   */
  unloadDeletion(name: string): void {
    const before = this.#deletions.get(name) ?? 0;
    this.#deletions.delete(name);
    this.#countDeletions(before);
  }

  /** @param gone number of a deletion that no longer counts */
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
    return packed(joined);
  }

  #leave(aggregate: Aggregate<Entry>, entry: Entry): void {
    aggregate.leave(entry);
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

/** Returns the list for an entry, shared with others wherever possible. */
function packed<Entry extends Member<Entry>>(aggregates: readonly Aggregate<Entry>[]): readonly Aggregate<Entry>[] {
  const [first, second] = aggregates;
  if (first === undefined) return NO_AGGREGATES;
  return second === undefined ? first.singletonList : aggregates;
}

function countDown<T>(counts: Map<T, number>, key: T): void {
  const count = counts.get(key) ?? 0;
  if (count > 1) counts.set(key, count - 1);
  else counts.delete(key);
}

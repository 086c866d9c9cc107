import { aggregateNames, type AggregatedResult } from '../../../shared/domain/aggregate.ts';
import { KEEPALIVE_CHECK } from '../../../shared/domain/keepalive.ts';
import { severityOf, type Severity } from '../../../shared/domain/severity.ts';
import type { SilencedRegistry } from '../silences/state.ts';

/** What most checks belong to. */
export const NO_AGGREGATES: readonly never[] = [];

/** A check of a client, as its aggregates know it. */
export interface Member<Entry extends Member<Entry>> {
  readonly name: string;
  readonly client: {
    readonly isDown: boolean;
    readonly checks: ReadonlyMap<string, Entry>;
  };
  /** What counts of it is whether an event is open. */
  readonly state: { readonly event?: object | undefined };
  /** Of the last result. */
  readonly status: number | undefined;
  aggregates: readonly Aggregate<Entry>[];
  deletionsBefore: number;
  /** Whether anything silences it now. */
  isSilenced(nowMs: number): boolean;
}

/** What of a result counts in its aggregates. */
export interface CountedResult extends AggregatedResult {
  readonly status: number;
}

/** The checks of clients whose last result names an aggregate, counted as they come, change and go. */
export class Aggregate<Entry extends Member<Entry>> {
  readonly name: string;
  /** Members by the severity of their last result. */
  readonly counts: Record<Severity, number> = { ok: 0, warning: 0, critical: 0, unknown: 0 };
  /** Members whose client has an open keepalive event. */
  down = 0;
  /** For members that belong to nothing else: an array of its own would cost each more than its place in here. */
  readonly alone: readonly Aggregate<Entry>[] = [this];
  readonly #members = new Set<Entry>();
  readonly #membersOfClient = new Map<Entry['client'], number>();
  readonly #membersOfCheck = new Map<string, number>();
  /** Members with an open event. */
  readonly #open = new Set<Entry>();
  /** Those of them whose event is silenced, as long as the silences are in this epoch. */
  readonly #silenced = new Set<Entry>();
  /** Undefined: they are to be found anew. */
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

  /** A member knows it itself: that is read with it, where a look among all of them is several times as long. */
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

  /** The event of a member began or ended. */
  noteEvent(entry: Entry): void {
    if (entry.state.event !== undefined) {
      this.#open.add(entry);
      return;
    }
    this.#open.delete(entry);
    this.#silenced.delete(entry);
  }

  /** The open event of a member is new, or its client has other subscriptions. */
  noteSilencing(entry: Entry, epoch: number, nowMs: number): void {
    if (this.#epoch !== epoch) return;
    if (entry.isSilenced(nowMs)) this.#silenced.add(entry);
    else this.#silenced.delete(entry);
  }

  /** The open event of a member is another, or may be silenced by others, at a time that is not known. */
  forgetSilenced(): void {
    this.#epoch = undefined;
  }

  /**
   * The members whose event is silenced now. Looks at each open event only if the silences changed since the last time.
   *
   * @param epoch of the silences now
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
  /** For each deleted aggregate, how many deletions there had been with it. */
  readonly #deletions = new Map<string, number>();
  /** How often an aggregate was deleted: a result that came after as many belongs to all that it names. */
  deletionCount = 0;
  readonly #silences: Pick<SilencedRegistry, 'epochAt'>;

  /** @param silences of the same namespace */
  constructor(silences: Pick<SilencedRegistry, 'epochAt'>) {
    this.#silences = silences;
  }

  get(name: string): Aggregate<Entry> | undefined {
    return this.#byName.get(name);
  }

  /** By name. */
  sorted(): Aggregate<Entry>[] {
    return [...this.#byName.values()].toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  }

  /** The members of an aggregate whose event is silenced now. */
  silenced(aggregate: Aggregate<Entry>, nowMs: number): ReadonlySet<Entry> {
    return aggregate.silenced(this.#silences.epochAt(nowMs), nowMs);
  }

  /**
   * Makes the memberships those that a result names; told before the entry takes it over.
   *
   * @param result undefined: the entry has no result any more
   * @param deletionsBefore what `deletionCount` was when the result came
   */
  follow(entry: Entry, result: CountedResult | undefined, deletionsBefore: number): void {
    const names = result === undefined ? [] : aggregateNames(result);
    entry.deletionsBefore = names.length === 0 ? 0 : deletionsBefore;
    if (names.length === 0 && entry.aggregates.length === 0) return;
    if (result !== undefined && isMemberOf(entry, names)) {
      // The usual result of a member, which has one already: only the severity may be another.
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

  /** The event of an entry began or ended; told after the entry took it over. */
  noteEvent(entry: Entry): void {
    for (const aggregate of entry.aggregates) aggregate.noteEvent(entry);
    if (entry.name !== KEEPALIVE_CHECK) return;
    const step = entry.state.event === undefined ? -1 : 1;
    for (const check of entry.client.checks.values()) for (const aggregate of check.aggregates) aggregate.down += step;
  }

  /** What silences the open event of an entry may have changed, with the event itself or with its client. */
  noteSilencing(entry: Entry, nowMs: number): void {
    if (entry.state.event === undefined || entry.aggregates.length === 0) return;
    const epoch = this.#silences.epochAt(nowMs);
    for (const aggregate of entry.aggregates) aggregate.noteSilencing(entry, epoch, nowMs);
  }

  /** As `noteSilencing`, at a time that is not known. */
  forgetSilencing(entry: Entry): void {
    for (const aggregate of entry.aggregates) aggregate.forgetSilenced();
  }

  /** How many deletions there had been with that of an aggregate; undefined: it never was deleted. */
  deletion(name: string): number | undefined {
    return this.#deletions.get(name);
  }

  /** @returns the names that deletions were remembered of */
  clearDeletions(): string[] {
    const names = [...this.#deletions.keys()];
    this.#deletions.clear();
    return names;
  }

  /**
   * Takes over what `deletion` gave out.
   *
   * @returns how many members it takes away: they come back with their next results
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

  /** Forgets one that is not stored any more: with its namespace, in which another aggregate may have the name. */
  unloadDeletion(name: string): void {
    const before = this.#deletions.get(name) ?? 0;
    this.#deletions.delete(name);
    this.#countDeletions(before);
  }

  /** @param gone what one deletion counted that does not any more */
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

/** The list that an entry keeps: shared with others wherever it can be. */
function packed<Entry extends Member<Entry>>(aggregates: readonly Aggregate<Entry>[]): readonly Aggregate<Entry>[] {
  const [first, second] = aggregates;
  if (first === undefined) return NO_AGGREGATES;
  return second === undefined ? first.alone : aggregates;
}

function countDown<T>(counts: Map<T, number>, key: T): void {
  const count = counts.get(key) ?? 0;
  if (count > 1) counts.set(key, count - 1);
  else counts.delete(key);
}

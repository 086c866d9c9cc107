import { randomUUID } from 'node:crypto';
import { eraOf } from '../../../clock/corrections.ts';
import type { HandlerJob } from '../../../../shared/schemas/handler-job.ts';
import type { Routing, VerdictReport } from '../notify/route.ts';
import type { Change, Key, StoreOp } from '../../ports.ts';
import type { Registry } from '../registry/registry.ts';
import type { AmendedTable, AnnouncedTable, LatestTable, RecordTable, Table } from '../registry/table.ts';
import type { MemoryLimit, DiskLimit } from './resource-limits.ts';

/** The committed bodies that the commands of a batch requested, by entry. */
export type Fetched = ReadonlyMap<object, unknown>;

/** The result of a batch. */
export interface Outcome {
  /** The operations to be written. */
  readonly ops: readonly StoreOp[];
  readonly changes: readonly Change[];
  /** The requested handler runs, in order. */
  readonly jobs: readonly HandlerJob[];
  /** The suppressed or filtered notifications of its events, in order. */
  readonly handlingNotes: readonly VerdictReport[];
}

/**
 * The changes of one batch: made in memory at once, collected for the store, and announced by key. The table of a kind
 * defines how its objects are kept; related changes are in `mutations.ts` or `commands.ts` of the resource.
 */
export class Transaction {
  readonly registry: Registry;
  /** One time for the whole batch, epoch milliseconds. */
  readonly nowMs: number;
  /** Epoch seconds. */
  readonly now: number;
  readonly newId: () => string = randomUUID;
  /** Number of processed results, for the rate. */
  resultCount = 0;
  readonly routing: Routing;
  readonly memory: MemoryLimit;
  readonly #diskLimit: DiskLimit;
  readonly #fetched: Fetched;
  /**
   * Bodies that are written once, however often the batch changes them. They are in one map per table, and not per
   * entry: then a result needs only one look-up.
   */
  readonly #kept = new Map<object, Map<object, unknown>>();
  /** The last amendment of each body that is not in memory. */
  readonly #amended = new Map<object, Map<object, unknown>>();
  readonly #announced = new Map<object, Set<object>>();
  readonly #latest = new Map<object, Map<unknown, Set<unknown>>>();
  readonly #changes: Change[] = [];
  readonly #ops: StoreOp[] = [];
  readonly #jobs: HandlerJob[] = [];
  readonly #handlingNotes: VerdictReport[] = [];

  /** @param fetched the bodies that the commands of this batch requested */
  constructor(
    registry: Registry,
    nowMs: number,
    fetched: Fetched,
    {
      routing,
      diskLimit,
      memory,
    }: { readonly routing: Routing; readonly diskLimit: DiskLimit; readonly memory: MemoryLimit },
  ) {
    this.registry = registry;
    this.routing = routing;
    this.#diskLimit = diskLimit;
    this.memory = memory;
    this.nowMs = nowMs;
    this.now = Math.floor(nowMs / 1000);
    this.#fetched = fetched;
  }

  /**
   * Rejects a new object if there is no space. A command calls it before its first change.
   *
   * @param present the existing object; if there is one, it is only replaced
   * @throws MonError `unavailable` if the disk has no space for more, `no_memory` if memory is full
   */
  refuseNew(present: unknown): void {
    if (present !== undefined) return;
    this.#diskLimit.refuseGrowth();
    this.memory.refuseGrowth();
  }

  /**
   * True if `body` can return it: the body of an entry that another command of the batch created may not have been
   * requested.
   */
  hasBody<Entry extends object, Body>(table: RecordTable<Entry, Body>, entry: Entry): boolean {
    return this.#keptOrFetched(table, entry) !== undefined;
  }

  /** Returns the newest body of an entry that a command of this batch requested or kept. */
  body<Entry extends object, Body>(table: RecordTable<Entry, Body>, entry: Entry): Body {
    const body = this.#keptOrFetched(table, entry);
    if (body === undefined)
      throw new Error(`internal error: the record ${table.key(entry).join('/')} was not read before the write`);
    return body as Body;
  }

  /** Writes the body of an entry that is in memory already. */
  keep<Entry extends object, Body>(table: RecordTable<Entry, Body>, entry: Entry, body: Body): void {
    const kept = this.#kept.get(table);
    if (kept === undefined) this.#kept.set(table, new Map([[entry, body]]));
    else kept.set(entry, body);
  }

  /** Replaces parts of the body of an entry, which need not be in memory; a later `keep` replaces them again. */
  amend<Entry extends object, Body, Amendment>(
    table: AmendedTable<Entry, Body, Amendment>,
    entry: Entry,
    amendment: Amendment,
  ): void {
    const kept = this.#kept.get(table)?.get(entry);
    if (kept !== undefined) {
      this.keep(table, entry, table.amend(kept as Body, amendment));
      return;
    }
    const amended = this.#amended.get(table);
    if (amended === undefined) this.#amended.set(table, new Map([[entry, amendment]]));
    else amended.set(entry, amendment);
  }

  /** Deletes the record of an entry that was removed from memory. */
  forget<Entry extends object, Body>(table: RecordTable<Entry, Body>, entry: Entry): void {
    this.#kept.get(table)?.delete(entry);
    this.#amended.get(table)?.delete(entry);
    this.erase(table.key(entry));
  }

  /** Announces an entry once, after the immediate announcements. */
  announce<Entry extends object>(table: AnnouncedTable<Entry>, entry: Entry): void {
    const announced = this.#announced.get(table);
    if (announced === undefined) this.#announced.set(table, new Set([entry]));
    else announced.add(entry);
  }

  put<Holder, Id, Item>(table: Table<Holder, Id, Item>, holder: Holder, id: Id, item: Item): void {
    table.hold(holder, id, item);
    this.write(table.key(holder, id), table.encode(item));
    if (table.change !== undefined) this.note(table.change(holder, id));
  }

  remove<Holder, Id, Item>(table: Table<Holder, Id, Item>, holder: Holder, id: Id): void {
    table.drop(holder, id);
    this.erase(table.key(holder, id));
    if (table.change !== undefined) this.note(table.change(holder, id));
  }

  /** Writes the state in memory at the end of the batch. */
  putLatest<Holder, Id>(table: LatestTable<Holder, Id>, holder: Holder, id: Id): void {
    let holders = this.#latest.get(table);
    if (holders === undefined) this.#latest.set(table, (holders = new Map<unknown, Set<unknown>>()));
    const ids = holders.get(holder);
    if (ids === undefined) holders.set(holder, new Set([id]));
    else ids.add(id);
  }

  note(change: Change): void {
    this.#changes.push(change);
  }

  write(key: Key, value: string): void {
    this.#ops.push({ type: 'put', key, value });
  }

  erase(key: Key): void {
    this.#ops.push({ type: 'del', key });
  }

  /** Requests a handler run, which starts after the commit. */
  addJob(job: HandlerJob): void {
    this.#jobs.push(job);
  }

  /** Records a suppressed or filtered notification for the log, which gets it after the commit. */
  noteHandling(note: VerdictReport): void {
    this.#handlingNotes.push(note);
  }

  #keptOrFetched(table: object, entry: object): unknown {
    const kept = this.#kept.get(table)?.get(entry);
    if (kept !== undefined) return kept;
    const fetched = this.#fetched.get(entry);
    const amendment = this.#amended.get(table)?.get(entry);
    if (fetched === undefined || amendment === undefined) return fetched;
    return (table as AmendedTable<object, unknown, unknown>).amend(fetched, amendment);
  }

  finish(): Outcome {
    const steps = this.finishing();
    let step = steps.next();
    while (step.done !== true) step = steps.next();
    return step.value;
  }

  /** Does the same as `finish` in steps: a batch may have thousands of records to encode. */
  *finishing(): Generator<void, Outcome, undefined> {
    const corrected = eraOf(this.registry.corrections);
    const era = corrected === 0 ? undefined : corrected;
    yield* this.#writeKept(era);
    yield* this.#writeAmended(era);
    yield* this.#writeLatest();
    for (const [{ announce }, entries] of this.#announced as Map<AnnouncedTable<object>, Set<object>>) {
      for (const entry of entries) {
        this.#changes.push(announce(entry, this.nowMs));
        yield;
      }
    }
    return { ops: this.#ops, changes: this.#changes, jobs: this.#jobs, handlingNotes: this.#handlingNotes };
  }

  *#writeKept(era: number | undefined): Generator<void, void, undefined> {
    for (const [table, kept] of this.#kept as Map<RecordTable<object, unknown>, Map<object, unknown>>) {
      for (const [entry, body] of kept) {
        yield;
        const amendable = table.encodeParts?.(entry, body, era);
        if (amendable === undefined) this.write(table.key(entry), table.encode(entry, body, era));
        else this.#ops.push({ type: 'amendable', key: table.key(entry), ...amendable });
      }
    }
  }

  *#writeAmended(era: number | undefined): Generator<void, void, undefined> {
    for (const [table, amended] of this.#amended as Map<AmendedTable<object, unknown, unknown>, Map<object, unknown>>) {
      const kept = this.#kept.get(table);
      for (const [entry, amendment] of amended) {
        yield;
        if (kept?.has(entry) === true) continue;
        this.#ops.push({ type: 'amend', key: table.key(entry), ...table.encodeAmendment(entry, amendment, era) });
      }
    }
  }

  *#writeLatest(): Generator<void, void, undefined> {
    for (const [{ key, encodeLatest }, holders] of this.#latest as Map<
      LatestTable<unknown, unknown>,
      Map<unknown, Set<unknown>>
    >) {
      for (const [holder, ids] of holders) {
        for (const id of ids) {
          yield;
          const value = encodeLatest(holder, id);
          if (value !== undefined) this.write(key(holder, id), value);
        }
      }
    }
  }
}

import { randomUUID } from 'node:crypto';
import { correctionCount } from '../../../clock/corrections.ts';
import type { HandlerJob } from '../../../../shared/schemas/handler-job.ts';
import type { Routing, VerdictReport } from '../notify/routing.ts';
import type { Change, Key, StoreOp } from '../../ports.ts';
import type { Registry } from '../registry/registry.ts';
import type { AmendedTable, AnnouncedTable, LatestTable, RecordTable, Table } from '../registry/table.ts';
import type { MemoryLimit, DiskLimit } from './resource-limits.ts';

/** The stored records that were read for the commands of a batch, by the entry that they belong to. */
export type FetchedRecords = ReadonlyMap<object, unknown>;

/** The writes, change announcements and handler runs that result from a batch. */
export interface Outcome {
  /** The write operations for the store. */
  readonly ops: readonly StoreOp[];
  readonly changes: readonly Change[];
  /** The handler runs that start after the commit, in the order in which they were requested. */
  readonly jobs: readonly HandlerJob[];
  /** The notifications that were suppressed or filtered, in order; they are logged after the commit. */
  readonly handlingNotes: readonly VerdictReport[];
}

/**
 * The changes of one batch. They are made in memory at once, and collected for the store and for the announcement of
 * the commit. The table of a kind of objects defines how its objects are stored. Changes that belong together are in
 * `mutations.ts` or `commands.ts` of the resource.
 */
export class Transaction {
  readonly registry: Registry;
  /** The time for all changes of the batch, in epoch milliseconds. */
  readonly nowMs: number;
  /** The same time in epoch seconds, rounded down. */
  readonly now: number;
  readonly newId: () => string = randomUUID;
  /** Number of results that the batch has processed so far. */
  resultCount = 0;
  readonly routing: Routing;
  readonly memory: MemoryLimit;
  readonly #diskLimit: DiskLimit;
  readonly #fetched: FetchedRecords;
  /**
   * The records to be written, by table, then entry. A record is written once, even if the batch changes it several
   * times.
   */
  readonly #pendingRecords = new Map<object, Map<object, unknown>>();
  /**
   * The last partial update (amendment) of each record, by table, then entry; ignored if the batch also writes the
   * whole record.
   */
  readonly #amended = new Map<object, Map<object, unknown>>();
  readonly #announced = new Map<object, Set<object>>();
  readonly #latest = new Map<object, Map<unknown, Set<unknown>>>();
  readonly #changes: Change[] = [];
  readonly #ops: StoreOp[] = [];
  readonly #jobs: HandlerJob[] = [];
  readonly #handlingNotes: VerdictReport[] = [];

  /** @param fetched the records that were read from the store because commands of the batch need them */
  constructor(
    registry: Registry,
    nowMs: number,
    fetched: FetchedRecords,
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
   * Throws if an object cannot be created because disk or memory is full. A command calls it before its first change.
   *
   * @param present the existing object; undefined if there is none. Replacing an object is never rejected
   * @throws MonError `unavailable` if the disk is full, `no_memory` if memory is full
   */
  refuseNew(present: unknown): void {
    if (present !== undefined) return;
    this.#diskLimit.refuseGrowth();
    this.memory.refuseGrowth();
  }

  /**
   * True if `body` can return the record of this entry: the batch has written it, or it was read from the store for the
   * batch.
   */
  hasBody<Entry extends object, Body>(table: RecordTable<Entry, Body>, entry: Entry): boolean {
    return this.#pendingOrFetched(table, entry) !== undefined;
  }

  /**
   * Returns the newest record of an entry. The record must have been read from the store for this batch, or written by
   * it.
   */
  body<Entry extends object, Body>(table: RecordTable<Entry, Body>, entry: Entry): Body {
    const body = this.#pendingOrFetched(table, entry);
    if (body === undefined)
      throw new Error(`internal error: the record ${table.key(entry).join('/')} was not read before the write`);
    return body as Body;
  }

  /** Writes the record of an entry. The caller must have changed the state of the entry in memory before. */
  writeRecord<Entry extends object, Body>(table: RecordTable<Entry, Body>, entry: Entry, body: Body): void {
    const kept = this.#pendingRecords.get(table);
    if (kept === undefined) this.#pendingRecords.set(table, new Map([[entry, body]]));
    else kept.set(entry, body);
  }

  /**
   * Replaces parts of the record of an entry; the record need not have been read. A later `writeRecord` replaces the
   * whole record.
   */
  amend<Entry extends object, Body, Amendment>(
    table: AmendedTable<Entry, Body, Amendment>,
    entry: Entry,
    amendment: Amendment,
  ): void {
    const kept = this.#pendingRecords.get(table)?.get(entry);
    if (kept !== undefined) {
      this.writeRecord(table, entry, table.amend(kept as Body, amendment));
      return;
    }
    const amended = this.#amended.get(table);
    if (amended === undefined) this.#amended.set(table, new Map([[entry, amendment]]));
    else amended.set(entry, amendment);
  }

  /** Deletes the stored record of an entry. The caller must have removed the entry from memory before. */
  deleteRecord<Entry extends object, Body>(table: RecordTable<Entry, Body>, entry: Entry): void {
    this.#pendingRecords.get(table)?.delete(entry);
    this.#amended.get(table)?.delete(entry);
    this.erase(table.key(entry));
  }

  /**
   * Adds the change of an entry to the announcement of the commit. It is added once per batch, after the changes that
   * `addChange` added.
   */
  announce<Entry extends object>(table: AnnouncedTable<Entry>, entry: Entry): void {
    const announced = this.#announced.get(table);
    if (announced === undefined) this.#announced.set(table, new Set([entry]));
    else announced.add(entry);
  }

  put<Holder, Id, Item>(table: Table<Holder, Id, Item>, holder: Holder, id: Id, item: Item): void {
    table.putInMemory(holder, id, item);
    this.write(table.key(holder, id), table.encode(item));
    if (table.change !== undefined) this.addChange(table.change(holder, id));
  }

  remove<Holder, Id, Item>(table: Table<Holder, Id, Item>, holder: Holder, id: Id): void {
    table.removeFromMemory(holder, id);
    this.erase(table.key(holder, id));
    if (table.change !== undefined) this.addChange(table.change(holder, id));
  }

  /** Writes an object once, at the end of the batch, in the state that it has in memory at that time. */
  putLatest<Holder, Id>(table: LatestTable<Holder, Id>, holder: Holder, id: Id): void {
    let holders = this.#latest.get(table);
    if (holders === undefined) this.#latest.set(table, (holders = new Map<unknown, Set<unknown>>()));
    const ids = holders.get(holder);
    if (ids === undefined) holders.set(holder, new Set([id]));
    else ids.add(id);
  }

  addChange(change: Change): void {
    this.#changes.push(change);
  }

  write(key: Key, value: string): void {
    this.#ops.push({ type: 'put', key, value });
  }

  erase(key: Key): void {
    this.#ops.push({ type: 'del', key });
  }

  /** Requests a handler run; it starts after the commit. */
  addJob(job: HandlerJob): void {
    this.#jobs.push(job);
  }

  /** Adds a suppressed or filtered notification; it is logged after the commit. */
  noteHandling(note: VerdictReport): void {
    this.#handlingNotes.push(note);
  }

  #pendingOrFetched(table: object, entry: object): unknown {
    const kept = this.#pendingRecords.get(table)?.get(entry);
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

  /** Works like `finish`, but yields between records, because a batch can have thousands of records to encode. */
  *finishing(): Generator<void, Outcome, undefined> {
    const corrected = correctionCount(this.registry.corrections);
    const era = corrected === 0 ? undefined : corrected;
    yield* this.#writePendingRecords(era);
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

  *#writePendingRecords(era: number | undefined): Generator<void, void, undefined> {
    for (const [table, kept] of this.#pendingRecords as Map<RecordTable<object, unknown>, Map<object, unknown>>) {
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
      const kept = this.#pendingRecords.get(table);
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

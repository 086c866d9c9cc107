import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { MonError } from '../../shared/errors.ts';
import type { SpoolTrouble } from '../../shared/schemas/agent.ts';
import type { SubmittedResult } from '../../shared/schemas/result.ts';
import { SystemClock } from '../clock/system-clock.ts';
import { Reopener } from '../disk/reopener.ts';
import { AckFile } from './ack-file.ts';
import type { Clock } from '../clock/clock.ts';
import {
  deleteResult,
  putLastId,
  putName,
  putResult,
  SpoolDatabase,
  type SpoolContent,
  type SpoolEntry,
  type SpoolOp,
} from './spool-database.ts';
import { UnsavedResults, type SpooledResult } from './unsaved-results.ts';

export interface SpoolLimits {
  readonly results: number;
  /** The total length of JSON text, in UTF-16 units. */
  readonly characters: number;
}

export interface SpoolOptions {
  /** The limits of the results on disk. */
  readonly limits?: SpoolLimits;
  /** The maximum total length of JSON text of results that are only in memory, in UTF-16 units. */
  readonly unsavedCharacters?: number;
  /** The clock that decides when a failed disk is tried again. Default: the clock of the machine. */
  readonly clock?: Pick<Clock, 'after'>;
}

/** The default limits: results of one machine for some days without a backend. */
const LIMITS: SpoolLimits = { results: 100_000, characters: 64 * 1024 * 1024 };

/** The default limit in memory: results of one machine for some hours. */
const UNSAVED_CHARACTERS = 8 * 1024 * 1024;

const LONGEST_RETRY_MS = 5000;

const REASON_MAX = 500;

/**
 * The gap before the ids of results that are only in memory. The disk does not have these ids, so the next start must
 * not assign them again: the backend would ignore a new result with a known id.
 */
const UNSAVED_GAP = 2 ** 28;

/** A result that is not on disk yet, and the caller that waits for its id. */
interface WaitingResult {
  readonly text: string;
  readonly resolve: (id: number) => void;
  readonly reject: (error: unknown) => void;
}

/** The state of a database that had to be closed: its name, its last id and the last acknowledged id. */
type ClosedPart = Pick<SpoolContent, 'name' | 'lastId'> & { readonly acked: number };

/**
 * Opens the spool of a state directory. If the disk fails or the database is damaged, the spool works in memory until
 * the directory can be used.
 *
 * @throws MonError `conflict` if another agent holds the directory, `invalid` if the directory can never be used
 */
export async function openSpool(stateDir: string, options: SpoolOptions = {}): Promise<Spool> {
  return await Spool.open(stateDir, options);
}

/**
 * The results that wait for the backend's acknowledgment, in order, on disk. Ids increase and are never reused, so that
 * the backend can distinguish a repeated result from a new one.
 *
 * While the disk rejects writes, new results stay in memory and results on disk are still read, so that all are
 * delivered. The database is reopened as soon as the disk works. A database that cannot be read is left unchanged and
 * tried again; meanwhile results get a spool name of their own.
 */
export class Spool implements AsyncDisposable {
  readonly #directory: string;
  readonly #ackFile: AckFile;
  readonly #limits: SpoolLimits;
  readonly #unsaved: UnsavedResults;
  readonly #reopener: Reopener;
  /** Undefined if the database cannot be read. */
  #db: SpoolDatabase | undefined;
  /** The reason why nothing can be written; undefined: writes succeed. */
  #problem: MonError | undefined;
  /** The unacknowledged results on disk, in order. */
  #entries: SpoolEntry[] = [];
  #name: string = randomUUID();
  #lastId = 0;
  /** The last id that is certainly on disk: a failed write may have left later ones there. */
  #savedId = 0;
  /** The lowest id that the next result can get. */
  #nextId = 1;
  /** The last id of the spool when it was opened. */
  #openedId = 0;
  #ackedId = 0;
  #characters = 0;
  #dropped = 0;
  /** The database that was closed because of an error; undefined: none since the start. */
  #closedPart: ClosedPart | undefined;
  readonly #waiting: WaitingResult[] = [];
  /** Serializes writes: a reader must never see an id before a smaller one. */
  #lastWrite: Promise<unknown> = Promise.resolve();
  readonly #reads = new Set<Promise<unknown>>();
  /** Settles when the database has been reopened; undefined: it is not being reopened. */
  #opening: Promise<unknown> | undefined;
  #isClosed = false;

  private constructor(stateDir: string, { limits, unsavedCharacters, clock }: SpoolOptions) {
    this.#directory = join(stateDir, 'spool');
    this.#ackFile = new AckFile(join(stateDir, 'spool.acked'));
    this.#limits = limits ?? LIMITS;
    this.#unsaved = new UnsavedResults(unsavedCharacters ?? UNSAVED_CHARACTERS);
    this.#reopener = new Reopener(
      () => this.#runSerially(() => this.#recover()),
      clock ?? new SystemClock(),
      LONGEST_RETRY_MS,
    );
  }

  static async open(stateDir: string, options: SpoolOptions): Promise<Spool> {
    const spool = new Spool(stateDir, options);
    try {
      await spool.#open();
    } catch (error) {
      if (!(error instanceof MonError) || error.code !== 'unavailable') throw error;
      spool.#fail(error);
    }
    return spool;
  }

  /** The name of this series of ids. A new name tells the backend that the ids start again. */
  get name(): string {
    return this.#name;
  }

  /** The last id that was given; 0 before the first. */
  get lastId(): number {
    return this.#lastId;
  }

  /** The number of results that wait. */
  get size(): number {
    return this.#entries.length + this.#unsaved.size;
  }

  /** Undefined while everything is written to disk. */
  get trouble(): SpoolTrouble | undefined {
    if (this.#problem === undefined) return undefined;
    const reason = this.#problem.message.slice(0, REASON_MAX);
    return { writable: false, reason, unsaved: this.#unsaved.size, dropped: this.#unsaved.dropped };
  }

  /**
   * Adds a result; beyond the limits the oldest results are dropped. The write is synced. Otherwise a power loss could
   * free an id for reuse, and the backend would ignore the second result with it. Results that arrive during a write
   * share the next write, which takes no longer than a single one. Results that the disk rejects stay in memory.
   *
   * @returns its id
   */
  async append(result: SubmittedResult): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    this.#waiting.push({ text: JSON.stringify(result), resolve, reject });
    if (this.#waiting.length === 1) void this.#runSerially(() => this.#writeWaiting());
    return await promise;
  }

  /** Resolves to true as soon as a result is on disk or acknowledged, and to false when it was dropped. */
  safe(id: number): Promise<boolean> {
    return this.#unsaved.safe(id);
  }

  /**
   * Returns the results after `afterId` in order, as many as the limits allow, but at least one if there is one. Never
   * rejects.
   */
  async read(afterId: number, limits: SpoolLimits): Promise<SpooledResult[]> {
    await this.#opening;
    const reading = this.#read(afterId, limits);
    this.#reads.add(reading);
    try {
      return await reading;
    } catch (error) {
      // Unreadable results on disk must not block the results in memory.
      await this.#runSerially(() => this.#detach(error));
      return firstOf(this.#unsaved.after(afterId), limits, []);
    } finally {
      this.#reads.delete(reading);
    }
  }

  /**
   * Removes all results up to `id`. The write is not synced: results that reappear after a power loss are sent again
   * and ignored. Never rejects: if the disk fails, the results are deleted when it works again.
   *
   * @param name the series of the id; ids of an earlier series are ignored
   */
  async acknowledge(id: number, name = this.#name): Promise<void> {
    await this.#runSerially(async () => {
      if (name !== this.#name) return;
      this.#ackedId = Math.max(this.#ackedId, Math.min(id, this.#lastId));
      this.#unsaved.acknowledge(id);
      const count = countUpTo(this.#entries, id);
      if (count > 0 && this.#problem === undefined) {
        try {
          await this.#db?.write(this.#deletions(count), false);
        } catch (error) {
          this.#fail(error);
        }
      }
      this.#forget(count);
      if (this.#problem !== undefined && this.#db !== undefined) await this.#noteAck();
    });
  }

  /** Returns and resets the number of results that were dropped because there were too many on disk. */
  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }

  /**
   * True if the backend's last committed id belongs to this series. If not, the backend has seen a later state of this
   * directory, which was lost or replaced.
   */
  isOurs(acked: number): boolean {
    return acked <= this.#lastId || acked < this.#nextId;
  }

  /**
   * Takes a new name. Called if the backend has already seen the ids of this spool from another state of the directory.
   *
   * @param acked the last id that the backend has committed under the current name
   */
  async rename(acked: number): Promise<void> {
    // The other state delivered results that it could not write to disk, and before them everything that was on disk.
    if (acked >= this.#openedId + UNSAVED_GAP / 2) await this.acknowledge(this.#openedId);
    await this.#runSerially(async () => {
      this.#name = randomUUID();
      this.#ackedId = 0;
      if (this.#problem !== undefined) return;
      try {
        await this.#db?.write([putName(this.#name)], true);
      } catch (error) {
        this.#fail(error);
      }
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#reopener[Symbol.dispose]();
    // This is the last chance to save results that are only in memory.
    await this.#runSerially(() => this.#recover()).catch(() => undefined);
    this.#isClosed = true;
    await Promise.allSettled(this.#reads);
    await this.#db?.close();
  }

  /** Opens the database of a spool that was not used yet. */
  async #open(): Promise<void> {
    const db = await SpoolDatabase.open(this.#directory);
    try {
      const content = await db.load();
      await this.#ackFile.reserve();
      const ack = await this.#ackFile.read();
      const acked = ack?.name === content.name ? ack.acked : 0;
      this.#name = content.name;
      this.#savedId = content.lastId;
      this.#lastId = Math.max(content.lastId, acked);
      // The previous process assigned ids that are not on disk. Some of them may not have been acknowledged when it
      // ended.
      this.#nextId = acked > content.lastId ? acked + UNSAVED_GAP : content.lastId + 1;
      this.#openedId = content.lastId;
      this.#setEntries(content.entries);
      const count = countUpTo(this.#entries, acked);
      if (count > 0) await db.write(this.#deletions(count), false);
      this.#forget(count);
    } catch (error) {
      await db.close();
      this.#setEntries([]);
      throw error;
    }
    this.#db = db;
  }

  /** Keeps new results in memory until the disk works. */
  #fail(error: unknown): void {
    if (!(error instanceof MonError)) throw error;
    const isFirst = this.#problem === undefined;
    this.#problem = error;
    if (isFirst) this.#nextId = Math.max(this.#nextId, this.#lastId + UNSAVED_GAP);
    if (!this.#isClosed) this.#reopener.start();
  }

  /**
   * Closes a database that cannot be read. Its results wait until it is reopened; those in memory start a new series.
   */
  async #detach(problem: unknown): Promise<void> {
    const db = this.#db;
    if (db === undefined || this.#isClosed) return;
    this.#db = undefined;
    this.#closedPart ??= { name: this.#name, lastId: this.#savedId, acked: this.#ackedId };
    this.#name = randomUUID();
    this.#ackedId = 0;
    this.#setEntries([]);
    await Promise.allSettled([db.close()]);
    this.#fail(problem);
  }

  /** @throws MonError if the disk still fails */
  async #recover(): Promise<void> {
    if (this.#isClosed || this.#problem === undefined) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#opening = promise;
    try {
      await Promise.allSettled(this.#reads);
      await (this.#db === undefined ? this.#openLate() : this.#reopen(this.#db));
      this.#problem = undefined;
    } catch (error) {
      if (error instanceof MonError) this.#problem = error;
      throw error;
    } finally {
      this.#opening = undefined;
      resolve();
    }
  }

  /** Reopens a database that stayed readable, and writes the results from memory. */
  async #reopen(db: SpoolDatabase): Promise<void> {
    await db.closeForReopening();
    let content: SpoolContent;
    try {
      await db.reopen();
      content = await db.load();
    } catch (error) {
      await this.#detach(error);
      throw error;
    }
    // A failed write may have left results on disk that are also in memory.
    const isKept = ({ id }: SpoolEntry): boolean => id > this.#ackedId && id <= this.#savedId;
    this.#setEntries(content.entries.filter(isKept));
    await this.#saveUnsaved(
      db,
      content.entries.filter((entry) => !isKept(entry)),
    );
  }

  /**
   * Opens a database that could not be opened before. Drops its results of checks with a newer result that was
   * delivered meanwhile: delivered now, they would overwrite the newer state.
   */
  async #openLate(): Promise<void> {
    const db = await SpoolDatabase.open(this.#directory);
    try {
      const { name, lastId, entries } = await db.load();
      await this.#ackFile.reserve();
      const ack = await this.#ackFile.read();
      const closed = this.#closedPart?.name === name ? this.#closedPart : undefined;
      const acked = Math.max(ack?.name === name ? ack.acked : 0, closed?.acked ?? 0);
      const savedId = closed?.lastId ?? lastId;
      const gone: SpoolEntry[] = [];
      const kept: SpoolEntry[] = [];
      let superseded = 0;
      let at = 0;
      for await (const { text } of db.read(0, lastId, Infinity)) {
        const entry = entries[at++];
        if (entry === undefined) break;
        const isWaiting = entry.id > acked && entry.id <= savedId;
        const isSuperseded = isWaiting && this.#unsaved.hasSuperseded(text);
        if (isSuperseded) superseded += 1;
        (isWaiting && !isSuperseded ? kept : gone).push(entry);
      }
      if (kept.length > 0) {
        // The old results come before those in memory, so that the ids of the new series are in order.
        this.#name = randomUUID();
        this.#ackedId = 0;
        const firstId = Math.max(lastId, this.#lastId) + 1;
        this.#unsaved.renumber(firstId);
        this.#nextId = firstId + this.#unsaved.size;
        this.#lastId = this.#unsaved.size === 0 ? (kept.at(-1)?.id ?? 0) : this.#nextId - 1;
      }
      this.#setEntries(kept);
      await this.#saveUnsaved(db, gone);
      this.#dropped += superseded;
    } catch (error) {
      this.#setEntries([]);
      await db.close();
      throw error;
    }
    this.#closedPart = undefined;
    this.#db = db;
  }

  /** Writes all results in memory to a database that was just opened, and deletes obsolete ones. */
  async #saveUnsaved(db: SpoolDatabase, gone: readonly SpoolEntry[]): Promise<void> {
    const unsaved = [...this.#unsaved.after(0)];
    await db.write(
      [
        ...gone.map(({ id }) => deleteResult(id)),
        ...unsaved.map(putResult),
        putName(this.#name),
        putLastId(this.#lastId),
      ],
      true,
    );
    this.#unsaved.takeSaved();
    this.#unsaved.forgetKeys();
    for (const { id, text } of unsaved) this.#addEntry({ id, size: text.length });
    this.#savedId = this.#lastId;
    this.#nextId = Math.max(this.#nextId, this.#lastId + 1);
    const surplus = this.#surplus([]);
    if (surplus > 0) {
      await db.write(this.#deletions(surplus), true);
      this.#forget(surplus);
      this.#dropped += surplus;
    }
  }

  async #noteAck(): Promise<void> {
    if (this.#ackedId > 0) await this.#ackFile.write({ name: this.#name, acked: this.#ackedId });
  }

  async #runSerially<T>(task: () => Promise<T>): Promise<T> {
    const done = this.#lastWrite.then(task);
    this.#lastWrite = done.catch(() => undefined);
    return await done;
  }

  async #writeWaiting(): Promise<void> {
    const added = this.#waiting.splice(0);
    if (this.#isClosed) {
      for (const { reject } of added)
        reject(
          new MonError(
            'unavailable',
            `cannot write to the spool ${this.#directory}: it is already closed, because the agent is stopping`,
          ),
        );
      return;
    }
    const db = this.#db;
    if (db !== undefined && this.#problem === undefined) {
      try {
        await this.#add(db, added);
        return;
      } catch (error) {
        this.#fail(error);
      }
    }
    for (const { text, resolve } of added) {
      this.#lastId = this.#takeId();
      this.#unsaved.add(this.#lastId, text);
      resolve(this.#lastId);
    }
  }

  #takeId(): number {
    const id = this.#nextId;
    this.#nextId += 1;
    return id;
  }

  async #add(db: SpoolDatabase, added: readonly WaitingResult[]): Promise<void> {
    const firstId = this.#nextId;
    const lastId = firstId + added.length - 1;
    const surplus = this.#surplus(added);
    // A single write may add more results than the limits allow.
    const skipped = Math.max(0, surplus - this.#entries.length);
    const results = added.map(({ text }, index) => ({ id: firstId + index, text }));
    await db.write(
      [
        ...this.#deletions(Math.min(surplus, this.#entries.length)),
        ...results.slice(skipped).map(putResult),
        putLastId(lastId),
      ],
      true,
    );
    for (const { id, text } of results) this.#addEntry({ id, size: text.length });
    this.#lastId = lastId;
    this.#savedId = lastId;
    this.#nextId = lastId + 1;
    this.#forget(surplus);
    this.#dropped += surplus;
    for (const [index, { resolve }] of added.entries()) resolve(firstId + index);
  }

  async #read(afterId: number, limits: SpoolLimits): Promise<SpooledResult[]> {
    const results: SpooledResult[] = [];
    const db = this.#db;
    const last = this.#entries.at(-1)?.id ?? 0;
    const after = Math.max(afterId, this.#ackedId);
    if (db !== undefined && last > after) {
      let characters = 0;
      for await (const result of db.read(after, last, limits.results)) {
        characters += result.text.length;
        if (results.length > 0 && characters > limits.characters) return results;
        results.push(result);
      }
    }
    return firstOf(this.#unsaved.after(Math.max(after, results.at(-1)?.id ?? 0)), limits, results);
  }

  /** Returns how many of the oldest results must be dropped to fit the limits. The newest stays whatever its size. */
  #surplus(added: readonly Pick<WaitingResult, 'text'>[]): number {
    const total = this.#entries.length + added.length;
    let characters = added.reduce((sum, { text }) => sum + text.length, this.#characters);
    let count = 0;
    while (count < total - 1 && (total - count > this.#limits.results || characters > this.#limits.characters)) {
      characters -= this.#entries[count]?.size ?? added[count - this.#entries.length]?.text.length ?? 0;
      count += 1;
    }
    return count;
  }

  #deletions(count: number): SpoolOp[] {
    return this.#entries.slice(0, count).map(({ id }) => deleteResult(id));
  }

  #setEntries(entries: readonly SpoolEntry[]): void {
    this.#entries = [...entries];
    this.#characters = entries.reduce((sum, { size }) => sum + size, 0);
  }

  #addEntry(entry: SpoolEntry): void {
    this.#entries.push(entry);
    this.#characters += entry.size;
  }

  #forget(count: number): void {
    for (const { size } of this.#entries.splice(0, count)) this.#characters -= size;
  }
}

/** Adds results to a list as far as the limits allow, but at least one. */
function firstOf(more: Iterable<SpooledResult>, limits: SpoolLimits, results: SpooledResult[]): SpooledResult[] {
  let characters = results.reduce((sum, { text }) => sum + text.length, 0);
  for (const result of more) {
    characters += result.text.length;
    if (results.length >= limits.results || (results.length > 0 && characters > limits.characters)) break;
    results.push(result);
  }
  return results;
}

/** Counts the leading entries with an id up to this one. */
function countUpTo(entries: readonly SpoolEntry[], id: number): number {
  let count = 0;
  while (count < entries.length && (entries[count]?.id ?? Infinity) <= id) count += 1;
  return count;
}

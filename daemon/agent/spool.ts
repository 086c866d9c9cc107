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
  /** Maximum total length of the JSON texts of the results, in UTF-16 code units. */
  readonly characters: number;
}

export interface SpoolOptions {
  /** Limits for the results on disk. */
  readonly limits?: SpoolLimits;
  /** Maximum total length of the JSON texts of the results that are only in memory, in UTF-16 code units. */
  readonly unsavedCharacters?: number;
  /** Clock for the delays between attempts to reopen the database on a failed disk. Default: the system clock. */
  readonly clock?: Pick<Clock, 'after'>;
}

/** Default limits for the results on disk: enough for some days of one machine without a backend. */
const DEFAULT_LIMITS: SpoolLimits = { results: 100_000, characters: 64 * 1024 * 1024 };

/**
 * Default limit for the results that are only in memory, in UTF-16 code units: enough for some hours of one machine.
 */
const UNSAVED_CHARACTERS = 8 * 1024 * 1024;

const LONGEST_RETRY_MS = 5000;

const REASON_MAX = 500;

/**
 * Number of ids that are skipped before the first result that is only in memory. The disk does not record the ids of
 * such results. Without the gap, the next start of the agent could assign these ids again, and the backend would ignore
 * a new result whose id it already knows.
 */
const UNSAVED_ID_GAP = 2 ** 28;

/** A result that has no id yet and is not on disk, with the callbacks of the caller that waits for its id. */
interface WaitingResult {
  readonly text: string;
  readonly resolve: (id: number) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * State of a spool database when it was closed because of an error: its name, its last id on disk and its last
 * acknowledged id.
 */
type ClosedDatabaseState = Pick<SpoolContent, 'name' | 'lastId'> & { readonly acked: number };

/**
 * Opens the spool in a state directory. If the disk fails or the database is damaged, the spool stores results in
 * memory until the directory can be used.
 *
 * @throws MonError `conflict` if another agent uses the directory, `invalid` if the directory can never be used
 */
export async function openSpool(stateDir: string, options: SpoolOptions = {}): Promise<Spool> {
  return await Spool.open(stateDir, options);
}

/**
 * The queue on disk of the results that the backend has not acknowledged, in order. Ids increase and are never reused,
 * so that the backend can distinguish a repeated result from a new one.
 *
 * While the disk rejects writes, new results stay in memory, and the results on disk are still read and delivered. The
 * database is reopened as soon as the disk works. A database that cannot be read is left unchanged and opened again
 * later; until then, new results get ids under a new spool name.
 */
export class Spool implements AsyncDisposable {
  readonly #directory: string;
  readonly #ackFile: AckFile;
  readonly #limits: SpoolLimits;
  readonly #unsaved: UnsavedResults;
  readonly #reopener: Reopener;
  /** The open database; undefined while the database cannot be read. */
  #db: SpoolDatabase | undefined;
  /** The error because of which nothing is written to disk; undefined while writes succeed. */
  #problem: MonError | undefined;
  /** The unacknowledged results on disk, in the order of their ids. */
  #entries: SpoolEntry[] = [];
  #name: string = randomUUID();
  #lastId = 0;
  /** The highest id that is certainly on disk. A failed write could have left results with higher ids there. */
  #savedId = 0;
  /** The lowest id that the next result can get. */
  #nextId = 1;
  /** The highest id that the database had when the agent opened it at its start; 0 if it could not be opened. */
  #openedId = 0;
  #ackedId = 0;
  #characters = 0;
  #dropped = 0;
  /**
   * State of the database when it was closed because of an error; undefined if no closed database waits to be reopened.
   */
  #closedPart: ClosedDatabaseState | undefined;
  readonly #waiting: WaitingResult[] = [];
  /**
   * The last queued task of `#runSerially`. Writes run one after another, so that a reader never sees an id before a
   * smaller id.
   */
  #lastWrite: Promise<unknown> = Promise.resolve();
  readonly #reads = new Set<Promise<unknown>>();
  /** Resolves when the running attempt to reopen the database has ended; undefined if no attempt is running. */
  #opening: Promise<unknown> | undefined;
  #isClosed = false;

  private constructor(stateDir: string, { limits, unsavedCharacters, clock }: SpoolOptions) {
    this.#directory = join(stateDir, 'spool');
    this.#ackFile = new AckFile(join(stateDir, 'spool.acked'));
    this.#limits = limits ?? DEFAULT_LIMITS;
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

  /** The name of the current series of ids. A new name tells the backend that the ids start again. */
  get name(): string {
    return this.#name;
  }

  /** The id that was assigned last; 0 before the first. */
  get lastId(): number {
    return this.#lastId;
  }

  /** The number of results that the backend has not acknowledged, on disk and in memory. */
  get size(): number {
    return this.#entries.length + this.#unsaved.size;
  }

  /** The problem of the disk, as reported to the backend; undefined while all results are written to disk. */
  get trouble(): SpoolTrouble | undefined {
    if (this.#problem === undefined) return undefined;
    const reason = this.#problem.message.slice(0, REASON_MAX);
    return { writable: false, reason, unsaved: this.#unsaved.size, dropped: this.#unsaved.dropped };
  }

  /**
   * Adds a result; beyond the limits the oldest results are dropped. The write is synced: otherwise an id could be
   * assigned again after a power loss, and the backend would ignore the second result with that id. Results that arrive
   * during a write are written together by the next write. Results that the disk rejects stay in memory.
   *
   * @returns the id of the result
   */
  async append(result: SubmittedResult): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    this.#waiting.push({ text: JSON.stringify(result), resolve, reject });
    if (this.#waiting.length === 1) void this.#runSerially(() => this.#writeWaiting());
    return await promise;
  }

  /**
   * Resolves to true as soon as a result is on disk or acknowledged, and to false if it is dropped from memory first.
   */
  safe(id: number): Promise<boolean> {
    return this.#unsaved.safe(id);
  }

  /**
   * Returns the unacknowledged results after `afterId` in order, as many as the limits allow, but at least one if there
   * is any. Never rejects: if the disk cannot be read, only results in memory are returned.
   */
  async read(afterId: number, limits: SpoolLimits): Promise<SpooledResult[]> {
    await this.#opening;
    const reading = this.#read(afterId, limits);
    this.#reads.add(reading);
    try {
      return await reading;
    } catch (error) {
      // Results that cannot be read from disk must not block the delivery of the results in memory.
      await this.#runSerially(() => this.#closeUnreadable(error));
      return appendWithinLimits(this.#unsaved.after(afterId), limits, []);
    } finally {
      this.#reads.delete(reading);
    }
  }

  /**
   * Removes all results up to and including `id`. The write is not synced: results that reappear after a power loss are
   * sent again, and the backend ignores them. Never rejects: if the disk fails, the results are deleted when it works
   * again.
   *
   * @param name the spool name under which the id was assigned; an id of an earlier name is ignored
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
      this.#removeEntries(count);
      if (this.#problem !== undefined && this.#db !== undefined) await this.#writeAckFile();
    });
  }

  /**
   * Returns the number of results that were dropped from disk since the last call. They exceeded the limits, or memory
   * had a newer result of the same check.
   */
  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }

  /**
   * True if this spool can have assigned `acked`, the last id that the backend has committed. If not, the backend has
   * received results from a later state of the state directory, which was lost or replaced.
   */
  couldHaveAssignedId(acked: number): boolean {
    return acked <= this.#lastId || acked < this.#nextId;
  }

  /**
   * Gives the spool a new random name. Called if the backend already has results with the ids that this spool would
   * assign next: a later state of the state directory sent them.
   *
   * @param acked the last id that the backend has committed under the current name
   */
  async rename(acked: number): Promise<void> {
    // Ids above the gap are assigned only while the disk fails. So the later state of the directory has delivered a
    // result from memory, and before that all results on disk.
    if (acked >= this.#openedId + UNSAVED_ID_GAP / 2) await this.acknowledge(this.#openedId);
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
    // Write the results that are only in memory, if the disk works again; otherwise they are lost.
    await this.#runSerially(() => this.#recover()).catch(() => undefined);
    this.#isClosed = true;
    await Promise.allSettled(this.#reads);
    await this.#db?.close();
  }

  /** Opens the database at the start of the agent and removes the results that the backend has acknowledged. */
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
      // The previous process assigned ids that are not on disk, perhaps also ids after `acked`. The gap skips all of
      // them.
      this.#nextId = acked > content.lastId ? acked + UNSAVED_ID_GAP : content.lastId + 1;
      this.#openedId = content.lastId;
      this.#setEntries(content.entries);
      const count = countUpTo(this.#entries, acked);
      if (count > 0) await db.write(this.#deletions(count), false);
      this.#removeEntries(count);
    } catch (error) {
      await db.close();
      this.#setEntries([]);
      throw error;
    }
    this.#db = db;
  }

  /**
   * Records the error of the disk: from now on new results stay in memory, and the database is reopened when the disk
   * works.
   */
  #fail(error: unknown): void {
    if (!(error instanceof MonError)) throw error;
    const isFirst = this.#problem === undefined;
    this.#problem = error;
    if (isFirst) this.#nextId = Math.max(this.#nextId, this.#lastId + UNSAVED_ID_GAP);
    if (!this.#isClosed) this.#reopener.start();
  }

  /**
   * Closes a database that cannot be read. Its results stay on disk until it can be opened again; new results in memory
   * get ids under a new spool name.
   */
  async #closeUnreadable(problem: unknown): Promise<void> {
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

  /**
   * Opens the database again, if the disk failed, and writes the results in memory to it.
   *
   * @throws MonError if the disk still fails
   */
  async #recover(): Promise<void> {
    if (this.#isClosed || this.#problem === undefined) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#opening = promise;
    try {
      await Promise.allSettled(this.#reads);
      await (this.#db === undefined ? this.#openAfterFailure() : this.#reopen(this.#db));
      this.#problem = undefined;
    } catch (error) {
      if (error instanceof MonError) this.#problem = error;
      throw error;
    } finally {
      this.#opening = undefined;
      resolve();
    }
  }

  /** Reopens a database that stayed readable during the failure, and writes the results in memory to it. */
  async #reopen(db: SpoolDatabase): Promise<void> {
    await db.closeForReopening();
    let content: SpoolContent;
    try {
      await db.reopen();
      content = await db.load();
    } catch (error) {
      await this.#closeUnreadable(error);
      throw error;
    }
    // A failed write could have left results on disk that are also in memory: they are deleted from disk, then written
    // again.
    const isKept = ({ id }: SpoolEntry): boolean => id > this.#ackedId && id <= this.#savedId;
    this.#setEntries(content.entries.filter(isKept));
    await this.#saveUnsaved(
      db,
      content.entries.filter((entry) => !isKept(entry)),
    );
  }

  /**
   * Opens a database that could not be opened or read before. Drops a result in it if memory got a newer result of the
   * same check meanwhile: the older result must not be delivered after the newer one.
   */
  async #openAfterFailure(): Promise<void> {
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
        // The results in memory get ids above those on disk, under a new spool name, so that all ids are in order.
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

  /** Writes all results in memory to a database that was just opened, and deletes the results in `gone` from it. */
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
    this.#unsaved.clearKeys();
    for (const { id, text } of unsaved) this.#addEntry({ id, size: text.length });
    this.#savedId = this.#lastId;
    this.#nextId = Math.max(this.#nextId, this.#lastId + 1);
    const surplus = this.#surplus([]);
    if (surplus > 0) {
      await db.write(this.#deletions(surplus), true);
      this.#removeEntries(surplus);
      this.#dropped += surplus;
    }
  }

  async #writeAckFile(): Promise<void> {
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
        await this.#writeToDisk(db, added);
        return;
      } catch (error) {
        this.#fail(error);
      }
    }
    for (const { text, resolve } of added) {
      this.#lastId = this.#assignId();
      this.#unsaved.add(this.#lastId, text);
      resolve(this.#lastId);
    }
  }

  #assignId(): number {
    const id = this.#nextId;
    this.#nextId += 1;
    return id;
  }

  async #writeToDisk(db: SpoolDatabase, added: readonly WaitingResult[]): Promise<void> {
    const firstId = this.#nextId;
    const lastId = firstId + added.length - 1;
    const surplus = this.#surplus(added);
    // A single write can add more results than the limits allow; the oldest of them are not written.
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
    this.#removeEntries(surplus);
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
    return appendWithinLimits(this.#unsaved.after(Math.max(after, results.at(-1)?.id ?? 0)), limits, results);
  }

  /**
   * Returns how many of the oldest results must be dropped so that those on disk and `added` fit the limits. The newest
   * result always stays, however large it is.
   */
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

  #removeEntries(count: number): void {
    for (const { size } of this.#entries.splice(0, count)) this.#characters -= size;
  }
}

/** Appends results from `more` to `results` as far as the limits allow, but at least one if `results` is empty. */
function appendWithinLimits(
  more: Iterable<SpooledResult>,
  limits: SpoolLimits,
  results: SpooledResult[],
): SpooledResult[] {
  let characters = results.reduce((sum, { text }) => sum + text.length, 0);
  for (const result of more) {
    characters += result.text.length;
    if (results.length >= limits.results || (results.length > 0 && characters > limits.characters)) break;
    results.push(result);
  }
  return results;
}

/** Returns the number of entries at the beginning of the list whose id is at most `id`. */
function countUpTo(entries: readonly SpoolEntry[], id: number): number {
  let count = 0;
  while (count < entries.length && (entries[count]?.id ?? Infinity) <= id) count += 1;
  return count;
}

import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Level } from 'level';
import { errorMessage, MonError } from '../../shared/errors.ts';
import type { SubmittedResult } from '../../shared/schemas/result.ts';

/** A result on disk: its id and its JSON text, sent as it is. */
export interface SpooledResult {
  readonly id: number;
  readonly text: string;
}

export interface SpoolLimits {
  readonly results: number;
  /** Of JSON text, in UTF-16 units. */
  readonly characters: number;
}

/** Some days of results of one machine while its backend is away. */
const LIMITS: SpoolLimits = { results: 100_000, characters: 64 * 1024 * 1024 };

/** One that is not on disk yet, and who wants to know its id. */
interface WaitingResult {
  readonly text: string;
  readonly resolve: (id: number) => void;
  readonly reject: (error: unknown) => void;
}

type Op = { type: 'put'; key: string; value: string } | { type: 'del'; key: string };

const NAME_KEY = 'meta/name';
const LAST_ID_KEY = 'meta/last-id';
const RESULTS = 'result/';
/** After the last key that begins with `result/`: `0` follows `/`. */
const RESULTS_END = 'result0';
const ID_DIGITS = 16;

/**
 * Results that wait for the backend's acknowledgement, in order, on disk. Ids grow by one and are never used again, so
 * that the backend can tell a repetition from a new result.
 *
 * @throws MonError `conflict` when another agent holds the directory, `unavailable` when it cannot be used
 */
export async function openSpool(stateDir: string, limits: SpoolLimits = LIMITS): Promise<Spool> {
  const directory = join(stateDir, 'spool');
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const db = new Level(directory);
    await db.open();
    return await Spool.load(db, limits);
  } catch (error) {
    throw spoolError(directory, error);
  }
}

export class Spool implements AsyncDisposable {
  readonly #db: Level;
  readonly #limits: SpoolLimits;
  /** Sizes of the texts of `#firstId` to `#lastId`, without a gap. */
  #sizes: number[] = [];
  #name = '';
  #firstId = 1;
  #lastId = 0;
  #characters = 0;
  #dropped = 0;
  readonly #waiting: WaitingResult[] = [];
  /** Writes go one after the other: a reader must never see an id before a smaller one. */
  #lastWrite: Promise<unknown> = Promise.resolve();
  /** A write has failed, perhaps in the middle of a record. */
  #isTorn = false;
  #isClosed = false;

  private constructor(db: Level, limits: SpoolLimits) {
    this.#db = db;
    this.#limits = limits;
  }

  static async load(db: Level, limits: SpoolLimits): Promise<Spool> {
    const spool = new Spool(db, limits);
    await spool.#load();
    return spool;
  }

  /** Names this series of ids for the backend; made once. */
  get name(): string {
    return this.#name;
  }

  /** The last id on disk; 0 before the first. */
  get lastId(): number {
    return this.#lastId;
  }

  /** Results that wait. */
  get size(): number {
    return this.#sizes.length;
  }

  /**
   * Adds a result; beyond the limits the oldest ones go. Synced to disk, because an id that a power loss takes back
   * would be used again, and the backend would ignore the second result with it. Results that come while others are
   * written share the next write: many together take no longer than one.
   *
   * @returns its id
   */
  async append(result: SubmittedResult): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    this.#waiting.push({ text: JSON.stringify(result), resolve, reject });
    if (this.#waiting.length === 1) void this.#inTurn(() => this.#writeWaiting());
    return await promise;
  }

  /** Results after `afterId` in order, as many as the limits allow, but at least one when there is one. */
  async read(afterId: number, limits: SpoolLimits): Promise<SpooledResult[]> {
    const results: SpooledResult[] = [];
    let characters = 0;
    for await (const [key, text] of this.#db.iterator({ gt: keyOf(afterId), lt: RESULTS_END, limit: limits.results })) {
      characters += text.length;
      if (results.length > 0 && characters > limits.characters) break;
      results.push({ id: idOf(key), text });
    }
    return results;
  }

  /** Forgets everything up to `id`. Not synced: what comes back after a power loss is sent again and ignored. */
  async acknowledge(id: number): Promise<void> {
    await this.#inTurn(async () => {
      await this.#reopenTorn();
      const count = Math.min(this.#sizes.length, id - this.#firstId + 1);
      if (count <= 0) return;
      await this.#write(this.#deletions(count), false);
      this.#forget(count);
    });
  }

  /** How many results were dropped since the last call. */
  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }

  /** Takes a new name, for a spool whose ids the backend has already seen from an earlier life of this directory. */
  async rename(): Promise<void> {
    await this.#inTurn(async () => {
      await this.#reopenTorn();
      const name = randomUUID();
      await this.#write([{ type: 'put', key: NAME_KEY, value: name }], true);
      this.#name = name;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lastWrite;
    this.#isClosed = true;
    await this.#db.close();
  }

  async #load(): Promise<void> {
    const [storedName, storedLastId = '0'] = await this.#db.getMany([NAME_KEY, LAST_ID_KEY]);
    const name = storedName ?? randomUUID();
    if (storedName === undefined) await this.#db.batch([{ type: 'put', key: NAME_KEY, value: name }], { sync: true });
    this.#name = name;
    this.#lastId = Number(storedLastId);
    this.#firstId = this.#lastId + 1;
    this.#sizes = [];
    this.#characters = 0;
    for await (const [key, text] of this.#db.iterator({ gt: RESULTS, lt: RESULTS_END })) {
      if (this.#sizes.length === 0) this.#firstId = idOf(key);
      this.#sizes.push(text.length);
      this.#characters += text.length;
    }
  }

  /**
   * After a failed write LevelDB must not append to the same log again: what stands behind a torn record is not read at the
   * next start, so results would be lost and their ids given twice. Opened again it begins a new log. What the failed write
   * was about may be there after all.
   */
  async #reopenTorn(): Promise<void> {
    if (!this.#isTorn || this.#isClosed) return;
    try {
      await this.#db.close();
      await this.#db.open();
      await this.#load();
    } catch (error) {
      throw spoolError(this.#db.location, error);
    }
    this.#isTorn = false;
  }

  async #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const done = this.#lastWrite.then(task);
    this.#lastWrite = done.catch(() => undefined);
    return await done;
  }

  async #write(ops: Op[], sync: boolean): Promise<void> {
    try {
      await this.#db.batch(ops, { sync });
    } catch (error) {
      this.#isTorn = true;
      throw spoolError(this.#db.location, error);
    }
  }

  async #writeWaiting(): Promise<void> {
    const added = this.#waiting.splice(0);
    try {
      await this.#reopenTorn();
      await this.#add(added);
    } catch (error) {
      for (const { reject } of added) reject(error);
    }
  }

  async #add(added: readonly WaitingResult[]): Promise<void> {
    const lastId = this.#lastId + added.length;
    const surplus = this.#surplus(added);
    // More may come at once than there is room for.
    const kept = added.slice(Math.max(0, surplus - this.#sizes.length));
    const ops: Op[] = kept.map(({ text }, index) => ({
      type: 'put',
      key: keyOf(lastId - kept.length + 1 + index),
      value: text,
    }));
    await this.#write(
      [
        ...this.#deletions(Math.min(surplus, this.#sizes.length)),
        ...ops,
        { type: 'put', key: LAST_ID_KEY, value: String(lastId) },
      ],
      true,
    );
    for (const { text } of added) {
      this.#sizes.push(text.length);
      this.#characters += text.length;
    }
    this.#lastId = lastId;
    this.#forget(surplus);
    this.#dropped += surplus;
    for (const [index, { resolve }] of added.entries()) resolve(lastId - added.length + 1 + index);
  }

  /** How many of the oldest must go before all fit; the newest is kept whatever its size. */
  #surplus(added: readonly WaitingResult[]): number {
    const total = this.#sizes.length + added.length;
    let characters = added.reduce((sum, { text }) => sum + text.length, this.#characters);
    let count = 0;
    while (count < total - 1 && (total - count > this.#limits.results || characters > this.#limits.characters)) {
      characters -= this.#sizes[count] ?? added[count - this.#sizes.length]?.text.length ?? 0;
      count += 1;
    }
    return count;
  }

  #deletions(count: number): Op[] {
    return Array.from({ length: count }, (_, index) => ({ type: 'del', key: keyOf(this.#firstId + index) }));
  }

  #forget(count: number): void {
    for (const size of this.#sizes.splice(0, count)) this.#characters -= size;
    this.#firstId += count;
  }
}

function keyOf(id: number): string {
  return `${RESULTS}${String(id).padStart(ID_DIGITS, '0')}`;
}

function idOf(key: string): number {
  return Number(key.slice(RESULTS.length));
}

function spoolError(directory: string, error: unknown): MonError {
  if (error instanceof MonError) return error;
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'LEVEL_LOCKED') {
    return new MonError(
      'conflict',
      `another agent is using ${directory}; stop it, or give this one its own --state-dir`,
      { cause: error },
    );
  }
  if (code === 'LEVEL_CORRUPTION') {
    return new MonError(
      'unavailable',
      `the spool ${directory} is damaged: ${errorMessage(cause)}; move it away to start with an empty one, what waits in it is lost`,
      { cause: error },
    );
  }
  return new MonError(
    'unavailable',
    `cannot use the spool ${directory}: ${errorMessage(cause)}; check that the directory is writable and the disk has room`,
    { cause: error },
  );
}

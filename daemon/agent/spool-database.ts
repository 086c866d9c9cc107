import { randomUUID } from 'node:crypto';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Level } from 'level';
import { errorMessage, MonError } from '../../shared/errors.ts';
import { assertDiskWorks } from '../disk/assert-disk-works.ts';
import type { SpooledResult } from './unsaved-results.ts';

export type SpoolOp =
  | { readonly type: 'put'; readonly key: string; readonly value: string }
  | { readonly type: 'del'; readonly key: string };

/** The id and size of a result on disk. */
export interface SpoolEntry {
  readonly id: number;
  /** The length of the result's JSON text in UTF-16 code units. */
  readonly size: number;
}

/** The content of a spool database, without the texts of its results. */
export interface SpoolContent {
  readonly name: string;
  /** The id that was assigned last; 0 before the first. */
  readonly lastId: number;
  /** The results on disk in the order of their ids. There may be gaps between the ids. */
  readonly entries: readonly SpoolEntry[];
}

const NAME_KEY = 'meta/name';
const LAST_ID_KEY = 'meta/last-id';
const RESULT_PREFIX = 'result/';
/** The end of the key range of results, exclusive: in ASCII, `0` follows `/`. */
const RESULTS_END = 'result0';
const ID_DIGITS = 16;

/**
 * Maximum number of bytes that LevelDB writes when it opens a database, not counting the log files that it converts
 * into tables.
 */
const OPENING_BYTES_BASE = 64 * 1024;

export const putName = (name: string): SpoolOp => ({ type: 'put', key: NAME_KEY, value: name });
export const putLastId = (id: number): SpoolOp => ({ type: 'put', key: LAST_ID_KEY, value: String(id) });
export const putResult = ({ id, text }: SpooledResult): SpoolOp => ({ type: 'put', key: keyOf(id), value: text });
export const deleteResult = (id: number): SpoolOp => ({ type: 'del', key: keyOf(id) });

/** The LevelDB database of a spool. Its methods, except `close`, throw a `MonError` whose message says what to do. */
export class SpoolDatabase {
  readonly #db: Level;

  private constructor(db: Level) {
    this.#db = db;
  }

  /**
   * Opens the database in `directory`, and creates the directory if it is missing.
   *
   * @throws MonError `conflict` if another agent uses the directory, `invalid` if the directory can never be used,
   *   `unavailable` if the disk fails or the database is damaged
   */
  static async open(directory: string): Promise<SpoolDatabase> {
    try {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      // If the disk lacks space, LevelDB must not start the recovery that opens a database.
      await assertDiskWorks(directory, await estimateOpeningBytes(directory));
      const db = new Level(directory);
      await db.open();
      return new SpoolDatabase(db);
    } catch (error) {
      throw spoolError(directory, error);
    }
  }

  async load(): Promise<SpoolContent> {
    return await this.#try(async () => {
      const [storedName, lastId = '0'] = await this.#db.getMany([NAME_KEY, LAST_ID_KEY]);
      const name = storedName ?? randomUUID();
      if (storedName === undefined) await this.#db.batch([putName(name)], { sync: true });
      const entries: SpoolEntry[] = [];
      for await (const [key, text] of this.#db.iterator({ gt: RESULT_PREFIX, lt: RESULTS_END })) {
        entries.push({ id: idOf(key), size: text.length });
      }
      return { name, lastId: Math.max(Number(lastId), entries.at(-1)?.id ?? 0), entries };
    });
  }

  /**
   * Yields at most `limit` results with ids above `afterId` and up to `upToId` inclusive, in order. The caller may end
   * the iteration early.
   */
  async *read(afterId: number, upToId: number, limit: number): AsyncGenerator<SpooledResult, void, undefined> {
    const range = { gt: keyOf(afterId), lte: keyOf(upToId), limit };
    try {
      for await (const [key, text] of this.#db.iterator(range)) yield { id: idOf(key), text };
    } catch (error) {
      throw spoolError(this.#db.location, error);
    }
  }

  /**
   * Writes all operations or none.
   *
   * @param sync whether to wait until the disk has stored them
   */
  async write(ops: readonly SpoolOp[], sync: boolean): Promise<void> {
    await this.#try(() => this.#db.batch([...ops], { sync }));
  }

  /**
   * Closes the database, so that it can be reopened with a new log file. After a failed write LevelDB must not append
   * to the old log file: the next start would not read the records after a torn record. Until the disk works, this
   * method throws, and the database stays open for reading.
   */
  async closeForReopening(): Promise<void> {
    await this.#try(async () => {
      await assertDiskWorks(this.#db.location, await estimateOpeningBytes(this.#db.location));
      await this.#db.close();
    });
  }

  async reopen(): Promise<void> {
    await this.#try(() => this.#db.open());
  }

  async close(): Promise<void> {
    await this.#db.close();
  }

  async #try<T>(task: () => Promise<T>): Promise<T> {
    try {
      return await task();
    } catch (error) {
      throw spoolError(this.#db.location, error);
    }
  }
}

/** Returns the maximum number of bytes that LevelDB writes when it opens the directory. */
async function estimateOpeningBytes(directory: string): Promise<number> {
  let bytes = OPENING_BYTES_BASE;
  for (const name of await readdir(directory)) {
    if (!name.endsWith('.log')) continue;
    bytes += await stat(join(directory, name)).then(
      ({ size }) => size,
      () => 0,
    );
  }
  return bytes;
}

function keyOf(id: number): string {
  return `${RESULT_PREFIX}${String(id).padStart(ID_DIGITS, '0')}`;
}

function idOf(key: string): number {
  return Number(key.slice(RESULT_PREFIX.length));
}

function spoolError(directory: string, error: unknown): MonError {
  if (error instanceof MonError) return error;
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'LEVEL_LOCKED') {
    return new MonError(
      'conflict',
      `another agent is using ${directory}: stop that agent, or start this agent with another --state-dir`,
      { cause: error },
    );
  }
  // A missing file means that the database is damaged, but LevelDB reports it as an I/O error.
  if (code === 'LEVEL_CORRUPTION' || (code === 'LEVEL_IO_ERROR' && /No such file/.test(errorMessage(cause)))) {
    return new MonError(
      'unavailable',
      `the spool ${directory} is damaged: ${errorMessage(cause)}; move the directory away to start with an empty spool; the results in the damaged spool are lost`,
      { cause: error },
    );
  }
  return new MonError(
    isMisconfigured(code, errorMessage(cause)) ? 'invalid' : 'unavailable',
    `cannot use the spool ${directory}: ${errorMessage(cause)}; check that the directory is writable and the disk has room`,
    { cause: error },
  );
}

/** True if a retry is useless: the path is not a directory, or the agent lacks permission. */
function isMisconfigured(code: unknown, text: string): boolean {
  return ['EEXIST', 'ENOTDIR', 'EACCES', 'EPERM'].includes(String(code)) || /permission denied/i.test(text);
}

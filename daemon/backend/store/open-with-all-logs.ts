import { open, readdir, readFile, rename, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MonError } from '../../../shared/errors.ts';
import { isMissing } from './inspect/store-files.ts';
import { logName, logNumbers } from './log-files.ts';
import { oldestLiveLog } from './manifest.ts';
import type { Database } from './database.ts';

/**
 * Offset added to the highest file number of the directory. So restored logs get numbers that exceed all numbers that
 * LevelDB is about to use for its own files.
 */
const NUMBERS_AHEAD = 1000;
const RESTORED_FILE = 'restored.tmp';
const PUT_BACK_RETRY_MS = 100;
const PUT_BACK_TRIES_MAX = 600;

/**
 * Opens the database in `dir`, and ensures that LevelDB has read all of its write-ahead logs. If LevelDB cannot open a
 * log or read it to its end (no descriptors left, EIO), it opens the database without that log. Then it deletes the log
 * with all acknowledged writes in it. So this function opens the logs first, which keeps them readable. If LevelDB's
 * start report does not confirm that it read them, they are put back into the directory for the next attempt.
 *
 * @param openDatabase callback that opens the database, which must be closed until then
 * @throws MonError `unavailable` if a log was not read: no data is lost, and the caller can try again. Errors of the
 *   disk and of LevelDB are thrown as they are.
 */
export async function openWithAllLogs(dir: string, openDatabase: () => Promise<Database>): Promise<Database> {
  await using logs = await LiveLogs.openAll(dir);
  const database = await openDatabase();
  const report = await readFile(join(dir, 'LOG'), 'utf8').catch(() => '');
  if (wereRead(report, logs.numbers)) return database;
  try {
    await logs.restoreLogs();
  } finally {
    await database.close();
  }
  throw new MonError('unavailable', `the store in ${dir} could not be read completely: nothing is lost; try again`);
}

/**
 * True if LevelDB's start report confirms that LevelDB read these logs, whatever their content, and reports no I/O
 * error.
 */
export function wereRead(report: string, logs: readonly number[]): boolean {
  if (/ignoring error.*IO error/i.test(report)) return false;
  return logs.every((number) => report.includes(`Recovering log #${String(number)}\n`));
}

/** The write-ahead logs that LevelDB must read when it opens a database. */
class LiveLogs implements AsyncDisposable {
  readonly #dir: string;
  readonly #logs: readonly { readonly number: number; readonly handle: FileHandle }[];

  private constructor(dir: string, logs: readonly { readonly number: number; readonly handle: FileHandle }[]) {
    this.#dir = dir;
    this.#logs = logs;
  }

  /** Opens the logs, so that they stay readable until disposal, even if LevelDB deletes them. */
  static async openAll(dir: string): Promise<LiveLogs> {
    await using opening = new AsyncDisposableStack();
    const oldest = await oldestLiveLog(dir);
    const logs: { readonly number: number; readonly handle: FileHandle }[] = [];
    for (const number of oldest === undefined ? [] : await logNumbers(dir)) {
      if (oldest === undefined || number < oldest) continue;
      const handle = await openIfThere(join(dir, logName(number)));
      if (handle !== undefined) logs.push({ number, handle: opening.use(handle) });
    }
    opening.move();
    return new LiveLogs(dir, logs);
  }

  get numbers(): readonly number[] {
    return this.#logs.map(({ number }) => number);
  }

  /**
   * Copies the logs under new numbers into the directory of a database that is open and was not written to. A log that
   * LevelDB did read does no harm: its entries have the same sequence numbers the second time. Each step is retried for
   * at least a minute, because there is no other copy of the data. A retry is likely to succeed: a moment ago the same
   * disk accepted the writes of opening the database.
   */
  async restoreLogs(): Promise<void> {
    let next = (await this.#retry(() => highestNumber(this.#dir))) + NUMBERS_AHEAD;
    for (const { handle } of this.#logs) {
      const path = join(this.#dir, logName(next++));
      await this.#retry(() => this.#copy(handle, path));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { handle } of this.#logs) await handle.close();
  }

  async #copy(log: FileHandle, path: string): Promise<void> {
    const { size } = await log.stat();
    const { buffer, bytesRead } = await log.read(Buffer.alloc(size), 0, size, 0);
    const unnamed = join(this.#dir, RESTORED_FILE);
    {
      await using file = await open(unnamed, 'w', 0o600);
      await file.writeFile(buffer.subarray(0, bytesRead));
      await file.sync();
    }
    await rename(unnamed, path);
  }

  async #retry<T>(step: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await step();
      } catch (error) {
        if (tries === PUT_BACK_TRIES_MAX) throw error;
      }
      await delay(PUT_BACK_RETRY_MS);
    }
  }
}

/**
 * @returns the open file; undefined if the file was deleted. Then another process has the database open, and LevelDB
 *   will report that.
 */
async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/**
 * Returns the highest number of LevelDB's numbered files, such as `000005.ldb` and `MANIFEST-000004`; 0 if there are
 * none.
 */
async function highestNumber(dir: string): Promise<number> {
  const names = await readdir(dir);
  return Math.max(0, ...names.map((name) => Number.parseInt(name.replace('MANIFEST-', ''), 10) || 0));
}

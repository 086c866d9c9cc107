import { open, readdir, readFile, rename, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MonError } from '../../../shared/errors.ts';
import { isMissing } from './inspect/store-files.ts';
import { logName, logNumbers } from './log-files.ts';
import { oldestLiveLog } from './manifest.ts';
import type { Database } from './database.ts';

/** Offset above every number that LevelDB is about to give to a file of its own. */
const NUMBERS_AHEAD = 1000;
const RESTORED_FILE = 'restored.tmp';
const PUT_BACK_RETRY_MS = 100;
const PUT_BACK_TRIES_MAX = 600;

/**
 * Opens the database in `dir` and makes sure that all of its write-ahead logs were read. If LevelDB cannot open or read
 * a log to its end (no descriptors left, EIO), it opens without it. Then it deletes the log, with all the acknowledged
 * writes in it. So this function holds the logs open meanwhile. If LevelDB's start report does not say that it read
 * them, they are put back, to be read the next time.
 *
 * @param openDatabase must leave the directory alone before it is called
 * @throws MonError `unavailable` if a log was not read: nothing is lost, try again. Also the errors of the disk and of
 *   LevelDB.
 */
export async function openWithAllLogs(dir: string, openDatabase: () => Promise<Database>): Promise<Database> {
  await using logs = await LiveLogs.hold(dir);
  const database = await openDatabase();
  const report = await readFile(join(dir, 'LOG'), 'utf8').catch(() => '');
  if (wereRead(report, logs.numbers)) return database;
  try {
    await logs.putBack();
  } finally {
    await database.close();
  }
  throw new MonError('unavailable', `the store in ${dir} could not be read completely: nothing is lost; try again`);
}

/** True if LevelDB's start report says that it read these logs, whatever their content. */
export function wereRead(report: string, logs: readonly number[]): boolean {
  if (/ignoring error.*IO error/i.test(report)) return false;
  return logs.every((number) => report.includes(`Recovering log #${String(number)}\n`));
}

/** The logs that LevelDB must read when it opens a database. */
class LiveLogs implements AsyncDisposable {
  readonly #dir: string;
  readonly #logs: readonly { readonly number: number; readonly handle: FileHandle }[];

  private constructor(dir: string, logs: readonly { readonly number: number; readonly handle: FileHandle }[]) {
    this.#dir = dir;
    this.#logs = logs;
  }

  /** Opens the logs, so that they stay readable until disposal, even if they are deleted. */
  static async hold(dir: string): Promise<LiveLogs> {
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
   * Copies the logs under new numbers into a database that is open and was not written to. A log that was read after
   * all does no harm: its entries have the same sequence numbers the second time. It retries until the disk accepts
   * them, because there is no other copy. A moment ago the disk accepted everything that opening the database writes.
   */
  async putBack(): Promise<void> {
    let next = (await this.#patiently(() => highestNumber(this.#dir))) + NUMBERS_AHEAD;
    for (const { handle } of this.#logs) {
      const path = join(this.#dir, logName(next++));
      await this.#patiently(() => this.#copy(handle, path));
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

  async #patiently<T>(step: () => Promise<T>): Promise<T> {
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

/** @returns undefined if the file is gone: then another process has the directory, as LevelDB is about to report */
async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Returns the highest number of LevelDB's numbered files, such as `000005.ldb` and `MANIFEST-000004`. */
async function highestNumber(dir: string): Promise<number> {
  const names = await readdir(dir);
  return Math.max(0, ...names.map((name) => Number.parseInt(name.replace('MANIFEST-', ''), 10) || 0));
}

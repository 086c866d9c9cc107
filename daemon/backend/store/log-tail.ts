import { fstatSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { logName, logNumbers } from './log-files.ts';
import { deletedStore } from './store-identity.ts';

/**
 * The end of the write-ahead log at one moment: the number of the log file and its size. Later bytes belong to later
 * writes.
 */
export interface LogEnd {
  readonly number: number;
  readonly bytes: number;
}

interface OpenLog {
  readonly number: number;
  readonly handle: FileHandle;
  /** Size of the log file at the last check. */
  bytes: number;
}

/**
 * Tracks the end of LevelDB's write-ahead log, to remove what a failed write left there. Each write appends one record
 * to the newest log file. This class has the log file open, so that it can be truncated even when no file can be
 * opened.
 */
export class LogTail {
  readonly #dir: string;
  #openLog: OpenLog | undefined;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /**
   * Returns the current end of the log. Call it while no write is in progress.
   *
   * @throws MonError `unavailable` if the log was deleted: LevelDB would go on writing into a file that no process can
   *   open again
   */
  async end(): Promise<LogEnd> {
    const before = this.#openLog?.bytes ?? 0;
    let openLog = this.#openLog ?? (await this.#openLogFile(await this.#newestNumber()));
    const { size, nlink } = fstatSync(openLog.handle.fd);
    openLog.bytes = size;
    const isDeleted = nlink === 0;
    // Each write makes the log longer. If the log has not grown since the last check, or was deleted, LevelDB may have
    // begun another log.
    if (size === before || isDeleted) {
      const newest = await this.#newestNumber().catch((error: unknown) => {
        throw isDeleted ? deletedStore(this.#dir, error) : error;
      });
      if (newest !== openLog.number) openLog = await this.#openLogFile(newest);
      else if (isDeleted) throw deletedStore(this.#dir);
    }
    return { number: openLog.number, bytes: openLog.bytes };
  }

  /**
   * Truncates the log to an earlier end and syncs it, so that no restart brings back later bytes. It can be called
   * again after a failure.
   */
  async truncateTo({ number, bytes }: LogEnd): Promise<void> {
    const { handle } = this.#openLog?.number === number ? this.#openLog : await this.#openLogFile(number);
    if (sizeOf(handle) > bytes) await handle.truncate(bytes);
    else await this.#emptyAfter(number);
    await handle.datasync();
  }

  /** Closes the log file. Call it before the database is reopened, because that begins a new log. */
  async close(): Promise<void> {
    const openLog = this.#openLog;
    this.#openLog = undefined;
    await openLog?.handle.close();
  }

  /**
   * Empties the logs after log `number`. If a failed write is not in log `number`, LevelDB began a new log for it, or
   * did not write it at all.
   */
  async #emptyAfter(number: number): Promise<void> {
    for (const later of await logNumbers(this.#dir)) {
      if (later > number) await emptyFile(join(this.#dir, logName(later)));
    }
  }

  async #newestNumber(): Promise<number> {
    const number = (await logNumbers(this.#dir)).at(-1);
    if (number === undefined) throw new Error(`there is no write-ahead log in ${this.#dir}`);
    return number;
  }

  async #openLogFile(number: number): Promise<OpenLog> {
    await this.close();
    const handle = await open(join(this.#dir, logName(number)), 'r+');
    this.#openLog = { number, handle, bytes: sizeOf(handle) };
    return this.#openLog;
  }
}

/**
 * Returns the size of an open file. The call is synchronous, because the kernel has the size in memory: a round trip to
 * another thread would take longer.
 */
function sizeOf({ fd }: FileHandle): number {
  return fstatSync(fd).size;
}

async function emptyFile(path: string): Promise<void> {
  await using file = await open(path, 'r+');
  await file.truncate(0);
  await file.datasync();
}

import { fstatSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { logName, logNumbers } from './log-files.ts';
import { deletedStore } from './store-identity.ts';

/** The end of the write-ahead log. Bytes after it belong to a later write. */
export interface LogEnd {
  readonly number: number;
  readonly bytes: number;
}

interface OpenLog {
  readonly number: number;
  readonly handle: FileHandle;
  /** Size at the last check. */
  bytes: number;
}

/**
 * Observes LevelDB's write-ahead log from outside, to undo what a failed write left there. Each write is one record at
 * the end of the newest log. The log stays open here, so that it can be truncated even when no file can be opened.
 */
export class LogTail {
  readonly #dir: string;
  #openLog: OpenLog | undefined;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /**
   * Returns the current end of the log, while nothing is written.
   *
   * @throws MonError `unavailable` if the log was deleted: LevelDB goes on writing into a file that no process can open
   *   again
   */
  async end(): Promise<LogEnd> {
    const before = this.#openLog?.bytes ?? 0;
    let openLog = this.#openLog ?? (await this.#hold(await this.#newest()));
    const { size, nlink } = fstatSync(openLog.handle.fd);
    openLog.bytes = size;
    const isDeleted = nlink === 0;
    // Each write makes the log longer. If it did not grow, or was deleted, LevelDB may have begun another log.
    if (size === before || isDeleted) {
      const newest = await this.#newest().catch((error: unknown) => {
        throw isDeleted ? deletedStore(this.#dir, error) : error;
      });
      if (newest !== openLog.number) openLog = await this.#hold(newest);
      else if (isDeleted) throw deletedStore(this.#dir);
    }
    return { number: openLog.number, bytes: openLog.bytes };
  }

  /**
   * Truncates the log to `end`, on the disk too: afterwards no restart brings back later bytes. It can be called again
   * after a failure.
   */
  async cutBack({ number, bytes }: LogEnd): Promise<void> {
    const { handle } = this.#openLog?.number === number ? this.#openLog : await this.#hold(number);
    if (sizeOf(handle) > bytes) await handle.truncate(bytes);
    else await this.#emptyAfter(number);
    await handle.datasync();
  }

  /** Closes the log. Call it before the database is reopened, which begins a new log. */
  async close(): Promise<void> {
    const openLog = this.#openLog;
    this.#openLog = undefined;
    await openLog?.handle.close();
  }

  /** Empties later logs: a write that is not in this log has begun another one, or was not written at all. */
  async #emptyAfter(number: number): Promise<void> {
    for (const later of await logNumbers(this.#dir)) {
      if (later > number) await emptyFile(join(this.#dir, logName(later)));
    }
  }

  async #newest(): Promise<number> {
    const number = (await logNumbers(this.#dir)).at(-1);
    if (number === undefined) throw new Error(`there is no write-ahead log in ${this.#dir}`);
    return number;
  }

  async #hold(number: number): Promise<OpenLog> {
    await this.close();
    const handle = await open(join(this.#dir, logName(number)), 'r+');
    this.#openLog = { number, handle, bytes: sizeOf(handle) };
    return this.#openLog;
  }
}

/** Reads the size synchronously from kernel memory, which costs less than a round trip to another thread. */
function sizeOf({ fd }: FileHandle): number {
  return fstatSync(fd).size;
}

async function emptyFile(path: string): Promise<void> {
  await using file = await open(path, 'r+');
  await file.truncate(0);
  await file.datasync();
}

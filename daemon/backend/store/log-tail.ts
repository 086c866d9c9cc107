import { fstatSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { logName, logNumbers } from './log-files.ts';
import { deletedStore } from './store-identity.ts';

/** Where the write-ahead log ends. Everything after it belongs to a later write. */
export interface LogEnd {
  readonly number: number;
  readonly bytes: number;
}

interface HeldLog {
  readonly number: number;
  readonly handle: FileHandle;
  /** When it was looked at last. */
  bytes: number;
}

/**
 * Looks at LevelDB's write-ahead log from outside, to take back what a failed write left there. Each write is one record at
 * the end of the newest log. The log stays open here, so that it can be cut while no file can be opened.
 */
export class LogTail {
  readonly #dir: string;
  #held: HeldLog | undefined;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /**
   * Where the log ends now, while nothing is written.
   *
   * @throws MonError `unavailable` when somebody has deleted it: LevelDB goes on writing into what nobody can open again
   */
  async end(): Promise<LogEnd> {
    const before = this.#held?.bytes ?? 0;
    let held = this.#held ?? (await this.#hold(await this.#newest()));
    const { size, nlink } = fstatSync(held.handle.fd);
    held.bytes = size;
    const isDeleted = nlink === 0;
    // Each write makes it longer. If it is not, or it is gone, LevelDB may have begun another one.
    if (size === before || isDeleted) {
      const newest = await this.#newest().catch((error: unknown) => {
        throw isDeleted ? deletedStore(this.#dir, error) : error;
      });
      if (newest !== held.number) held = await this.#hold(newest);
      else if (isDeleted) throw deletedStore(this.#dir);
    }
    return { number: held.number, bytes: held.bytes };
  }

  /**
   * Takes away what was written after `end`, from the disk too: when it is done, no restart brings it back. It can be called
   * again after it failed.
   */
  async cutBack({ number, bytes }: LogEnd): Promise<void> {
    const { handle } = this.#held?.number === number ? this.#held : await this.#hold(number);
    if (sizeOf(handle) > bytes) await handle.truncate(bytes);
    else await this.#emptyAfter(number);
    await handle.datasync();
  }

  /** To be called before the database is opened again, which begins a new log. */
  async close(): Promise<void> {
    const held = this.#held;
    this.#held = undefined;
    await held?.handle.close();
  }

  /** A write that did not arrive in the log began another one, or arrived nowhere. */
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

  async #hold(number: number): Promise<HeldLog> {
    await this.close();
    const handle = await open(join(this.#dir, logName(number)), 'r+');
    this.#held = { number, handle, bytes: sizeOf(handle) };
    return this.#held;
  }
}

/** Asks the kernel's memory and not the disk, so that it costs less than to hand it to another thread and back. */
function sizeOf({ fd }: FileHandle): number {
  return fstatSync(fd).size;
}

async function emptyFile(path: string): Promise<void> {
  await using file = await open(path, 'r+');
  await file.truncate(0);
  await file.datasync();
}

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { MonError } from '../../../shared/errors.ts';

/**
 * The lock file in a LevelDB directory. LevelDB creates the file when it opens a database, and does not close it while
 * the database is open.
 */
const LOCK_FILE = 'LOCK';

/**
 * Detects that the directory of a database was deleted, moved or replaced since the database was opened. Then its path
 * leads to other files, perhaps to a backup, which must not be changed.
 */
export class StoreIdentity {
  readonly #dir: string;
  readonly #lock: string | undefined;

  /** @param dir the directory of a database that has been opened */
  constructor(dir: string) {
    this.#dir = dir;
    this.#lock = lockOf(dir);
  }

  /** Returns the identity of the database in `dir`; undefined if no database was ever opened there. */
  static readIfPresent(dir: string): StoreIdentity | undefined {
    return lockOf(dir) === undefined ? undefined : new StoreIdentity(dir);
  }

  /** True if the path still leads to the same database. The check takes some microseconds. */
  get isSame(): boolean {
    return lockOf(this.#dir) === this.#lock;
  }

  /** @throws MonError `unavailable` if the path leads to another database or to none */
  assertSame(): void {
    if (!this.isSame) throw deletedStore(this.#dir);
  }
}

export function deletedStore(dir: string, cause?: unknown): MonError {
  return new MonError(
    'unavailable',
    `the files of the store in ${dir} were deleted or replaced while the store was open, and nothing more can be stored: ` +
      'stop the backend, and restore a backup',
    { cause },
  );
}

/**
 * Returns a text that identifies the lock file of a directory; undefined if there is no lock file. The inode number
 * alone is not enough, because the system can use the number of a deleted file again.
 */
function lockOf(dir: string): string | undefined {
  try {
    const { dev, ino, birthtimeMs } = statSync(join(dir, LOCK_FILE));
    return [dev, ino, birthtimeMs].join(' ');
  } catch {
    return undefined;
  }
}

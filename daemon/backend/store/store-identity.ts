import { statSync } from 'node:fs';
import { join } from 'node:path';
import { MonError } from '../../../shared/errors.ts';

/** The lock file of a LevelDB directory. It exists, and is held open, as long as the database is open. */
const LOCK_FILE = 'LOCK';

/**
 * Recognizes the directory in which a database was opened. If it was deleted, moved or replaced since, the path leads
 * to other files, perhaps to a backup, which opening the database would change.
 */
export class StoreIdentity {
  readonly #dir: string;
  readonly #lock: string | undefined;

  /** @param dir of an open database */
  constructor(dir: string) {
    this.#dir = dir;
    this.#lock = lockOf(dir);
  }

  /** Returns undefined if no database was opened in the directory yet. */
  static ifThere(dir: string): StoreIdentity | undefined {
    return lockOf(dir) === undefined ? undefined : new StoreIdentity(dir);
  }

  /** True if the path still leads to the same store. A call takes some microseconds. */
  get isSame(): boolean {
    return lockOf(this.#dir) === this.#lock;
  }

  /** @throws MonError `unavailable` if the path leads to another store or to none */
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
 * Identifies the lock file of a directory by more than its inode, because an inode number may be reused. Undefined:
 * there is none.
 */
function lockOf(dir: string): string | undefined {
  try {
    const { dev, ino, birthtimeMs } = statSync(join(dir, LOCK_FILE));
    return [dev, ino, birthtimeMs].join(' ');
  } catch {
    return undefined;
  }
}

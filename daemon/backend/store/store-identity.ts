import { statSync } from 'node:fs';
import { join } from 'node:path';
import { MonError } from '../../../shared/errors.ts';

/** The file by which LevelDB locks a directory. It is there, and held open, as long as the database is open. */
const LOCK_FILE = 'LOCK';

/**
 * Recognizes the directory that a database was opened in. If it was deleted, moved away or replaced since, the path
 * leads to files of somebody else, perhaps to a backup, which opening the database would change.
 */
export class StoreIdentity {
  readonly #dir: string;
  readonly #lock: string | undefined;

  /** @param dir of a database that is open */
  constructor(dir: string) {
    this.#dir = dir;
    this.#lock = lockOf(dir);
  }

  /** Returns undefined if no database was opened in the directory yet. */
  static ifThere(dir: string): StoreIdentity | undefined {
    return lockOf(dir) === undefined ? undefined : new StoreIdentity(dir);
  }

  /** Whether the path still leads to the same store. Costs some microseconds. */
  get isSame(): boolean {
    return lockOf(this.#dir) === this.#lock;
  }

  /** @throws MonError `unavailable` when the path leads to something else, or nowhere */
  assertSame(): void {
    if (!this.isSame) throw deletedStore(this.#dir);
  }
}

export function deletedStore(dir: string, cause?: unknown): MonError {
  return new MonError(
    'unavailable',
    `the files of the store in ${dir} were deleted or replaced while it is open, and nothing more can be stored: stop the ` +
      'backend, and restore a backup',
    { cause },
  );
}

/** Identifies the lock file of a directory: a number alone may be given again. Undefined: there is none. */
function lockOf(dir: string): string | undefined {
  try {
    const { dev, ino, birthtimeMs } = statSync(join(dir, LOCK_FILE));
    return [dev, ino, birthtimeMs].join(' ');
  } catch {
    return undefined;
  }
}

import { readdir, stat } from 'node:fs/promises';

/** Damage to a file of a store. */
export interface FileDamage {
  /** File name, relative to the directory of the store. */
  readonly file: string;
  /** Description of the damage and of the lost data. */
  readonly problem: string;
  /**
   * `log`: some of the newest writes are lost, and the remaining data can be served. `files`: a repair must first
   * recover the remaining data.
   */
  readonly kind: 'log' | 'files';
}

/** The names of the files in the directory of a store, by type. Each list is sorted by the numbers in the names. */
export interface StoreFiles {
  readonly tables: readonly string[];
  readonly logs: readonly string[];
  readonly manifests: readonly string[];
}

const TABLE_NAME = /^\d+\.(?:ldb|sst)$/;
const LOG_NAME = /^\d+\.log$/;
const MANIFEST_NAME = /^MANIFEST-\d+$/;
export const CURRENT_FILE = 'CURRENT';

export const fileNumberOf = (name: string): number => Number.parseInt(name.replace('MANIFEST-', ''), 10);

const compareByNumber = (a: string, b: string): number => fileNumberOf(a) - fileNumberOf(b);

export async function storeFiles(dir: string): Promise<StoreFiles> {
  const names = await readdir(dir);
  const matching = (pattern: RegExp): string[] => names.filter((name) => pattern.test(name)).toSorted(compareByNumber);
  return { tables: matching(TABLE_NAME), logs: matching(LOG_NAME), manifests: matching(MANIFEST_NAME) };
}

/** Returns the size of a file in bytes; undefined if the file does not exist. */
export async function bytesOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}

/** Rethrows `error` if this user lacks the permission to read the file, because that is not damage. */
export function rethrowPermissionError(error: unknown): void {
  const code = codeOf(error);
  if (code === 'EACCES' || code === 'EPERM') throw error;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

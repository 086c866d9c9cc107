import { readdir, stat } from 'node:fs/promises';

/** A damage of a store. */
export interface Damage {
  /** File name relative to the directory. */
  readonly file: string;
  /** Description of the damage and of what is lost with it. */
  readonly problem: string;
  /**
   * `log`: some of the newest writes are lost, and the rest can be served. `files`: the rest must first be recovered by
   * a repair.
   */
  readonly kind: 'log' | 'files';
}

/** The files in the directory of a store. */
export interface StoreFiles {
  readonly tables: readonly string[];
  readonly logs: readonly string[];
  readonly manifests: readonly string[];
}

const TABLE = /^\d+\.(?:ldb|sst)$/;
const LOG = /^\d+\.log$/;
const MANIFEST = /^MANIFEST-\d+$/;
export const CURRENT = 'CURRENT';

export const numberOf = (name: string): number => Number.parseInt(name.replace('MANIFEST-', ''), 10);

const byNumber = (a: string, b: string): number => numberOf(a) - numberOf(b);

export async function storeFiles(dir: string): Promise<StoreFiles> {
  const names = await readdir(dir);
  const matching = (pattern: RegExp): string[] => names.filter((name) => pattern.test(name)).toSorted(byNumber);
  return { tables: matching(TABLE), logs: matching(LOG), manifests: matching(MANIFEST) };
}

/** Returns the bytes of a file; undefined: it does not exist. */
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

/** @throws the error if this user may not read the file: that is no damage */
export function passOnRefusal(error: unknown): void {
  const code = codeOf(error);
  if (code === 'EACCES' || code === 'EPERM') throw error;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

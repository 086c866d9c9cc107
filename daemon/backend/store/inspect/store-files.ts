import { readdir, stat } from 'node:fs/promises';

/** Something of a store that is not as it was written. */
export interface Damage {
  /** Relative to the directory. */
  readonly file: string;
  /** What is wrong, and what it took with it. */
  readonly problem: string;
  /**
   * `log`: of the newest writes some are lost, and what is left can be served; `files`: what is left has to be brought
   * together first, by a repair.
   */
  readonly kind: 'log' | 'files';
}

/** What is in the directory of a store. */
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

/** Bytes of a file; undefined: it is not there. */
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

/** @throws the error, where a file is whole for all we know, and only not for this user: that is no damage */
export function passOnRefusal(error: unknown): void {
  const code = codeOf(error);
  if (code === 'EACCES' || code === 'EPERM') throw error;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Space that is set aside on the disk of the store, beside its files (see `DiskSpace`). */
export const RESERVE_FILE = 'reserve';

/** Bytes of the files of the store in a directory. One that is compacted away meanwhile counts nothing. */
export async function storeBytes(dir: string): Promise<number> {
  const names = (await readdir(dir)).filter((name) => name !== RESERVE_FILE);
  const sizes = await Promise.all(names.map((name) => fileBytes(join(dir, name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function fileBytes(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 0;
    throw error;
  }
}

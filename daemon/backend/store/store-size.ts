import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { bytesOf } from './inspect/store-files.ts';

/** Names of the files that reserve space on the disk of the store (see `DiskSpace`). */
export const RESERVE_FILES = { running: 'reserve', opening: 'reserve-opening' } as const;

const RESERVE_FILE_NAMES: ReadonlySet<string> = new Set(Object.values(RESERVE_FILES));

/**
 * Returns the total size of the store files in a directory in bytes, without the reserve files. A file that LevelDB
 * deletes meanwhile counts as 0 bytes.
 */
export async function storeBytes(dir: string): Promise<number> {
  const names = (await readdir(dir)).filter((name) => !RESERVE_FILE_NAMES.has(name));
  const sizes = await Promise.all(names.map((name) => bytesOf(join(dir, name))));
  return sizes.reduce<number>((sum, size = 0) => sum + size, 0);
}

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { bytesOf } from './inspect/store-files.ts';

/** Files that reserve space on the disk of the store (see `DiskSpace`). */
export const RESERVE_FILES = { running: 'reserve', opening: 'reserve-opening' } as const;

const RESERVES: ReadonlySet<string> = new Set(Object.values(RESERVE_FILES));

/** Returns the bytes of the store files in a directory. A file that is compacted away meanwhile counts nothing. */
export async function storeBytes(dir: string): Promise<number> {
  const names = (await readdir(dir)).filter((name) => !RESERVES.has(name));
  const sizes = await Promise.all(names.map((name) => bytesOf(join(dir, name))));
  return sizes.reduce<number>((sum, size = 0) => sum + size, 0);
}

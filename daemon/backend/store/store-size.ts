import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { bytesOf } from './inspect/store-files.ts';

/** Space that is set aside on the disk of the store, beside its files (see `DiskSpace`). */
export const RESERVE_FILES = { running: 'reserve', opening: 'reserve-opening' } as const;

const RESERVES: ReadonlySet<string> = new Set(Object.values(RESERVE_FILES));

/** Bytes of the files of the store in a directory. One that is compacted away meanwhile counts nothing. */
export async function storeBytes(dir: string): Promise<number> {
  const names = (await readdir(dir)).filter((name) => !RESERVES.has(name));
  const sizes = await Promise.all(names.map((name) => bytesOf(join(dir, name))));
  return sizes.reduce<number>((sum, size = 0) => sum + size, 0);
}

import { open, rm, stat, statfs } from 'node:fs/promises';
import { randomFillSync } from 'node:crypto';
import { join } from 'node:path';
import type { Disk, ReserveUse } from '../ports.ts';
import { StoreIdentity } from './store-identity.ts';
import { RESERVE_FILES } from './store-size.ts';

const CHUNK_BYTES = 1024 * 1024;

/**
 * The disk that holds a state directory. Reserve files in the directory occupy space that can be freed when the disk is
 * full.
 */
export class DiskSpace implements Disk {
  readonly dir: string;
  /** Identity of the first store that was found in the directory; undefined if no store was found yet. */
  #identity: StoreIdentity | undefined;

  constructor(dir: string) {
    this.dir = dir;
  }

  /**
   * Returns the number of free bytes on the disk, without the space that the reserve files occupy. Returns undefined if
   * it cannot be determined, for example before the directory exists.
   */
  async freeBytes(): Promise<number | undefined> {
    this.#identity ??= StoreIdentity.readIfPresent(this.dir);
    try {
      const { bavail, bsize } = await statfs(this.dir);
      return bavail * bsize;
    } catch {
      return undefined;
    }
  }

  /** Returns the size of a reserve file in bytes; 0 if the file does not exist. */
  async reservedBytes(use: ReserveUse = 'running'): Promise<number> {
    return await stat(this.#pathOf(use)).then(
      ({ size }) => size,
      () => 0,
    );
  }

  /**
   * Creates or replaces a reserve file.
   *
   * @throws Error if the file cannot be written; the incomplete file is deleted. MonError `unavailable` if the store
   *   was replaced
   */
  async reserve(bytes: number, use: ReserveUse = 'running'): Promise<void> {
    this.#identity?.assertSame();
    try {
      await using file = await open(this.#pathOf(use), 'w', 0o600);
      // The file contains random bytes, because a file system may store zeros or repetitions without allocating space.
      const chunk = randomFillSync(Buffer.alloc(CHUNK_BYTES));
      for (let left = bytes; left > 0; left -= chunk.length) {
        chunk.writeUInt32LE(left % 2 ** 32);
        await file.write(chunk, 0, Math.min(left, chunk.length));
      }
      await file.sync();
    } catch (error) {
      await this.releaseReserve(use).catch(() => undefined);
      throw error;
    }
  }

  /**
   * Deletes a reserve file, which frees its space.
   *
   * @throws MonError `unavailable` if the store was replaced
   */
  async releaseReserve(use: ReserveUse = 'running'): Promise<void> {
    this.#identity?.assertSame();
    await rm(this.#pathOf(use), { force: true });
  }

  #pathOf(use: ReserveUse): string {
    return join(this.dir, RESERVE_FILES[use]);
  }
}

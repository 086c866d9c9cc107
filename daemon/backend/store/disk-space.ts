import { open, rm, stat, statfs } from 'node:fs/promises';
import { randomFillSync } from 'node:crypto';
import { join } from 'node:path';
import type { Disk, ReserveUse } from '../ports.ts';
import { StoreIdentity } from './store-identity.ts';
import { RESERVE_FILES } from './store-size.ts';

const CHUNK_BYTES = 1024 * 1024;

/** The disk of a state directory, with its reserves: files in the directory whose bytes are really allocated. */
export class DiskSpace implements Disk {
  readonly dir: string;
  /** Identity of the store that was there first; undefined: there is no store yet. */
  #identity: StoreIdentity | undefined;

  constructor(dir: string) {
    this.dir = dir;
  }

  /** Returns the free bytes without the reserves; undefined: unknown, as before the directory exists. */
  async freeBytes(): Promise<number | undefined> {
    this.#identity ??= StoreIdentity.ifThere(this.dir);
    try {
      const { bavail, bsize } = await statfs(this.dir);
      return bavail * bsize;
    } catch {
      return undefined;
    }
  }

  /** Returns the bytes of a reserve; 0: it was released. */
  async reservedBytes(use: ReserveUse = 'running'): Promise<number> {
    return await stat(this.#pathOf(use)).then(
      ({ size }) => size,
      () => 0,
    );
  }

  /** @throws Error if the disk rejects the write, or the store was replaced; then nothing is set aside */
  async setAside(bytes: number, use: ReserveUse = 'running'): Promise<void> {
    this.#identity?.assertSame();
    try {
      await using file = await open(this.#pathOf(use), 'w', 0o600);
      // Random bytes, because a file system may store zeros or repetitions without allocating space.
      const chunk = randomFillSync(Buffer.alloc(CHUNK_BYTES));
      for (let left = bytes; left > 0; left -= chunk.length) {
        chunk.writeUInt32LE(left % 2 ** 32);
        await file.write(chunk, 0, Math.min(left, chunk.length));
      }
      await file.sync();
    } catch (error) {
      await this.giveOut(use).catch(() => undefined);
      throw error;
    }
  }

  /** @throws MonError `unavailable` if the store was replaced */
  async giveOut(use: ReserveUse = 'running'): Promise<void> {
    this.#identity?.assertSame();
    await rm(this.#pathOf(use), { force: true });
  }

  #pathOf(use: ReserveUse): string {
    return join(this.dir, RESERVE_FILES[use]);
  }
}

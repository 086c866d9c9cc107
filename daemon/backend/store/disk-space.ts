import { open, rm, stat, statfs } from 'node:fs/promises';
import { randomFillSync } from 'node:crypto';
import { join } from 'node:path';
import type { Disk, ReserveUse } from '../ports.ts';
import { StoreIdentity } from './store-identity.ts';
import { RESERVE_FILES } from './store-size.ts';

const CHUNK_BYTES = 1024 * 1024;

/** The disk of a state directory, and what is set aside on it: files in the directory, whose bytes are really there. */
export class DiskSpace implements Disk {
  readonly dir: string;
  /** The store that was there first; undefined: there is none yet. */
  #identity: StoreIdentity | undefined;

  constructor(dir: string) {
    this.dir = dir;
  }

  /** Bytes that are free for us, beside what is set aside; undefined: nothing is known, as before there is a directory. */
  async freeBytes(): Promise<number | undefined> {
    this.#identity ??= StoreIdentity.ifThere(this.dir);
    try {
      const { bavail, bsize } = await statfs(this.dir);
      return bavail * bsize;
    } catch {
      return undefined;
    }
  }

  /** Bytes set aside; 0: none, they were given out. */
  async reservedBytes(use: ReserveUse = 'running'): Promise<number> {
    return await stat(this.#pathOf(use)).then(
      ({ size }) => size,
      () => 0,
    );
  }

  /** @throws Error when the disk refuses, or the store was replaced; then nothing is set aside */
  async setAside(bytes: number, use: ReserveUse = 'running'): Promise<void> {
    this.#identity?.assertSame();
    try {
      await using file = await open(this.#pathOf(use), 'w', 0o600);
      // Noise, because a file system may keep zeros or repetitions without taking room for them.
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

  /** @throws MonError `unavailable` when the store was replaced */
  async giveOut(use: ReserveUse = 'running'): Promise<void> {
    this.#identity?.assertSame();
    await rm(this.#pathOf(use), { force: true });
  }

  #pathOf(use: ReserveUse): string {
    return join(this.dir, RESERVE_FILES[use]);
  }
}

import { open, readFile, writeFile } from 'node:fs/promises';
import { z } from 'zod';

/** The size of the file, which never changes: overwriting it needs no space, so it also works on a full disk. */
const BYTES = 256;

const ackSchema = z.object({ name: z.string().max(64), acked: z.int().min(0) });

/** The last acknowledged id of a spool. */
export type Ack = z.infer<typeof ackSchema>;

/**
 * A file beside the spool that stores the last acknowledged id while the spool itself cannot be written. Its space is
 * reserved while the disk still has some. Without this file, a result whose deletion failed is delivered again after a
 * restart.
 */
export class AckFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Reserves the space of the file, unless it exists. Never rejects: the spool also works without the file. */
  async reserve(): Promise<void> {
    await writeFile(this.#path, ' '.repeat(BYTES), { flag: 'wx', mode: 0o600 }).catch(ignore);
  }

  /** Returns the ack that was written last; undefined if there is none or it cannot be read. Never rejects. */
  async read(): Promise<Ack | undefined> {
    try {
      return ackSchema.parse(JSON.parse(await readFile(this.#path, 'utf8')));
    } catch {
      return undefined;
    }
  }

  /** Never rejects. */
  async write(ack: Ack): Promise<void> {
    try {
      await using file = await open(this.#path, 'r+');
      await file.write(JSON.stringify(ack).padEnd(BYTES), 0, 'utf8');
    } catch {
      // If the disk also fails for this write, some results may be delivered again after a restart.
    }
  }
}

const ignore = (): void => undefined;

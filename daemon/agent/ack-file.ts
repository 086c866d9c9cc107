import { open, readFile, writeFile } from 'node:fs/promises';
import { z } from 'zod';

/** All of the file, always: overwriting it needs no space, so that it works on a full disk. */
const BYTES = 256;

const ackSchema = z.object({ name: z.string().max(64), acked: z.int().min(0) });

/** The last acknowledged id of a spool. */
export type Ack = z.infer<typeof ackSchema>;

/**
 * A file beside the spool that keeps the last acknowledged id while the spool itself cannot be written. Its space is
 * taken while there is some. Without it a result whose deletion failed is delivered once more after a restart.
 */
export class AckFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Takes the space for it, unless it is there. Never rejects: the file is a help that the spool can do without. */
  async reserve(): Promise<void> {
    await writeFile(this.#path, ' '.repeat(BYTES), { flag: 'wx', mode: 0o600 }).catch(ignore);
  }

  /** Returns what was written last; undefined if nothing was, or it cannot be read. Never rejects. */
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
      // The disk fails for this as well: then some results may be delivered once more after a restart.
    }
  }
}

const ignore = (): void => undefined;

import { open, readFile, writeFile } from 'node:fs/promises';
import { z } from 'zod';

/** Size of the file, which never changes. Overwriting the file needs no free space, so it also works on a full disk. */
const FILE_BYTES = 256;

const ackSchema = z.object({ name: z.string().max(64), acked: z.int().min(0) });

/** The name of a spool (the agent's queue of results on disk) and the id of its last acknowledged result. */
export type Ack = z.infer<typeof ackSchema>;

/**
 * A file next to the spool directory that stores the last acknowledged id while the spool itself cannot be written. Its
 * disk space is reserved in advance. Without this file, a result whose deletion failed would be sent again after a
 * restart.
 */
export class AckFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Creates the file and so reserves its disk space, unless the file exists. Never rejects, because the spool also
   * works without the file.
   */
  async reserve(): Promise<void> {
    await writeFile(this.#path, ' '.repeat(FILE_BYTES), { flag: 'wx', mode: 0o600 }).catch(ignoreError);
  }

  /**
   * Returns the content that was written last; undefined if nothing was written or the file cannot be read. Never
   * rejects.
   */
  async read(): Promise<Ack | undefined> {
    try {
      return ackSchema.parse(JSON.parse(await readFile(this.#path, 'utf8')));
    } catch {
      return undefined;
    }
  }

  /**
   * Overwrites the content of the file, if the file exists. Never rejects, because the spool also works without the
   * file.
   */
  async write(ack: Ack): Promise<void> {
    try {
      await using file = await open(this.#path, 'r+');
      await file.write(JSON.stringify(ack).padEnd(FILE_BYTES), 0, 'utf8');
    } catch {
      // If the acknowledged id cannot be stored, some results may be sent again after a restart.
    }
  }
}

const ignoreError = (): void => undefined;

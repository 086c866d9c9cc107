import { createHash, type Hash } from 'node:crypto';
import type { StoreWork } from '../ports.ts';
import type { Database } from './database.ts';

/** Figures that are equal for stores with equal content. */
export interface StoreDigest {
  readonly entries: number;
  /** Bytes of keys and values before compression. */
  readonly bytes: number;
  /** SHA-256 of every key and value with their lengths, in hexadecimal digits. */
  readonly sha256: string;
}

export type RawEntry = readonly [key: Buffer, value: Buffer];

const PAGE_ENTRIES = 1000;
const PAGE_BYTES = 1024 * 1024;
/** Two lengths of 32 bits. */
const LENGTHS_BYTES = 8;

interface Reading extends Partial<StoreWork> {
  /** A key that is left out. */
  readonly except?: string;
}

/** Yields everything in a database as it is when the first page is requested, while writes continue. */
export async function* rawPages(
  database: Database,
  { signal, pause, except }: Reading = {},
): AsyncGenerator<readonly RawEntry[], void, undefined> {
  const left = except === undefined ? undefined : Buffer.from(except);
  const iterator = database.iterator<Buffer, Buffer>({
    keyEncoding: 'buffer',
    valueEncoding: 'buffer',
    highWaterMarkBytes: PAGE_BYTES,
  });
  try {
    for (;;) {
      signal?.throwIfAborted();
      const page = await iterator.nextv(PAGE_ENTRIES);
      if (page.length === 0) return;
      yield left === undefined ? page : page.filter(([key]) => !key.equals(left));
      await pause?.();
    }
  } finally {
    await iterator.close();
  }
}

/** Counts and hashes pages in their order. */
export class Digester {
  #entries = 0;
  #bytes = 0;
  readonly #hash: Hash = createHash('sha256');
  readonly #lengths = Buffer.alloc(LENGTHS_BYTES);

  add(page: readonly RawEntry[]): void {
    for (const [key, value] of page) {
      this.#entries++;
      this.#bytes += key.length + value.length;
      // The lengths are hashed too, so that no byte can move from a key into its value.
      this.#lengths.writeUInt32LE(key.length, 0);
      this.#lengths.writeUInt32LE(value.length, LENGTHS_BYTES / 2);
      this.#hash.update(this.#lengths).update(key).update(value);
    }
  }

  digest(): StoreDigest {
    return { entries: this.#entries, bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }
}

/** @throws the reason of `signal` */
export async function digestStore(database: Database, options: Reading = {}): Promise<StoreDigest> {
  const digester = new Digester();
  for await (const page of rawPages(database, options)) digester.add(page);
  return digester.digest();
}

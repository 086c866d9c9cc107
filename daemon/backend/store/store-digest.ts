import { createHash, type Hash } from 'node:crypto';
import type { StoreOperationOptions } from '../ports.ts';
import type { Database } from './database.ts';

/** The number of entries, their size and their checksum. Stores with equal content have equal digests. */
export interface StoreDigest {
  readonly entries: number;
  /** Total number of bytes of all keys and values, before compression. */
  readonly bytes: number;
  /** SHA-256 over all keys and values and their lengths, in hexadecimal digits. */
  readonly sha256: string;
}

export type RawEntry = readonly [key: Buffer, value: Buffer];

const PAGE_ENTRIES = 1000;
const PAGE_BYTES = 1024 * 1024;
/** Number of bytes of the two lengths that are hashed for each entry, 32 bits each. */
const LENGTHS_BYTES = 8;

interface DigestOptions extends Partial<StoreOperationOptions> {
  /** An encoded key that is skipped; absent if no key is skipped. */
  readonly except?: string;
}

/** Yields all entries of a database in pages, as they are when the first page is requested, while writes continue. */
export async function* rawPages(
  database: Database,
  { signal, pause, except }: DigestOptions = {},
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

/** Counts and hashes the entries of a store. The caller adds them page by page, in the order of their keys. */
export class StoreDigester {
  #entries = 0;
  #bytes = 0;
  readonly #hash: Hash = createHash('sha256');
  readonly #lengths = Buffer.alloc(LENGTHS_BYTES);

  add(page: readonly RawEntry[]): void {
    for (const [key, value] of page) {
      this.#entries++;
      this.#bytes += key.length + value.length;
      // The lengths are hashed too, so that the hash changes if a byte moves from a key into its value.
      this.#lengths.writeUInt32LE(key.length, 0);
      this.#lengths.writeUInt32LE(value.length, LENGTHS_BYTES / 2);
      this.#hash.update(this.#lengths).update(key).update(value);
    }
  }

  digest(): StoreDigest {
    return { entries: this.#entries, bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }
}

/**
 * Returns the digest of a database.
 *
 * @throws the reason of the signal if the operation was aborted; Error if the disk fails
 */
export async function digestStore(database: Database, options: DigestOptions = {}): Promise<StoreDigest> {
  const digester = new StoreDigester();
  for await (const page of rawPages(database, options)) digester.add(page);
  return digester.digest();
}

import { rm } from 'node:fs/promises';
import { Level } from 'level';

/** Sizes in bytes of the key length and of the sequence number, in the keys of the temporary database. */
const LENGTH_BYTES = 4;
const SEQUENCE_BYTES = 8;
const SEQUENCE_MAX = 2n ** 64n - 1n;
const DELETED_PREFIX = Buffer.from([0]);
const PRESENT_PREFIX = Buffer.from([1]);

const PAGE_BYTES = 4 * 1024 * 1024;

/**
 * All entries recovered from a damaged store, ordered by key and then from the newest to the oldest version. They are
 * stored in a temporary database on disk, because they can exceed the memory.
 */
export class RecoveredEntries implements AsyncDisposable {
  readonly #database: Level<Buffer, Buffer>;
  #batch: [Buffer, Buffer][] = [];
  #bytes = 0;

  private constructor(database: Level<Buffer, Buffer>) {
    this.#database = database;
  }

  /**
   * Opens an empty temporary database.
   *
   * @param dir the directory of the database, whose previous content is deleted; the caller deletes it after disposal
   */
  static async open(dir: string): Promise<RecoveredEntries> {
    await rm(dir, { recursive: true, force: true });
    const database = new Level<Buffer, Buffer>(dir, { keyEncoding: 'buffer', valueEncoding: 'buffer' });
    await database.open();
    return new RecoveredEntries(database);
  }

  /**
   * Adds a version of a key.
   *
   * @param value the value of this version; undefined if this version deletes the key
   */
  async add(key: Buffer, sequence: bigint, value: Buffer | undefined): Promise<void> {
    // The key length comes first, so that all versions of a key are adjacent.
    const head = Buffer.alloc(LENGTH_BYTES);
    head.writeUInt32BE(key.length);
    const age = Buffer.alloc(SEQUENCE_BYTES);
    age.writeBigUInt64BE(SEQUENCE_MAX - sequence);
    const stored = value === undefined ? DELETED_PREFIX : Buffer.concat([PRESENT_PREFIX, value]);
    this.#batch.push([Buffer.concat([head, key, age]), stored]);
    this.#bytes += key.length + stored.length;
    if (this.#bytes >= PAGE_BYTES) await this.#write();
  }

  /** Yields each key with its newest value. Keys whose newest version is a deletion are omitted. */
  async *newest(): AsyncGenerator<readonly [key: Buffer, value: Buffer], void, undefined> {
    await this.#write();
    let before: Buffer | undefined;
    for await (const [stored, value] of this.#database.iterator()) {
      const key = stored.subarray(LENGTH_BYTES, stored.length - SEQUENCE_BYTES);
      if (before?.equals(key) === true) continue;
      before = key;
      if (value[0] === PRESENT_PREFIX[0]) yield [key, value.subarray(1)];
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#database.close();
  }

  async #write(): Promise<void> {
    const batch = this.#database.batch();
    for (const [key, value] of this.#batch) batch.put(key, value);
    await batch.write();
    this.#batch = [];
    this.#bytes = 0;
  }
}

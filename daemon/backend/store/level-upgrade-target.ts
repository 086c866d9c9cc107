import type { Key } from '../ports.ts';
import { AMENDMENT_SUFFIX, isAmendment, isAmendmentKey, applyAmendment } from './amendments.ts';
import type { WriteEntry } from './atomic-writer.ts';
import type { Database } from './database.ts';
import { readEntries, type StoredEntry } from './entries.ts';
import { SCHEMA_VERSION } from './keys.ts';
import {
  PAGE_BYTES,
  PAGE_ENTRIES,
  type KeyRange,
  type RewrittenValue,
  type UpgradeTarget,
} from './migrations/upgrade-target.ts';
import { decodeTuple, encodeTuple, tupleRange } from './tuple.ts';

/** Number of keys that are read at once while keys are counted. A larger page would delay incoming results too long. */
const COUNT_KEYS = 1000;

const SCHEMA_KEY = encodeTuple(SCHEMA_VERSION);

/** Functions that write to a database which other callers also write to. */
interface LevelWriter {
  /** Writes all entries or none, and syncs them to the disk. */
  readonly write: (entries: readonly WriteEntry[]) => Promise<void>;
  /** Runs `task` while no other write is in progress. */
  readonly runExclusive: <T>(task: () => Promise<T>) => Promise<T>;
}

/** A LevelDB database whose stored values are migrated. */
export class LevelUpgradeTarget implements UpgradeTarget {
  readonly #database: Database;
  readonly #writer: LevelWriter;

  constructor(database: Database, writer: LevelWriter) {
    this.#database = database;
    this.#writer = writer;
  }

  get location(): string {
    return this.#database.location;
  }

  async get(key: Key): Promise<string | undefined> {
    return await this.#database.get(encodeTuple(key));
  }

  async keys(range: KeyRange, limit: number): Promise<readonly Key[]> {
    return (await this.#database.keys({ ...range, limit }).all()).map(decodeTuple);
  }

  async count(prefix: Key, signal?: AbortSignal): Promise<number> {
    const keys = this.#database.keys(tupleRange(prefix));
    try {
      for (let count = 0; ;) {
        signal?.throwIfAborted();
        const page = await keys.nextv(COUNT_KEYS);
        if (page.length === 0) return count;
        for (const key of page) if (!isAmendmentKey(key)) count++;
      }
    } finally {
      await keys.close();
    }
  }

  /**
   * Yields all entries below a prefix in pages. One iterator reads them all: a closed iterator stays in memory with its
   * last page until garbage collection, so an iterator per page would use more memory.
   */
  async *pages(prefix: Key): AsyncGenerator<readonly StoredEntry[], void, undefined> {
    let page: StoredEntry[] = [];
    let bytes = 0;
    for await (const entry of readEntries(this.#database, tupleRange(prefix))) {
      page.push(entry);
      bytes += entry[1].length;
      if (page.length < PAGE_ENTRIES && bytes < PAGE_BYTES) continue;
      yield page;
      page = [];
      bytes = 0;
    }
    if (page.length > 0) yield page;
  }

  /**
   * Implements `UpgradeTarget.replace`. The new value includes the amendment (stored difference) of the old one, so the
   * amendment is deleted. No later amendment is lost: a backend amends only values that it has written since its start,
   * and those have the newest form already.
   */
  async replace(values: readonly RewrittenValue[]): Promise<void> {
    await this.#writer.runExclusive(async () => {
      const keys = values.map(({ key }) => encodeTuple(key));
      const stored = await this.#database.getMany(keys.flatMap((key) => [key, key + AMENDMENT_SUFFIX]));
      const entries: WriteEntry[] = [];
      for (const [at, { old, current }] of values.entries()) {
        const [key = '', value, next = ''] = [keys[at], stored[2 * at], stored[2 * at + 1]];
        if (value === undefined || applyAmendment(value, next) !== old) continue;
        entries.push([key, current]);
        if (isAmendment(next)) entries.push([key + AMENDMENT_SUFFIX, undefined]);
      }
      if (entries.length > 0) await this.#writer.write(entries);
    });
  }

  async writeVersion(version: number): Promise<void> {
    await this.#writer.runExclusive(() => this.#writer.write([[SCHEMA_KEY, String(version)]]));
  }
}

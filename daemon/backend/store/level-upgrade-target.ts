import type { Key } from '../ports.ts';
import { AMENDMENT_SUFFIX, isAmendment, isAmendmentKey, amendedText } from './amendments.ts';
import type { Entry } from './atomic-writer.ts';
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

/** Keys counted at a time: more would delay everything else for longer than a result may wait. */
const COUNT_KEYS = 1000;

const SCHEMA_KEY = encodeTuple(SCHEMA_VERSION);

/** The functions that change a database while others may write. */
interface LevelWriter {
  /** Writes all of the entries or none, synced. */
  readonly write: (entries: readonly Entry[]) => Promise<void>;
  /** Runs `task` while no other write is in progress. */
  readonly runExclusive: <T>(task: () => Promise<T>) => Promise<T>;
}

/** A LevelDB, as migrations change it. */
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
   * Yields pages from one iterator. A closed iterator keeps its last page in memory until garbage collection, which may
   * come late; so there is only one.
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
   * Implements `UpgradeTarget.replace`. A rewritten value has no amendment any more. No later amendment is lost: a
   * backend amends only values that it has written itself since its start, and those have the newest form.
   */
  async replace(values: readonly RewrittenValue[]): Promise<void> {
    await this.#writer.runExclusive(async () => {
      const keys = values.map(({ key }) => encodeTuple(key));
      const stored = await this.#database.getMany(keys.flatMap((key) => [key, key + AMENDMENT_SUFFIX]));
      const entries: Entry[] = [];
      for (const [at, { old, current }] of values.entries()) {
        const [key = '', value, next = ''] = [keys[at], stored[2 * at], stored[2 * at + 1]];
        if (value === undefined || amendedText(value, next) !== old) continue;
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

import type { Pool, PoolClient } from 'pg';
import type { ScanRange } from '../scan-range.ts';
import { decodeTuple } from '../tuple.ts';
import type { StoredEntry } from '../entries.ts';
import { entriesQuery, type EntryRow } from './entries-query.ts';
import { PAGE_AFTER, PAGE_FROM } from './statements.ts';

/** Entries fetched at a time. */
const PAGE_ENTRIES = 1000;

/**
 * Reads of one moment: nothing that is written after it was opened is seen. It holds a connection until the last page was
 * read, which a small range does at once.
 */
export class Snapshot {
  readonly #range: ScanRange;
  #client: PoolClient | undefined;
  #left: number;
  #first: readonly EntryRow[] = [];
  #last: string | undefined;

  private constructor(range: ScanRange, client: PoolClient) {
    this.#range = range;
    this.#client = client;
    this.#left = range.limit ?? Infinity;
  }

  /** The first read of the transaction says which moment it is of. */
  static async open(readers: Pool, range: ScanRange): Promise<Snapshot> {
    const client = await readers.connect();
    const snapshot = new Snapshot(range, client);
    try {
      await client.query('begin isolation level repeatable read read only');
      snapshot.#first = await snapshot.#page();
      return snapshot;
    } catch (error) {
      snapshot.#give(error);
      throw error;
    }
  }

  async *pages(): AsyncGenerator<readonly EntryRow[], void, undefined> {
    let page = this.#first;
    this.#first = [];
    try {
      while (page.length > 0) {
        // Fetched while this one is looked at.
        const next = this.#client === undefined ? undefined : this.#page();
        next?.catch(() => undefined);
        yield page;
        page = (await next) ?? [];
      }
    } catch (error) {
      this.#give(error);
      throw error;
    } finally {
      this.#give();
    }
  }

  async #page(): Promise<readonly EntryRow[]> {
    const { gte, gt, lt } = this.#range;
    const from = Buffer.from(this.#last ?? gt ?? gte ?? '');
    const limit = Math.min(PAGE_ENTRIES, this.#left);
    const isAfter = this.#last !== undefined || gt !== undefined;
    const query = entriesQuery(isAfter ? 'page-after' : 'page-from', isAfter ? PAGE_AFTER : PAGE_FROM, [
      from,
      Buffer.from(lt),
      limit,
    ]);
    const rows = (await this.#client?.query<EntryRow>(query))?.rows ?? [];
    this.#left -= rows.length;
    this.#last = rows.at(-1)?.key;
    if (rows.length < PAGE_ENTRIES || this.#left === 0) await this.#finish();
    return rows;
  }

  async #finish(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    try {
      await client?.query('commit');
      client?.release();
    } catch (error) {
      client?.release(error instanceof Error ? error : true);
    }
  }

  /** One that is left in the middle is closed: what its page under way brings is nobody's. */
  #give(error?: unknown): void {
    const client = this.#client;
    this.#client = undefined;
    client?.release(error instanceof Error ? error : true);
  }
}

/** Keys and values of a snapshot that may still be opening. */
export async function* entriesOfSnapshot(opening: Promise<Snapshot>): AsyncGenerator<StoredEntry, void, undefined> {
  const snapshot = await opening;
  for await (const page of snapshot.pages()) {
    for (const { key, value } of page) yield [decodeTuple(key), value];
  }
}

import type { Pool, PoolClient } from 'pg';
import type { Key } from '../../ports.ts';
import { scanRange, type ScanRange } from '../scan-range.ts';
import type { StoreSnapshot } from '../shared-store.ts';
import { decodeTuple } from '../tuple.ts';
import type { StoredEntry } from '../entries.ts';
import { convertEntries, convertValues, type ConvertValue } from '../migrations/pending-migrations.ts';
import { databaseError } from './database-error.ts';
import { entriesQuery, readValues, type EntryRow } from './entries-query.ts';
import { SELECT_LAST_SEQ, SELECT_PAGE_AFTER, SELECT_PAGE_FROM } from './statements.ts';

/** Maximum number of entries of a page, which one query reads. */
const PAGE_ENTRIES = 1000;

const BEGIN_STATEMENT = 'begin isolation level repeatable read read only';

/** Reads the entries of a key range page by page, in the current transaction of a connection. */
class EntryPages {
  isThrough = false;
  readonly #client: PoolClient;
  readonly #range: ScanRange;
  #left: number;
  #last: string | undefined;

  constructor(client: PoolClient, range: ScanRange) {
    this.#client = client;
    this.#range = range;
    this.#left = range.limit ?? Infinity;
  }

  async next(): Promise<readonly EntryRow[]> {
    if (this.isThrough) return [];
    const { gte, gt, lt } = this.#range;
    const from = Buffer.from(this.#last ?? gt ?? gte ?? '');
    const limit = Math.min(PAGE_ENTRIES, this.#left);
    const isAfter = this.#last !== undefined || gt !== undefined;
    const query = entriesQuery(isAfter ? 'page-after' : 'page-from', isAfter ? SELECT_PAGE_AFTER : SELECT_PAGE_FROM, [
      from,
      Buffer.from(lt),
      limit,
    ]);
    const { rows } = await this.#client.query<EntryRow>(query);
    this.#left -= rows.length;
    this.#last = rows.at(-1)?.key;
    this.isThrough = rows.length < PAGE_ENTRIES || this.#left === 0;
    return rows;
  }
}

/**
 * Reads the entries of a key range as of one moment: writes after the opening are not visible. A connection is occupied
 * until the last page was read; `open` reads a range of one page completely.
 */
export class Snapshot {
  readonly #pages: EntryPages;
  #client: PoolClient | undefined;
  #first: readonly EntryRow[] = [];

  private constructor(range: ScanRange, client: PoolClient) {
    this.#pages = new EntryPages(client, range);
    this.#client = client;
  }

  /** Opens a snapshot and reads its first page. PostgreSQL takes the snapshot of a transaction at its first query. */
  static async open(readers: Pool, range: ScanRange): Promise<Snapshot> {
    const client = await readers.connect();
    const snapshot = new Snapshot(range, client);
    try {
      await client.query(BEGIN_STATEMENT);
      snapshot.#first = await snapshot.#page();
      return snapshot;
    } catch (error) {
      snapshot.#discardConnection(error);
      throw error;
    }
  }

  async *pages(): AsyncGenerator<readonly EntryRow[], void, undefined> {
    let page = this.#first;
    this.#first = [];
    try {
      while (page.length > 0) {
        // The next page is fetched while the caller processes the current page.
        const next = this.#client === undefined ? undefined : this.#page();
        next?.catch(() => undefined);
        yield page;
        page = (await next) ?? [];
      }
    } catch (error) {
      this.#discardConnection(error);
      throw error;
    } finally {
      this.#discardConnection();
    }
  }

  async #page(): Promise<readonly EntryRow[]> {
    const rows = await this.#pages.next();
    if (this.#pages.isThrough) await this.#finish();
    return rows;
  }

  async #finish(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    if (client !== undefined) await endTransaction(client);
  }

  /**
   * Closes the connection if the iteration ended before the last page was read, because a query may be in progress on
   * it. After the last page, `#finish` has already returned the connection to the pool.
   */
  #discardConnection(error?: unknown): void {
    const client = this.#client;
    this.#client = undefined;
    client?.release(error instanceof Error ? error : true);
  }
}

/** Yields the keys and values of a snapshot in order, as soon as the snapshot is open. */
export async function* entriesOfSnapshot(opening: Promise<Snapshot>): AsyncGenerator<StoredEntry, void, undefined> {
  const snapshot = await opening;
  for await (const page of snapshot.pages()) {
    for (const { key, value } of page) yield [decodeTuple(key), value];
  }
}

/**
 * Implements `SharedStore.snapshot`. The snapshot occupies a connection until it is disposed of.
 *
 * @param read callback that converts stored values to the newest form; undefined if no migration is pending
 */
export async function openFullSnapshot(
  readers: Pool,
  shard: string,
  { shown, read }: { readonly shown: string; readonly read: ConvertValue | undefined },
): Promise<StoreSnapshot> {
  const client = await readers.connect();
  const reading = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      throw databaseError(shown, 'read', error);
    }
  };
  async function* stored(prefix: Key): AsyncGenerator<StoredEntry, void, undefined> {
    const pages = new EntryPages(client, scanRange(prefix, {}));
    while (!pages.isThrough) {
      for (const { key, value } of await reading(pages.next())) yield [decodeTuple(key), value];
    }
  }
  const scan = (prefix: Key): AsyncIterable<readonly [Key, string]> => convertEntries(stored(prefix), read);
  const getMany = async (keys: readonly Key[]): Promise<(string | undefined)[]> =>
    convertValues(keys, await reading(readValues(client, keys)), read);
  try {
    await client.query(BEGIN_STATEMENT);
    const { rows } = await client.query<{ seq: string }>(SELECT_LAST_SEQ, [shard]);
    return { seq: Number(rows[0]?.seq ?? 0), scan, getMany, [Symbol.asyncDispose]: () => endTransaction(client) };
  } catch (error) {
    client.release(error instanceof Error ? error : true);
    throw databaseError(shown, 'read', error);
  }
}

async function endTransaction(client: PoolClient): Promise<void> {
  try {
    await client.query('commit');
    client.release();
  } catch (error) {
    client.release(error instanceof Error ? error : true);
  }
}

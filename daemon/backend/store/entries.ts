import { diskError } from './disk-error.ts';
import { decodeTuple } from './tuple.ts';
import type { Database } from './database.ts';

/** Entries and bytes fetched at a time: large pages read a store ten times faster than single entries. */
const PAGE_ENTRIES = 1000;
const PAGE_BYTES = 1024 * 1024;

/** Encoded keys. */
export interface EntryRange {
  readonly gte?: string;
  readonly gt?: string;
  readonly lt?: string;
  readonly reverse?: boolean;
  /** Default: no limit. */
  readonly limit?: number;
}

export type StoredEntry = readonly [key: (string | number)[], value: string];

/**
 * Keys and values in order, as they are at the call, whatever is written while they are read.
 *
 * @param reading disposed of at their end
 * @throws MonError `unavailable` when the disk refuses
 */
export function entriesOf(
  database: Database,
  range: EntryRange,
  reading?: Disposable,
): AsyncGenerator<StoredEntry, void, undefined> {
  try {
    // Here and not in the generator, which begins only when its first entry is asked for.
    return pagedEntries(openIterator(database, range), database.location, reading);
  } catch (error) {
    reading?.[Symbol.dispose]();
    throw error;
  }
}

type Iterator = ReturnType<typeof openIterator>;

function openIterator(database: Database, range: EntryRange) {
  try {
    return database.iterator({ ...range, highWaterMarkBytes: PAGE_BYTES });
  } catch (error) {
    throw diskError(database.location, 'read', error);
  }
}

async function* pagedEntries(
  iterator: Iterator,
  location: string,
  reading: Disposable | undefined,
): AsyncGenerator<StoredEntry, void, undefined> {
  try {
    for (let next = iterator.nextv(PAGE_ENTRIES); ;) {
      const page = await next;
      if (page.length === 0) return;
      // Read while these are looked at; whether it failed is asked when it is their turn.
      next = iterator.nextv(PAGE_ENTRIES);
      next.catch(() => undefined);
      for (const [key, value] of page) yield [decodeTuple(key), value];
    }
  } catch (error) {
    throw diskError(location, 'read', error);
  } finally {
    reading?.[Symbol.dispose]();
    await iterator.close();
  }
}

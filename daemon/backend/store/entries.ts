import { isAmendable, isAmendment, applyAmendment } from './amendments.ts';
import { diskError } from './disk-error.ts';
import { decodeTuple } from './tuple.ts';
import type { Database } from './database.ts';

/**
 * Maximum number of entries, and approximate maximum number of bytes, fetched from LevelDB at once. A store is read ten
 * times as fast in large pages as entry by entry.
 */
const PAGE_ENTRIES = 2000;
const PAGE_BYTES = 1024 * 1024;

/** A range of encoded keys. */
export interface EntryRange {
  readonly gte?: string;
  readonly gt?: string;
  readonly lt?: string;
  readonly reverse?: boolean;
  /** Maximum number of entries; default: no limit. */
  readonly limit?: number;
}

export type StoredEntry = readonly [key: (string | number)[], value: string];

/**
 * Returns the keys and values of a range in order, as they are at the time of the call, while writes continue.
 * Amendments (stored differences to a value) are applied to their values, except in a reverse range, which must contain
 * none. An amendment at the start of a range is skipped if its value is not in the range.
 *
 * @param reading resource that is disposed of when the iteration ends, or if it cannot begin
 * @throws MonError `unavailable` if the disk fails
 */
export function readEntries(
  database: Database,
  range: EntryRange,
  reading?: Disposable,
): AsyncGenerator<StoredEntry, void, undefined> {
  try {
    // The iterator is opened here, so that it reads the state at the time of the call. The generator function would run
    // only when the first entry is requested.
    return pagedEntries(openIterator(database, range), database.location, { limit: range.limit, reading });
  } catch (error) {
    reading?.[Symbol.dispose]();
    throw error;
  }
}

type Iterator = ReturnType<typeof openIterator>;

function openIterator(database: Database, range: EntryRange) {
  try {
    const { limit, ...keys } = range;
    return database.iterator({
      ...keys,
      // The limit is doubled, because each entry may be followed by its amendment. One more may be the amendment of the
      // entry before the range.
      ...(limit !== undefined && { limit: 2 * limit + 1 }),
      highWaterMarkBytes: PAGE_BYTES,
    });
  } catch (error) {
    throw diskError(database.location, 'read', error);
  }
}

async function* pagedEntries(
  iterator: Iterator,
  location: string,
  { limit = Infinity, reading }: { readonly limit?: number | undefined; readonly reading: Disposable | undefined },
): AsyncGenerator<StoredEntry, void, undefined> {
  let left = limit;
  /**
   * The last entry that was read, if it can have an amendment (a stored difference to its value). The amendment would
   * be the next entry. Undefined if no entry is pending.
   */
  let pendingEntry: readonly [key: string, value: string] | undefined;
  try {
    if (left === 0) return;
    for (let next = iterator.nextv(PAGE_ENTRIES); ;) {
      const page = await next;
      if (page.length === 0) break;
      // The next page is fetched while this page is processed. An error is thrown when the next page is awaited.
      next = iterator.nextv(PAGE_ENTRIES);
      next.catch(() => undefined);
      for (const entry of page) {
        const [key, value] = entry;
        const isAmending = isAmendment(value);
        if (pendingEntry !== undefined) {
          const [pendingKey, pendingValue] = pendingEntry;
          pendingEntry = undefined;
          yield [decodeTuple(pendingKey), applyAmendment(pendingValue, isAmending ? value : undefined)];
          if (--left <= 0) return;
        }
        if (isAmending) continue;
        if (isAmendable(value)) pendingEntry = entry;
        else {
          yield [decodeTuple(key), value];
          if (--left <= 0) return;
        }
      }
    }
    if (pendingEntry !== undefined) yield [decodeTuple(pendingEntry[0]), applyAmendment(pendingEntry[1])];
  } catch (error) {
    throw diskError(location, 'read', error);
  } finally {
    reading?.[Symbol.dispose]();
    await iterator.close();
  }
}

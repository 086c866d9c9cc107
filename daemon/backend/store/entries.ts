import { isAmendable, isAmendment, amendedText } from './amendments.ts';
import { diskError } from './disk-error.ts';
import { decodeTuple } from './tuple.ts';
import type { Database } from './database.ts';

/**
 * Entries and bytes fetched at a time. Large pages read a store ten times faster than single entries. Amendments are
 * small.
 */
const PAGE_ENTRIES = 2000;
const PAGE_BYTES = 1024 * 1024;

/** A range of encoded keys. */
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
 * Returns keys and values in order, as they are at the moment of the call, while writes continue. Amendments are
 * applied; a range that begins between a value and its amendment contains neither.
 *
 * @param reading disposed of at the end of the iteration
 * @throws MonError `unavailable` if the disk fails
 */
export function readEntries(
  database: Database,
  range: EntryRange,
  reading?: Disposable,
): AsyncGenerator<StoredEntry, void, undefined> {
  try {
    // Opened here and not in the generator, which starts only when its first entry is requested.
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
      // Each entry may have an amendment, and so may the entry before the first.
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
  /** An entry that may have an amendment, which would be the next entry. */
  let pendingEntry: readonly [key: string, value: string] | undefined;
  try {
    if (left === 0) return;
    for (let next = iterator.nextv(PAGE_ENTRIES); ;) {
      const page = await next;
      if (page.length === 0) break;
      // Read ahead while this page is processed; an error is reported when the page is awaited.
      next = iterator.nextv(PAGE_ENTRIES);
      next.catch(() => undefined);
      for (const entry of page) {
        const [key, value] = entry;
        const isAmending = isAmendment(value);
        if (pendingEntry !== undefined) {
          const [pendingKey, pendingValue] = pendingEntry;
          pendingEntry = undefined;
          yield [decodeTuple(pendingKey), amendedText(pendingValue, isAmending ? value : undefined)];
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
    if (pendingEntry !== undefined) yield [decodeTuple(pendingEntry[0]), amendedText(pendingEntry[1])];
  } catch (error) {
    throw diskError(location, 'read', error);
  } finally {
    reading?.[Symbol.dispose]();
    await iterator.close();
  }
}

import { isAmendable, isAmendment, wholeText } from './amendments.ts';
import { diskError } from './disk-error.ts';
import { decodeTuple } from './tuple.ts';
import type { Database } from './database.ts';

/** Entries and bytes fetched at a time: large pages read a store ten times faster than single entries. Amendments are small. */
const PAGE_ENTRIES = 2000;
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
 * Keys and values in order, as they are at the call, whatever is written while they are read. Amended ones come as they are
 * now; a range that begins between a value and its amendment leaves both out.
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
      // Each may have an amendment, and so may the one before the first.
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
  /** One that may have an amendment, which would be the next. */
  let held: readonly [key: string, value: string] | undefined;
  try {
    if (left === 0) return;
    for (let next = iterator.nextv(PAGE_ENTRIES); ;) {
      const page = await next;
      if (page.length === 0) break;
      // Read while these are looked at; whether it failed is asked when it is their turn.
      next = iterator.nextv(PAGE_ENTRIES);
      next.catch(() => undefined);
      for (const entry of page) {
        const [key, value] = entry;
        const isAmending = isAmendment(value);
        if (held !== undefined) {
          const [heldKey, heldValue] = held;
          held = undefined;
          yield [decodeTuple(heldKey), wholeText(heldValue, isAmending ? value : undefined)];
          if (--left <= 0) return;
        }
        if (isAmending) continue;
        if (isAmendable(value)) held = entry;
        else {
          yield [decodeTuple(key), value];
          if (--left <= 0) return;
        }
      }
    }
    if (held !== undefined) yield [decodeTuple(held[0]), wholeText(held[1])];
  } catch (error) {
    throw diskError(location, 'read', error);
  } finally {
    reading?.[Symbol.dispose]();
    await iterator.close();
  }
}

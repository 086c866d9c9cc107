import { errorMessage, MonError } from '../../../../shared/errors.ts';
import type { Key, UpgradeOptions } from '../../ports.ts';
import type { Entry } from '../atomic-writer.ts';
import { SCHEMA_VERSION } from '../keys.ts';
import { decodeTuple, encodeTuple, tupleRange } from '../tuple.ts';
import type { Migration } from './migration.ts';
import type { Database } from '../database.ts';

/** The database of a store, and the functions that change it while others may write. */
export interface UpgradeTarget {
  readonly database: Database;
  /** Writes all of the entries or none, synced. */
  readonly write: (entries: readonly Entry[]) => Promise<void>;
  /** Runs `task` while no other write is in progress. */
  readonly inTurn: <T>(task: () => Promise<T>) => Promise<T>;
}

/** Size of one batch: small enough for results to be committed in between without a noticeable delay. */
const BATCH_ENTRIES = 500;
const BATCH_BYTES = 1024 * 1024;

/** Keys counted at a time: more would delay everything else for longer than a result may wait. */
const COUNT_KEYS = 1000;

const SCHEMA_KEY = encodeTuple(SCHEMA_VERSION);

/** A value for which a migration has a newer form. */
interface Rewritten {
  readonly key: string;
  readonly old: string;
  readonly current: string;
}

/**
 * Runs one migration in bounded batches, and writes its version when all of them are committed. After a kill at any
 * point the next run starts again; values in the newest form are only read. The position is not stored, because an
 * older program may have written old forms before that position in between.
 *
 * @throws MonError `unavailable`, naming the migration, if the disk fails; the reason of `signal`
 */
export async function takeStep(
  target: UpgradeTarget,
  { version, name, prefixes, rewrite }: Migration,
  { signal, rest, onProgress }: UpgradeOptions,
): Promise<void> {
  const { database, inTurn, write } = target;
  try {
    const total = await countEntries(database, prefixes, signal);
    let done = 0;
    onProgress({ version, name, done, total });
    for (const prefix of prefixes) {
      for await (const page of pagesOf(database, tupleRange(prefix))) {
        signal.throwIfAborted();
        const rewritten = page
          .map(([key, old]): Rewritten => ({ key, old, current: rewrite(decodeTuple(key), old) }))
          .filter(({ old, current }) => old !== current);
        if (rewritten.length > 0) await inTurn(() => replace(target, rewritten));
        done += page.length;
        onProgress({ version, name, done, total });
        await rest?.();
      }
    }
    signal.throwIfAborted();
    await inTurn(() => write([[SCHEMA_KEY, String(version)]]));
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw new MonError(
      'unavailable',
      `migration ${String(version)} (${name}) of the store in ${database.location} failed: ${errorMessage(error)}; ` +
        'completed migrations are kept, and the next run of mon-backend upgrade continues from there',
      { cause: error },
    );
  }
}

/** Replaces the values that did not change since they were read. Any other writer has written the newest form. */
async function replace({ database, write }: UpgradeTarget, rewritten: readonly Rewritten[]): Promise<void> {
  const stored = await database.getMany(rewritten.map(({ key }) => key));
  const entries = rewritten
    .filter(({ old }, at) => stored[at] === old)
    .map(({ key, current }): Entry => [key, current]);
  if (entries.length > 0) await write(entries);
}

/**
 * Yields pages from one iterator. A closed iterator keeps its last page in memory until garbage collection, which may
 * come late; so there is only one.
 */
async function* pagesOf(
  database: Database,
  range: { readonly gte: string; readonly lt: string },
): AsyncGenerator<readonly (readonly [string, string])[], void, undefined> {
  const iterator = database.iterator({ ...range, highWaterMarkBytes: BATCH_BYTES });
  try {
    for (;;) {
      const page = await iterator.nextv(BATCH_ENTRIES);
      if (page.length === 0) return;
      yield page;
    }
  } finally {
    await iterator.close();
  }
}

/** Returns the number of entries below all of the prefixes, without reading their values. */
export async function countEntries(
  database: Database,
  prefixes: readonly Key[],
  signal?: AbortSignal,
): Promise<number> {
  let total = 0;
  for (const prefix of prefixes) total += await countRange(database, tupleRange(prefix), signal);
  return total;
}

async function countRange(
  database: Database,
  range: { readonly gte: string; readonly lt: string },
  signal: AbortSignal | undefined,
): Promise<number> {
  const keys = database.keys(range);
  try {
    for (let count = 0; ;) {
      signal?.throwIfAborted();
      const page = await keys.nextv(COUNT_KEYS);
      if (page.length === 0) return count;
      count += page.length;
    }
  } finally {
    await keys.close();
  }
}

import { errorMessage, MonError } from '../../../../shared/errors.ts';
import type { UpgradeOptions } from '../../ports.ts';
import type { Entry } from '../atomic-writer.ts';
import { SCHEMA_VERSION } from '../keys.ts';
import { decodeTuple, encodeTuple, tupleRange } from '../tuple.ts';
import type { Migration } from './migration.ts';
import type { Database } from '../database.ts';

/** The database of a store, and how to change it while others may. */
export interface UpgradeTarget {
  readonly database: Database;
  /** All of the entries or none, synced. */
  readonly write: (entries: readonly Entry[]) => Promise<void>;
  /** Runs `task` with no write of anybody else beside it. */
  readonly inTurn: <T>(task: () => Promise<T>) => Promise<T>;
}

/** Rewritten at a time: little enough for results to be committed in between without anybody noticing. */
const BATCH_ENTRIES = 500;
const BATCH_BYTES = 1024 * 1024;

/** Counted at a time: more would keep everything else waiting for longer than a result may. */
const COUNT_KEYS = 1000;

const SCHEMA_KEY = encodeTuple(SCHEMA_VERSION);

/** A value that a step has a newer form for. */
interface Rewritten {
  readonly key: string;
  readonly old: string;
  readonly current: string;
}

/**
 * Takes one step, in bounded batches, and writes its version when all of them are committed. After a kill at any point the
 * next run begins again: what has the newest form already is only looked at. Where it was is not stored, because an older
 * program may have been at the store in between and written old forms before that place.
 *
 * @throws MonError `unavailable`, naming the step, when the disk refuses; the reason of `signal`
 */
export async function takeStep(
  target: UpgradeTarget,
  { version, name, prefix, rewrite }: Migration,
  { signal, rest, onProgress }: UpgradeOptions,
): Promise<void> {
  const { database, inTurn, write } = target;
  const range = tupleRange(prefix);
  try {
    const total = await countEntries(database, range, signal);
    let done = 0;
    onProgress({ version, name, done, total });
    for await (const page of pagesOf(database, range)) {
      signal.throwIfAborted();
      const rewritten = page
        .map(([key, old]): Rewritten => ({ key, old, current: rewrite(decodeTuple(key), old) }))
        .filter(({ old, current }) => old !== current);
      if (rewritten.length > 0) await inTurn(() => replace(target, rewritten));
      done += page.length;
      onProgress({ version, name, done, total });
      await rest?.();
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

/** What was written or deleted since it was read is left alone: whoever wrote it wrote the newest form. */
async function replace({ database, write }: UpgradeTarget, rewritten: readonly Rewritten[]): Promise<void> {
  const stored = await database.getMany(rewritten.map(({ key }) => key));
  const entries = rewritten
    .filter(({ old }, at) => stored[at] === old)
    .map(({ key, current }): Entry => [key, current]);
  if (entries.length > 0) await write(entries);
}

/**
 * By one iterator from the beginning to the end: a closed one keeps its last page in memory until it is collected as garbage,
 * which nobody is in a hurry to do.
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

/** How many entries a range has, without reading their values. */
export async function countEntries(
  database: Database,
  range: { readonly gte: string; readonly lt: string },
  signal?: AbortSignal,
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

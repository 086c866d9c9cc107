import { errorMessage, MonError } from '../../../../shared/errors.ts';
import type { UpgradeOptions } from '../../ports.ts';
import type { Entry } from '../atomic-writer.ts';
import { SCHEMA_VERSION } from '../keys.ts';
import type { Database } from '../open-database.ts';
import { decodeTuple, encodeTuple, tupleRange } from '../tuple.ts';
import type { Migration } from './migration.ts';

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

const SCHEMA_KEY = encodeTuple(SCHEMA_VERSION);

/** Where a step is. */
interface Position {
  /** The encoded key of the last entry that was looked at; undefined before the first. */
  readonly after?: string;
  readonly done: number;
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
  migration: Migration,
  { signal, onProgress }: UpgradeOptions,
): Promise<void> {
  const { version, name } = migration;
  const { database } = target;
  try {
    const total = await countEntries(database, tupleRange(migration.prefix), signal);
    for (let position: Position | undefined = { done: 0 }; position !== undefined;) {
      onProgress({ version, name, done: position.done, total: Math.max(total, position.done) });
      signal.throwIfAborted();
      const from: Position = position;
      position = await target.inTurn(() => rewriteBatch(target, migration, from));
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw new MonError(
      'unavailable',
      `migration ${String(version)} (${name}) of the store in ${database.location} failed: ${errorMessage(error)}; ` +
        'what is done stays done, and the next run of mon-backend upgrade goes on from there',
      { cause: error },
    );
  }
}

/** @returns undefined when there was nothing left: then the version is written */
async function rewriteBatch(
  { database, write }: UpgradeTarget,
  { prefix, version, rewrite }: Migration,
  { after, done }: Position,
): Promise<Position | undefined> {
  const { gte, lt } = tupleRange(prefix);
  const page = await readPage(database, { gt: after ?? gte, lt });
  const last = page.at(-1);
  if (last === undefined) {
    await write([[SCHEMA_KEY, String(version)]]);
    return undefined;
  }
  const entries = page
    .map(([key, value]): Entry => [key, rewrite(decodeTuple(key), value)])
    .filter(([, value], at) => value !== page[at]?.[1]);
  if (entries.length > 0) await write(entries);
  return { after: last[0], done: done + page.length };
}

async function readPage(
  database: Database,
  range: { readonly gt: string; readonly lt: string },
): Promise<(readonly [string, string])[]> {
  const iterator = database.iterator({ ...range, highWaterMarkBytes: BATCH_BYTES });
  try {
    return await iterator.nextv(BATCH_ENTRIES);
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
      const page = await keys.nextv(10_000);
      if (page.length === 0) return count;
      count += page.length;
    }
  } finally {
    await keys.close();
  }
}

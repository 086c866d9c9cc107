import { readdir, rename } from 'node:fs/promises';
import { resolve } from 'node:path';
import { MonError } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import type { Clock, Store } from '../ports.ts';
import { copyStore, type CopyProgress } from './copy-store.ts';
import { openLevelStore } from './level-store.ts';
import { MAIN_SHARD } from './main-shard.ts';
import { openStore, locationOf, requireStore, type StoreLocation } from './open-store.ts';
import { openUnfinishedCopy } from './postgres/unfinished-copy.ts';
import { isShared } from './shared-store.ts';

/**
 * Duration of the leases that prevent other processes from writing to either store during the copy, in milliseconds.
 */
const LEASE_MS = 30_000;

/** Interval of the progress messages of a copy, in milliseconds. */
const PROGRESS_INTERVAL_MS = 5000;

/** Suffix of the directory name of an incomplete copy. The directory is renamed when the copy is complete. */
const UNFINISHED_SUFFIX = '.copying';

/** The target store of a copy. */
interface CopyTarget extends AsyncDisposable {
  readonly store: Store;
  /** Turns the complete copy into a regular store, which a backend can open. */
  finish(): Promise<void>;
}

/**
 * Implements `mon-backend migrate-store`: copies a store that no backend serves into a new store of the same or another
 * kind, and verifies that both are equal. An interrupted run can be repeated and continues. The data of the source is
 * not changed.
 *
 * @param from the state directory or the database URL of the source; `to` names the target in the same way
 * @throws MonError `not_found` if the source does not exist, `conflict` if another process has one of the stores open
 *   or the target is not empty, `invalid` if the source has an earlier schema, `unavailable` if a disk or a database
 *   fails
 */
export async function migrateStore(
  { from, to }: { readonly from: string; readonly to: string },
  { clock, log, signal }: { readonly clock: Clock; readonly log: Log; readonly signal: AbortSignal },
): Promise<CopyProgress> {
  const location = locationOf(from);
  await requireStore(location);
  const source = await openStore(location);
  try {
    refuseEarlierSchema(source, from);
    // Only a shared store needs a lease, because a directory is locked already. A lease would also change the
    // directory, and that could be a backup with a checksum.
    if (isShared(source)) await source.acquire(MAIN_SHARD, LEASE_MS);
    await using target = await openTarget(locationOf(to), source.id);
    using timers = new DisposableStack();
    let progress: CopyProgress = { entries: 0, written: 0 };
    timers.use(clock.every(PROGRESS_INTERVAL_MS, () => log.info({ ...progress }, 'copying the store')));
    const lease = await target.store.acquire(MAIN_SHARD, LEASE_MS);
    const onProgress = (next: CopyProgress): void => void (progress = next);
    const { sha256, ...copied } = await copyStore(source, { store: target.store, lease }, { signal, onProgress });
    await target.finish();
    log.info({ ...copied, sha256 }, 'store copied and verified: both stores are identical');
    return copied;
  } finally {
    await source.close();
  }
}

function refuseEarlierSchema({ schema }: Store, from: string): void {
  if (schema.version === schema.newest) return;
  throw new MonError(
    'invalid',
    `the store in ${from} has schema ${String(schema.version)}, but only schema ${String(schema.newest)} can be copied: ` +
      'run mon-backend upgrade on that store first',
  );
}

async function openTarget({ 'state-dir': dir, store: url }: StoreLocation, sourceId: string): Promise<CopyTarget> {
  if (url !== undefined) return await openUnfinishedCopy(url, sourceId);
  await refuseFilled(dir);
  // `resolve` removes a slash at the end, so that the incomplete copy is created beside the directory and not within
  // it.
  const unfinished = resolve(dir) + UNFINISHED_SUFFIX;
  const store = await openLevelStore(unfinished);
  return {
    store,
    finish: async () => {
      await store.close();
      // If there is an empty directory at the target, `rename` replaces it.
      await rename(unfinished, dir);
    },
    [Symbol.asyncDispose]: () => store.close(),
  };
}

async function refuseFilled(dir: string): Promise<void> {
  const names = await readdir(dir).catch(() => []);
  if (names.length === 0) return;
  throw new MonError('conflict', `${dir} is not empty: set --to to a directory that does not exist yet`);
}

import { readdir, rename } from 'node:fs/promises';
import { resolve } from 'node:path';
import { MonError } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import type { Clock, Store } from '../ports.ts';
import { copyStore, type CopyProgress } from './copy-store.ts';
import { openLevelStore } from './level-store.ts';
import { SHARD } from './main-shard.ts';
import { openStore, placeOf, requireStore, type StorePlace } from './open-store.ts';
import { openUnfinishedCopy } from './postgres/unfinished-copy.ts';
import { isShared } from './shared.ts';

/** Nobody else may write to either meanwhile. */
const LEASE_MS = 30_000;

/** How often a copy under way says so. */
const TOLD_EVERY_MS = 5000;

/** A copy into a directory is made beside it, and gets its name when it is whole. */
const UNFINISHED = '.copying';

/** A store that something is copied into. */
interface Target extends AsyncDisposable {
  readonly store: Store;
  /** Makes it a store like any other. */
  finish(): Promise<void>;
}

/**
 * `mon-backend migrate-store`: copies all that a store holds, which no backend serves, into a new one of the same or another
 * kind, and compares both. Cut off anywhere, it can be run again and goes on. The source stays as it is.
 *
 * @param from a state directory or the URL of a database, as `to`
 * @throws MonError `not_found` when there is nothing to copy, `conflict` when somebody holds one of them or the target holds
 *   something, `invalid` when the source has an earlier schema, `unavailable` when a disk or a database fails
 */
export async function migrateStore(
  { from, to }: { readonly from: string; readonly to: string },
  { clock, log, signal }: { readonly clock: Clock; readonly log: Log; readonly signal: AbortSignal },
): Promise<CopyProgress> {
  const place = placeOf(from);
  await requireStore(place);
  const source = await openStore(place);
  try {
    refuseEarlierSchema(source, from);
    // Nobody else can open a directory, which stays as it is: a backup is held against its checksum.
    if (isShared(source)) await source.acquire(SHARD, LEASE_MS);
    await using target = await openTarget(placeOf(to), source.id);
    using timers = new DisposableStack();
    let progress: CopyProgress = { entries: 0, written: 0 };
    timers.use(clock.every(TOLD_EVERY_MS, () => log.info({ ...progress }, 'copying the store')));
    const lease = await target.store.acquire(SHARD, LEASE_MS);
    const onProgress = (next: CopyProgress): void => void (progress = next);
    const { sha256, ...copied } = await copyStore(source, { store: target.store, lease }, { signal, onProgress });
    await target.finish();
    log.info({ ...copied, sha256 }, 'store was copied, both stores are identical');
    return copied;
  } finally {
    await source.close();
  }
}

function refuseEarlierSchema({ schema }: Store, from: string): void {
  if (schema.version === schema.newest) return;
  throw new MonError(
    'invalid',
    `the store in ${from} has schema ${String(schema.version)}, and ${String(schema.newest)} is copied: run mon-backend ` +
      'upgrade on it first',
  );
}

async function openTarget({ 'state-dir': dir, store: url }: StorePlace, sourceId: string): Promise<Target> {
  if (url !== undefined) return await openUnfinishedCopy(url, sourceId);
  await refuseFilled(dir);
  // Beside it also where its name ends with a slash.
  const unfinished = resolve(dir) + UNFINISHED;
  const store = await openLevelStore(unfinished);
  return {
    store,
    finish: async () => {
      await store.close();
      // An empty directory may be in its place.
      await rename(unfinished, dir);
    },
    [Symbol.asyncDispose]: () => store.close(),
  };
}

async function refuseFilled(dir: string): Promise<void> {
  const names = await readdir(dir).catch(() => []);
  if (names.length === 0) return;
  throw new MonError('conflict', `${dir} is not empty: name a directory with --to that is not there yet`);
}

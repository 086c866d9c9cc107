import { MonError } from '../../../shared/errors.ts';
import type { Clock, Lease, Store } from '../ports.ts';
import { LOST_MS } from '../cluster/cluster-view.ts';
import { LEASE_MS, MAIN_SHARD } from '../store/main-shard.ts';
import { foreignMember } from '../../../shared/domain/cluster.ts';
import { VERSION } from '../../../shared/schemas/version.ts';
import { isShared, type SharedStore } from '../store/shared-store.ts';
import type { PartName } from './start-order.ts';
import type { Teardown } from './teardown.ts';
import type { BackendOptions } from './options.ts';

/** Interval of attempts to open the store while its database is unavailable. */
const RETRY_INTERVAL_MS = 250;

/**
 * Opens the store and acquires its lease. Waits while the database of a shared store is unavailable.
 *
 * @returns the store and its lease; the lease is undefined if another member is the leader of a shared store
 * @throws MonError like `openStore`; `invalid` if a member with another major version is running; `unavailable` if the
 *   backend is stopped while it waits
 */
export async function acquireStore(
  options: Pick<BackendOptions, 'openStore' | 'isShared' | 'stop' | 'clock' | 'log'>,
  teardown: Teardown<PartName>,
): Promise<{ readonly store: Store; readonly lease: Lease | undefined }> {
  const store = await retryWhileUnavailable(options, options.openStore);
  teardown.defer('store', () => store.close());
  if (isShared(store)) await retryWhileUnavailable(options, () => refuseForeign(store));
  const lease = await retryWhileUnavailable(options, () => leaseOf(store));
  if (lease !== undefined) teardown.defer('lease', () => lease.release());
  return { store, lease };
}

/** @throws MonError `invalid` if a member with another major version of the program is running */
async function refuseForeign(store: SharedStore): Promise<void> {
  const { members, nowMs } = await store.meet(MAIN_SHARD, undefined);
  const foreign = foreignMember(
    members.filter(({ seenMs }) => nowMs - seenMs < LOST_MS),
    VERSION,
  );
  if (foreign === undefined) return;
  throw new MonError(
    'invalid',
    `${foreign.name} runs version ${foreign.version} on this store, but this program is version ${VERSION}: ` +
      'backends of different major versions cannot share a store; stop the others first',
  );
}

async function leaseOf(store: Store): Promise<Lease | undefined> {
  try {
    return await store.acquire(MAIN_SHARD, LEASE_MS);
  } catch (error) {
    if (isShared(store) && error instanceof MonError && error.code === 'conflict') return undefined;
    throw error;
  }
}

async function retryWhileUnavailable<T>(
  { isShared: mayWait, stop, clock, log }: Pick<BackendOptions, 'isShared' | 'stop' | 'clock' | 'log'>,
  attempt: () => Promise<T>,
): Promise<T> {
  let isLogged = false;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (mayWait !== true || !(error instanceof MonError) || error.code !== 'unavailable') throw error;
      // Logged only once, because attempts are frequent.
      if (!isLogged) log.warn({ reason: error.message }, 'waiting for the database');
      isLogged = true;
    }
    await waitForRetry(clock);
    if (stop?.aborted === true) throw new MonError('unavailable', 'the backend was stopped while it was starting');
  }
}

function waitForRetry(clock: Pick<Clock, 'after'>): Promise<void> {
  return new Promise((resolve) => void clock.after(RETRY_INTERVAL_MS, resolve));
}

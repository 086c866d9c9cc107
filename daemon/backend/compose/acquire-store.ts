import { MonError } from '../../../shared/errors.ts';
import type { Clock, Lease, Store } from '../ports.ts';
import { SHARD } from '../store/main-shard.ts';
import type { Teardown } from './teardown.ts';
import type { BackendOptions } from './options.ts';

/** How long others wait for one that is gone; it is renewed several times as often. */
const LEASE_MS = 3000;

/** How often one that waits asks. */
const ASK_MS = 250;

/**
 * The store with the right to write to it. One that is shared is waited for: until the backend that writes has stopped or is
 * gone, and until the database can be reached.
 *
 * @throws MonError as `openStore`; `unavailable` when it was stopped before
 */
export async function acquireStore(
  options: Pick<BackendOptions, 'openStore' | 'isShared' | 'stop' | 'clock' | 'log'>,
  teardown: Teardown,
): Promise<{ readonly store: Store; readonly lease: Lease }> {
  const store = await patiently(options, options.openStore);
  teardown.defer('store', () => store.close());
  const lease = await patiently(options, () => store.acquire(SHARD, LEASE_MS));
  teardown.defer('lease', () => lease.release());
  return { store, lease };
}

async function patiently<T>(
  { isShared, stop, clock, log }: Pick<BackendOptions, 'isShared' | 'stop' | 'clock' | 'log'>,
  attempt: () => Promise<T>,
): Promise<T> {
  let told: string | undefined;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (isShared !== true || !(error instanceof MonError) || !PASSING.has(error.code)) throw error;
      // Each reason once, and not four times a second.
      if (told !== error.code)
        log.warn({ reason: error.message }, WAITS_FOR[error.code === 'conflict' ? 'other' : 'store']);
      told = error.code;
    }
    await pause(clock);
    if (stop?.aborted === true) throw new MonError('unavailable', 'stopped before it could begin');
  }
}

/** Another one holds the lease, or the database is away. */
const PASSING = new Set(['conflict', 'unavailable']);

const WAITS_FOR = {
  other: 'waiting to take over from another backend',
  store: 'waiting for the database',
} as const;

function pause(clock: Pick<Clock, 'after'>): Promise<void> {
  return new Promise((resolve) => void clock.after(ASK_MS, resolve));
}

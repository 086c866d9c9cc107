import { MonError } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import type { Clock, Lease, Store } from '../ports.ts';
import { SHARD } from '../store/main-shard.ts';

/** How long others wait for one that is gone; it is renewed several times as often. */
const LEASE_MS = 3000;

/** How often one that waits asks. */
const ASK_MS = 250;

/**
 * The right to write: at once where nobody has it, else when the backend that has it has stopped, or is gone.
 *
 * @param stop ends the wait
 * @throws MonError `unavailable` when it was stopped before
 */
export async function acquireLease(
  store: Store,
  {
    clock,
    log,
    stop,
  }: { readonly clock: Pick<Clock, 'after'>; readonly log: Log; readonly stop?: AbortSignal | undefined },
): Promise<Lease> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await store.acquire(SHARD, LEASE_MS);
    } catch (error) {
      if (!(error instanceof MonError) || error.code !== 'conflict') throw error;
      if (attempt === 0) log.warn({ reason: error.message }, 'waiting to take over from another backend');
    }
    await new Promise<void>((resolve) => void clock.after(ASK_MS, resolve));
    if (stop?.aborted === true) throw new MonError('unavailable', 'stopped while another backend was at work');
  }
}

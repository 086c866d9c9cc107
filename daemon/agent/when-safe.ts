import { MonError } from '../../shared/errors.ts';
import type { Clock } from '../clock/clock.ts';
import type { Spool } from './spool.ts';

/** Time limit for a result to be written to disk or, while the disk fails, to be acknowledged by the backend. */
const CONFIRM_MS = 5000;

/**
 * Waits until a result is on disk or, while the disk fails, acknowledged by the backend.
 *
 * @throws MonError `unavailable` if the result is still only in memory after five seconds, or was dropped
 */
export async function whenSafe(
  id: number,
  { spool, clock }: { readonly spool: Pick<Spool, 'safe' | 'trouble'>; readonly clock: Pick<Clock, 'after'> },
): Promise<void> {
  using timers = new DisposableStack();
  const timeout = Promise.withResolvers<'late'>();
  timers.use(clock.after(CONFIRM_MS, () => timeout.resolve('late')));
  const outcome = await Promise.race([spool.safe(id), timeout.promise]);
  if (outcome === true) return;
  const reason = spool.trouble?.reason ?? 'the spool failed';
  const fate = outcome === 'late' ? 'kept in memory only, and no backend has confirmed it' : 'dropped, memory is full';
  throw new MonError('unavailable', `the result is ${fate}: ${reason}`);
}

import { MonError } from '../../../shared/errors.ts';

/** Returns the error for a command whose write was rejected: nothing of it is stored, now or after a restart. */
export function rejectedWriteError(cause: unknown): MonError {
  return new MonError('unavailable', 'the store does not accept writes now: try again later', { cause });
}

/**
 * Returns the error for a command whose write failed with an unknown outcome: it may be stored now, or after a restart.
 */
export function unknownWriteError(cause: unknown): MonError {
  return new MonError(
    'unavailable',
    'the store failed during this change, so the change may or may not be stored: check when the disk works again, before you retry',
    { cause },
  );
}

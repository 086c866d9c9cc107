import { MonError } from '../../../shared/errors.ts';

/** Returns the error for the callers of a rejected write: nothing of it is stored, nor will be after a restart. */
export function notWritten(cause: unknown): MonError {
  return new MonError('unavailable', 'the store does not accept writes now: try again later', { cause });
}

/** Returns the error for the commands of a write that could not be rolled back yet. */
export function perhapsWritten(cause: unknown): MonError {
  return new MonError(
    'unavailable',
    'the store failed during this change, so the change may or may not be stored: check when the disk works again, before you retry',
    { cause },
  );
}

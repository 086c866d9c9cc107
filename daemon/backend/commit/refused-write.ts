import { MonError } from '../../../shared/errors.ts';

/** For the callers of a write that the store refused: nothing of it is there, nor will be after a restart. */
export function notWritten(cause: unknown): MonError {
  return new MonError('unavailable', 'the store does not accept writes now, try again later', { cause });
}

/** For the commands of a write that could not be taken back yet. */
export function perhapsWritten(cause: unknown): MonError {
  return new MonError(
    'unavailable',
    'the store failed during this change, so it may or may not be stored: check when the disk works again, before you retry',
    { cause },
  );
}

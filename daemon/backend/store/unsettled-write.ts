import { MonError } from '../../../shared/errors.ts';

/** A write failed in a way that it may be there all the same, now or after a restart. */
export class UnsettledWriteError extends MonError {
  constructor(message: string, cause: unknown) {
    super('unavailable', message, { cause });
  }
}

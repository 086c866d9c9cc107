import { MonError } from '../../../shared/errors.ts';

/** The error for a write that failed, but may appear now or after a restart. */
export class UnsettledWriteError extends MonError {
  constructor(message: string, cause: unknown) {
    super('unavailable', message, { cause });
  }
}

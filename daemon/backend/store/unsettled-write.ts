import { MonError } from '../../../shared/errors.ts';

/** The error for a write that failed, but may still take effect, now or at the next start. */
export class UnsettledWriteError extends MonError {
  constructor(message: string, cause: unknown) {
    super('unavailable', message, { cause });
  }
}

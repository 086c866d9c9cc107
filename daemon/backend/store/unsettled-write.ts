import { MonError } from '../../../shared/errors.ts';

/** The error for a write whose outcome is unknown: it failed, but can still take effect, now or at the next start. */
export class UnsettledWriteError extends MonError {
  constructor(message: string, cause: unknown) {
    super('unavailable', message, { cause });
  }
}

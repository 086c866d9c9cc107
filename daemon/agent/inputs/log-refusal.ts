import { errorMessage, MonError } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';

/** True if the message caused the error, and not the spool. */
export function isInvalid(error: unknown): boolean {
  return error instanceof MonError && error.code === 'invalid';
}

export function logRefusal(log: Log, input: 'tcp' | 'udp' | 'http', error: unknown): void {
  const reason = errorMessage(error);
  if (isInvalid(error)) log.warn({ input, reason }, 'invalid check result from a local program');
  else log.error({ input, reason }, 'could not write a check result from a local program to disk');
}

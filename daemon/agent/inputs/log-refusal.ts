import { errorMessage, MonError } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';

/** True if the results were rejected because the message is invalid; false if the spool could not store them. */
export function isInvalid(error: unknown): boolean {
  return error instanceof MonError && error.code === 'invalid';
}

export function logRefusal(log: Log, input: 'tcp' | 'udp' | 'http', error: unknown): void {
  const reason = errorMessage(error);
  if (isInvalid(error)) log.warn({ input, reason }, 'invalid check result from a local program');
  else log.error({ input, reason }, 'could not write a check result from a local program to disk');
}

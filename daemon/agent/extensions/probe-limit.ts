import { errorMessage } from '../../../shared/errors.ts';

/** Returns a signal that is aborted as soon as `signal` is aborted or the given number of seconds has passed. */
export function withTimeLimit(seconds: number, signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(seconds * 1000))]);
}

/**
 * Returns the text for a failed probe, such as `refuses connections`, which follows the name of the target in the
 * output.
 */
export function probeFailureText(error: unknown, limit: AbortSignal, seconds: number): string {
  if (limit.aborted) return `does not respond within ${String(seconds)} s`;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'ECONNREFUSED':
      return 'refuses connections';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'has no address: the name does not exist';
    case 'ECONNRESET':
      return 'closed the connection';
    default:
      return `failed: ${errorMessage(error) || String(code)}`;
  }
}

import { errorMessage } from '../../../shared/errors.ts';

/** Returns a signal that aborts with `signal`, or after this many seconds. */
export function limitedTo(seconds: number, signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(seconds * 1000))]);
}

/** Returns the text for a probe that failed with an error; it follows the name of the target. */
export function whyItFailed(error: unknown, limit: AbortSignal, seconds: number): string {
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

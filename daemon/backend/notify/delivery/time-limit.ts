import { errorMessage, MonError } from '../../../../shared/errors.ts';
import type { Clock } from '../../ports.ts';
import {
  permanentFailure,
  retryableFailure,
  toDisplayLine,
  BACKEND_STOPPING,
  type DeliveryFailure,
} from './outcome.ts';

interface TimeLimit {
  readonly clock: Clock;
  readonly seconds: number;
  /** Aborted when the backend stops and cannot wait for the operation any longer. */
  readonly signal: AbortSignal;
}

/**
 * Runs an operation of a handler, such as a request to its receiver, within a time limit. Returns the result of the
 * operation. If the operation rejects or exceeds the limit, or the backend stops, returns a failure. Never rejects.
 *
 * @param operation the operation; it must reject as soon as its signal is aborted
 */
export async function runWithTimeLimit<Result>(
  { clock, seconds, signal }: TimeLimit,
  operation: (signal: AbortSignal) => Promise<Result>,
): Promise<Result | DeliveryFailure> {
  const abortController = new AbortController();
  const abortOperation = (): void => abortController.abort();
  let hasTimedOut = false;
  using cleanup = new DisposableStack();
  cleanup.use(
    clock.after(seconds * 1000, () => {
      hasTimedOut = true;
      abortController.abort();
    }),
  );
  // `AbortSignal.any` would leak memory, because the signal of the backend outlives millions of operations.
  signal.addEventListener('abort', abortOperation);
  cleanup.defer(() => signal.removeEventListener('abort', abortOperation));
  if (signal.aborted) return BACKEND_STOPPING;
  try {
    return await operation(abortController.signal);
  } catch (error) {
    if (signal.aborted) return BACKEND_STOPPING;
    if (hasTimedOut) return retryableFailure(`it took longer than ${String(seconds)} s`, 'timeout');
    if (error instanceof MonError && error.code === 'forbidden') return permanentFailure(error.message);
    // Other codes of `MonError` mean that the handler definition has a problem, for example a file that cannot be read.
    const isNetworkError = !(error instanceof MonError) || error.code === 'unavailable';
    return retryableFailure(networkErrorText(error), isNetworkError ? 'connection' : undefined);
  }
}

/** The OpenSSL error messages that appear when the server does not speak TLS. */
const NOT_TLS_MESSAGE = /wrong version number|packet length too long/;

/**
 * Returns a text that describes a network error. The error itself must not be logged: errors of the HTTP library
 * contain the request headers and thus credentials.
 */
function networkErrorText(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'ECONNREFUSED':
      return 'the connection was refused';
    case 'ECONNRESET':
    case 'EPIPE':
      return 'the connection was lost';
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return 'there is no way to the address';
    case 'ETIMEDOUT':
      return 'the connection was not taken in time';
    case 'ENOENT':
      return 'the socket does not exist';
    case 'EPROTO':
      return NOT_TLS_MESSAGE.test(errorMessage(error))
        ? 'what answers does not speak TLS: check whether the definition should ask for it, and the port'
        : toDisplayLine(errorMessage(error));
    default:
      return toDisplayLine(errorMessage(error)) || String(code);
  }
}

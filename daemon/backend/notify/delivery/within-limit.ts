import { errorMessage, MonError } from '../../../../shared/errors.ts';
import type { Clock } from '../../ports.ts';
import { failedForGood, failedForNow, said, STOPPED, type Failure } from './outcome.ts';

interface Limit {
  readonly clock: Clock;
  readonly seconds: number;
  /** Aborted when the backend stops and cannot wait for the operation any longer. */
  readonly signal: AbortSignal;
}

/**
 * Runs an operation of a handler, such as a request to its receiver, within a time limit. Returns the result of the
 * operation, or a failure if it rejects, exceeds the limit, or the backend stops. Never rejects.
 *
 * @param send the operation; it must reject as soon as its signal is aborted
 */
export async function withinLimit<Ended>(
  { clock, seconds, signal }: Limit,
  send: (signal: AbortSignal) => Promise<Ended>,
): Promise<Ended | Failure> {
  const cut = new AbortController();
  const stop = (): void => cut.abort();
  let hasTimedOut = false;
  using ends = new DisposableStack();
  ends.use(
    clock.after(seconds * 1000, () => {
      hasTimedOut = true;
      cut.abort();
    }),
  );
  // `AbortSignal.any` would leak memory, because the signal of the backend outlives millions of operations.
  signal.addEventListener('abort', stop);
  ends.defer(() => signal.removeEventListener('abort', stop));
  if (signal.aborted) return STOPPED;
  try {
    return await send(cut.signal);
  } catch (error) {
    if (signal.aborted) return STOPPED;
    if (hasTimedOut) return failedForNow(`it took longer than ${String(seconds)} s`, 'timeout');
    if (error instanceof MonError && error.code === 'forbidden') return failedForGood(error.message);
    // Other codes of `MonError` mean a problem of the handler definition, for example a file that cannot be read.
    const isOfNetwork = !(error instanceof MonError) || error.code === 'unavailable';
    return failedForNow(networkProblem(error), isOfNetwork ? 'connection' : undefined);
  }
}

/** The error messages of OpenSSL for a peer that does not speak TLS. */
const NOT_TLS = /wrong version number|packet length too long/;

/**
 * Returns a text that describes a network error. The error itself must not be logged: errors of the HTTP library
 * contain the request headers and thus credentials.
 */
function networkProblem(error: unknown): string {
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
      return NOT_TLS.test(errorMessage(error))
        ? 'what answers does not speak TLS: check whether the definition should ask for it, and the port'
        : said(errorMessage(error));
    default:
      return said(errorMessage(error)) || String(code);
  }
}

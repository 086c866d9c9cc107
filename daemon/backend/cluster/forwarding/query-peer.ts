import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../ports.ts';
import type { PeerLink, PeerRequest } from './peer-link.ts';

/** Maximum length of the text of a response, in UTF-16 code units. */
const RESPONSE_LENGTH_MAX = 1024 * 1024;

interface PeerQuery extends Pick<PeerRequest, 'method' | 'path' | 'body' | 'signal'> {
  /** Time limit for the whole response in milliseconds; no limit if undefined. */
  readonly limitMs: number | undefined;
}

/**
 * Sends a request to another member on behalf of this backend, not of an API caller. Waits for the whole response.
 *
 * @throws Error if the request cannot be sent, there is no complete response in time, or the response is too large
 */
export async function queryPeer(
  link: PeerLink,
  { limitMs, signal, ...request }: PeerQuery,
  clock: Pick<Clock, 'after'>,
): Promise<{ readonly status: number; readonly text: string }> {
  const cut = new AbortController();
  const end = (): void => cut.abort();
  using ends = new DisposableStack();
  if (limitMs !== undefined) ends.use(clock.after(limitMs, end));
  signal?.addEventListener('abort', end);
  ends.defer(() => signal?.removeEventListener('abort', end));
  signal?.throwIfAborted();
  const response = await link.exchange({ ...request, headers: {}, signal: cut.signal });
  return { status: response.statusCode ?? 0, text: await textOf(response) };
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) {
    text += String(chunk);
    if (text.length > RESPONSE_LENGTH_MAX) throw new Error('the response of the cluster member is too large');
  }
  return text;
}

import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../ports.ts';
import type { PeerLink, PeerRequest } from './peer-link.ts';

/** Of an answer. */
const ANSWER_BYTES_MAX = 1024 * 1024;

interface Question extends Pick<PeerRequest, 'method' | 'path' | 'body' | 'signal'> {
  /** For the whole answer, milliseconds; undefined: it may take as long as it likes. */
  readonly limitMs: number | undefined;
}

/**
 * Asks another backend something of its own and waits for the whole answer.
 *
 * @throws Error when it was not sent, not answered, or too much was answered
 */
export async function askPeer(
  link: PeerLink,
  { limitMs, signal, ...request }: Question,
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
    if (text.length > ANSWER_BYTES_MAX) throw new Error('it answered too much');
  }
  return text;
}

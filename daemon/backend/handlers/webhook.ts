import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { Agent as HttpAgent, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import got from 'got';
import type { HandlerJob } from '../../../shared/schemas/handler-job.ts';
import type { RunningHandler } from '../../../shared/schemas/handler.ts';
import { VERSION } from '../../../shared/schemas/version.ts';
import { lookupOf } from './addresses.ts';
import { DELIVERED, failedForGood, failedForNow, type DeliveryOutcome } from './outcome.ts';
import type { NetworkDeps } from './tcp.ts';
import { withinLimit } from './within-limit.ts';

export type WebhookHandler = Extract<RunningHandler, { type: 'webhook' }>;

/** Seconds for everything, redirects included. */
const TIMEOUT_DEFAULT = 10;

const REDIRECTS_MAX = 3;

/** Most of an answer that is read, so that the connection can be used again; nobody looks at it. */
const ANSWER_BYTES_MAX = 64 * 1024;

/** Statuses below 500 that ask to come again later. */
const COME_AGAIN: ReadonlySet<number> = new Set([408, 425, 429]);

/** One request of a delivery. */
interface Hop {
  readonly url: URL;
  /** Whether somebody else's answer named it. */
  readonly isRedirected: boolean;
  /** Undefined: only asked for, with GET. */
  readonly body: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** What only the receiver that the definition names may see: the signature, and headers of the definition. */
  readonly confidential: Readonly<Record<string, string>>;
}

interface Webhook {
  readonly job: HandlerJob;
  readonly handler: WebhookHandler;
  readonly data: string;
}

/** Posts events. Keeps connections for the next ones until it is disposed of. */
export class Webhooks implements Disposable {
  readonly #agent = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };

  /** Never rejects. */
  async send({ job, handler, data }: Webhook, deps: NetworkDeps): Promise<DeliveryOutcome> {
    const { clock, signal } = deps;
    return await withinLimit({ clock, seconds: handler.timeout ?? TIMEOUT_DEFAULT, signal }, async (limit) => {
      let hop: Hop | DeliveryOutcome = firstHop({ job, handler, data }, Math.floor(clock.now() / 1000));
      for (let redirects = 0; !('kind' in hop); redirects++) {
        const answer = await this.#ask(hop, { ...deps, signal: limit });
        hop = next(hop, answer, redirects);
      }
      return hop;
    });
  }

  [Symbol.dispose](): void {
    this.#agent.http.destroy();
    this.#agent.https.destroy();
  }

  async #ask({ url, isRedirected, body, headers, confidential }: Hop, deps: NetworkDeps): Promise<IncomingMessage> {
    const { addresses, signal } = deps;
    const checked = isRedirected
      ? await addresses.redirected(url.hostname, signal)
      : await addresses.written(url.hostname, 'public', signal);
    const request = got.stream(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...headers, ...confidential },
      ...(body === undefined ? {} : { body }),
      agent: this.#agent,
      dnsLookup: lookupOf(checked),
      // Each place is looked at here first.
      followRedirect: false,
      throwHttpErrors: false,
      // Whoever runs the handlers tries again.
      retry: { limit: 0 },
      decompress: false,
      signal,
    });
    request.on('error', () => undefined);
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    await readAndDrop(request);
    return answer;
  }
}

/** @param now epoch seconds */
function firstHop({ job, handler, data }: Webhook, now: number): Hop {
  return {
    url: new URL(handler.url),
    isRedirected: false,
    body: data,
    headers: {
      'content-type': 'application/json',
      'user-agent': `mon/${VERSION}`,
      'x-mon-event-id': job.event.id,
      // The same at each try, so that a receiver can tell a repetition.
      'x-mon-delivery': String(job.id),
    },
    confidential: { ...withSmallNames(handler.headers), ...signature(handler.secret, now, data) },
  };
}

/** With the time under the signature too, so that a receiver can refuse what somebody recorded and sends again. */
function signature(secret: string | undefined, now: number, body: string): Record<string, string> {
  if (secret === undefined) return {};
  const hash = createHmac('sha256', secret)
    .update(`${String(now)}.${body}`)
    .digest('hex');
  return { 'x-mon-timestamp': String(now), 'x-mon-signature': `sha256=${hash}` };
}

function withSmallNames(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** How the delivery ended with this answer, or where it goes on. */
function next(
  hop: Hop,
  { statusCode: status = 0, headers: { location } }: IncomingMessage,
  redirects: number,
): Hop | DeliveryOutcome {
  if (status >= 200 && status < 300) return DELIVERED;
  if (status === 303 || status === 307 || status === 308) {
    if (location === undefined)
      return failedForGood(`${hop.url.origin} answered ${String(status)} without a place to go`);
    if (redirects === REDIRECTS_MAX) return failedForGood(`redirected more than ${String(REDIRECTS_MAX)} times`);
    return redirected(hop, location, status);
  }
  const reason = `${hop.url.origin} answered ${String(status)}`;
  if (status === 301 || status === 302) {
    // What follows such an answer is a GET by custom: it would be answered well, and the event lost.
    return failedForGood(`${reason}: the receiver has moved, put its new address into the definition`);
  }
  return status >= 500 || COME_AGAIN.has(status) ? failedForNow(reason) : failedForGood(reason);
}

function redirected(hop: Hop, location: string, status: number): Hop | DeliveryOutcome {
  const url = URL.parse(location, hop.url.href);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return failedForGood(`${hop.url.origin} redirects to what is no address`);
  }
  if (hop.url.protocol === 'https:' && url.protocol === 'http:') {
    return failedForGood(`${hop.url.origin} redirects to ${url.origin}, where everybody on the way could read along`);
  }
  const { 'content-type': _, ...bare } = hop.headers;
  // The receiver has the event and says where to look for the outcome.
  const isTaken = status === 303;
  return {
    url,
    isRedirected: true,
    body: isTaken ? undefined : hop.body,
    headers: isTaken ? bare : hop.headers,
    confidential: url.origin === hop.url.origin ? hop.confidential : {},
  };
}

async function readAndDrop(answer: AsyncIterable<Uint8Array>): Promise<void> {
  let bytes = 0;
  try {
    for await (const piece of answer) {
      bytes += piece.length;
      if (bytes > ANSWER_BYTES_MAX) return;
    }
  } catch {
    // The status has come, and says all there is to know.
  }
}

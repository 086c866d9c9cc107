import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { Agent as HttpAgent, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import got from 'got';
import type { PresetRequest } from '../../../../shared/domain/message/preset-request.ts';
import { retryAfterMs } from '../../../../shared/domain/retry-after.ts';
import type { HandlerJob } from '../../../../shared/schemas/handler-job.ts';
import type { RunningHandler } from '../../../../shared/schemas/handler.ts';
import { VERSION } from '../../../../shared/schemas/version.ts';
import { lookupOf } from './addresses.ts';
import { DELIVERED, failedForGood, failedForNow, said, type DeliveryOutcome } from './outcome.ts';
import type { NetworkDeps } from './tcp.ts';
import { withinLimit } from './within-limit.ts';

export type WebhookHandler = Extract<RunningHandler, { type: 'webhook' }>;

/** Default time limit in seconds for a delivery by webhook, including all redirects. */
const TIMEOUT_DEFAULT = 10;

const REDIRECTS_MAX = 3;

/**
 * Maximum size in bytes of a response body that is read completely, so that its connection can be reused. The
 * connection of a longer response is closed.
 */
const ANSWER_BYTES_MAX = 64 * 1024;

/**
 * Number of bytes at the beginning of a response body that are evaluated, for the reason of a failure and for the delay
 * before a retry.
 */
const KEPT_BYTES_MAX = 2048;
/**
 * Minimum length at which a path segment or query value of a URL is treated as a secret and not as an ordinary word.
 */
const KEY_LENGTH_MIN = 10;

/** HTTP statuses below 500 after which a delivery is retried. All statuses from 500 are retried too. */
const COME_AGAIN: ReadonlySet<number> = new Set([408, 425, 429]);

/** One HTTP request of a delivery: the first one, or one that follows a redirect. */
interface Hop {
  readonly url: URL;
  /** True if the URL comes from a redirect and not from the handler definition. */
  readonly isRedirected: boolean;
  /** The body of a POST request; undefined for a GET request. */
  readonly body: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The headers that only the origin of the configured URL gets: those of the definition, those of the preset, and the
   * signature.
   */
  readonly confidential: Readonly<Record<string, string>>;
  /**
   * The secrets in the definition of a handler with a preset; undefined without a preset. They are masked in the
   * response texts of the service, and its redirects to another origin are not followed.
   */
  readonly keys: readonly string[] | undefined;
}

interface Webhook {
  readonly job: HandlerJob;
  readonly handler: WebhookHandler;
  /** The request body as text, or the complete request that the preset of the handler built. */
  readonly data: string | PresetRequest;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Sends notifications to the receivers of webhook handlers. Connections stay open for reuse until disposal. */
export class Webhooks implements Disposable {
  readonly #agent = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };

  /** Sends a notification, follows redirects and returns the outcome. Never rejects. */
  async send({ job, handler, data }: Webhook, deps: NetworkDeps): Promise<DeliveryOutcome> {
    const { clock, signal } = deps;
    const limits = { clock, seconds: handler.timeout ?? TIMEOUT_DEFAULT, signal };
    return await withinLimit<DeliveryOutcome>(limits, async (limit) => {
      let hop: Hop | DeliveryOutcome = firstHop({ job, handler, data }, Math.floor(clock.now() / 1000));
      for (let redirects = 0; !('kind' in hop); redirects++) {
        const answer = await this.#ask(hop, { ...deps, signal: limit });
        const words = hop.keys === undefined ? '' : wordsOf(answer.text, hop.keys);
        deps.onAnswer?.(`${String(answer.status)}${words}`);
        hop = next(hop, answer, { redirects, nowMs: clock.now() });
      }
      return hop.kind === 'failed' ? { ...hop, category: 'response' } : hop;
    });
  }

  [Symbol.dispose](): void {
    this.#agent.http.destroy();
    this.#agent.https.destroy();
  }

  async #ask({ url, isRedirected, body, headers, confidential }: Hop, deps: NetworkDeps): Promise<Answer> {
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
      // `send` follows redirects itself, because it checks each target first.
      followRedirect: false,
      throwHttpErrors: false,
      // The HTTP client does not retry, because the job runner does.
      retry: { limit: 0 },
      decompress: false,
      signal,
    });
    request.on('error', () => undefined);
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    return { status: answer.statusCode ?? 0, headers: answer.headers, text: await beginningOf(request) };
  }
}

/**
 * Returns the first request of a delivery.
 *
 * @param now epoch seconds
 */
function firstHop({ job, handler, data }: Webhook, now: number): Hop {
  const { url, headers, body } =
    typeof data === 'string'
      ? { url: handler.url ?? '', headers: {}, body: data }
      : { ...data, body: JSON.stringify(data.body) };
  return {
    url: new URL(url),
    isRedirected: false,
    body,
    headers: plainHeaders(job),
    confidential: { ...headers, ...withSmallNames(handler.headers), ...signature(handler.secret, now, body) },
    keys: typeof data === 'string' ? undefined : keysOf(handler),
  };
}

/** Returns the headers without secrets for a webhook request, with lower-case names. Redirect targets get them too. */
export function plainHeaders({ id, event, group }: HandlerJob): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': `mon/${VERSION}`,
    ...(group === undefined ? { 'x-mon-event-id': event.id } : { 'x-mon-group-id': group.id }),
    // The job id is the same in each attempt, so that a receiver can recognize a duplicate.
    'x-mon-delivery': String(id),
  };
}

/**
 * Returns the headers with the time and signature of a request; none if the handler has no secret. The signature covers
 * the time, so that a receiver can reject a replayed request.
 */
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

/**
 * Returns the outcome of a delivery for a response. For an allowed redirect (303, 307 or 308), returns the next request
 * instead.
 */
function next(
  hop: Hop,
  answer: Answer,
  { redirects, nowMs }: { readonly redirects: number; readonly nowMs: number },
): Hop | DeliveryOutcome {
  const { status, headers } = answer;
  if (status >= 200 && status < 300) return DELIVERED;
  if (status === 303 || status === 307 || status === 308) {
    if (headers.location === undefined)
      return failedForGood(`${hop.url.origin} answered ${String(status)} without a place to go`);
    if (redirects === REDIRECTS_MAX) return failedForGood(`redirected more than ${String(REDIRECTS_MAX)} times`);
    return redirected(hop, headers.location, status);
  }
  const reason = `${hop.url.origin} answered ${String(status)}`;
  if (status === 301 || status === 302) {
    // By convention, clients follow a 301 or 302 with GET. That could succeed although nobody received the event.
    return failedForGood(`${reason}: the receiver has moved, put its new address into the definition`);
  }
  const fullReason = hop.keys === undefined ? reason : `${reason}${wordsOf(answer.text, hop.keys)}`;
  if (status < 500 && !COME_AGAIN.has(status)) return failedForGood(fullReason);
  const waitMs = retryAfterMs(headers['retry-after'], answer.text, nowMs);
  return waitMs === undefined ? failedForNow(fullReason) : { ...failedForNow(fullReason), retryAfterMs: waitMs };
}

/**
 * Returns a colon and the response text of a service as one line, in which secrets are masked. Returns an empty text if
 * the response is empty.
 */
function wordsOf(text: string, keys: readonly string[]): string {
  const line = said(text, keys);
  return line === '' ? '' : `: ${line}`;
}

/** Returns the secrets in the definition of a webhook handler: its keys, its header values, and parts of its URL. */
function keysOf({
  url,
  routing_key: routing,
  api_key: api,
  api_token: token,
  secret,
  headers = {},
}: WebhookHandler): string[] {
  const keys = [routing, api, token, secret, ...Object.values(headers), ...keysOfAddress(url)];
  return keys.filter((key) => key !== undefined);
}

/**
 * Returns the parts of a URL that may be secrets: the path, the query, the password, and all long path segments and
 * query values. Query values are returned both encoded and decoded.
 */
function keysOfAddress(address = ''): string[] {
  const url = URL.parse(address);
  if (url === null) return [];
  const { pathname, search, password, searchParams } = url;
  const values = search.split('&').map((pair) => pair.slice(pair.indexOf('=') + 1));
  const parts = [...pathname.split('/'), ...values, ...searchParams.values()];
  return [pathname, search, password, ...parts.filter((part) => part.length >= KEY_LENGTH_MIN)];
}

function redirected(hop: Hop, location: string, status: number): Hop | DeliveryOutcome {
  const url = URL.parse(location, hop.url.href);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return failedForGood(`${hop.url.origin} redirects to what is no address`);
  }
  if (hop.url.protocol === 'https:' && url.protocol === 'http:') {
    return failedForGood(`${hop.url.origin} redirects to ${url.origin}, where everybody on the way could read along`);
  }
  if (hop.keys !== undefined && url.origin !== hop.url.origin) {
    return failedForGood(`${hop.url.origin} redirects to ${url.origin}, which must not see the key of the service`);
  }
  const { 'content-type': _, ...bare } = hop.headers;
  // Status 303 means that the receiver accepted the event, and that a GET request to the new URL returns the result.
  const isTaken = status === 303;
  return {
    url,
    isRedirected: true,
    body: isTaken ? undefined : hop.body,
    headers: isTaken ? bare : hop.headers,
    confidential: url.origin === hop.url.origin ? hop.confidential : {},
    keys: hop.keys,
  };
}

/** Reads a response body up to a size limit, and returns its beginning as text. */
async function beginningOf(answer: AsyncIterable<Uint8Array>): Promise<string> {
  const kept: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const piece of answer) {
      if (bytes < KEPT_BYTES_MAX) kept.push(piece);
      bytes += piece.length;
      if (bytes > ANSWER_BYTES_MAX) break;
    }
  } catch {
    // An error while the response body is read does not matter: the status has arrived, and it decides the outcome.
  }
  return Buffer.concat(kept).subarray(0, KEPT_BYTES_MAX).toString();
}

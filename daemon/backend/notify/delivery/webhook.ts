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
import { pinnedLookup } from './addresses.ts';
import {
  DELIVERED_OUTCOME,
  permanentFailure,
  retryableFailure,
  toDisplayLine,
  type DeliveryOutcome,
} from './outcome.ts';
import type { NetworkDependencies } from './tcp.ts';
import { runWithTimeLimit } from './time-limit.ts';

export type WebhookHandler = Extract<RunningHandler, { type: 'webhook' }>;

/** Default time limit in seconds for a webhook delivery, including all redirects. */
const TIMEOUT_DEFAULT_SECONDS = 10;

const REDIRECTS_MAX = 3;

/**
 * Maximum size in bytes of a response body that is read completely, so that its connection can be reused. If a response
 * is larger, its connection is closed.
 */
const RESPONSE_BYTES_READ_MAX = 64 * 1024;

/**
 * Number of bytes at the beginning of a response body that are evaluated. They can contain the reason of a failure, and
 * the retry delay that the receiver requests.
 */
const RESPONSE_START_BYTES = 2048;
/**
 * Minimum length at which a path segment or query value of a URL is treated as a secret and not as an ordinary word.
 */
const URL_SECRET_LENGTH_MIN = 10;

/** HTTP statuses below 500 after which a delivery is retried. All statuses from 500 are retried too. */
const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);

/** One HTTP request of a delivery: the first request, or a request that follows a redirect. */
interface WebhookRequest {
  readonly url: URL;
  /** True if the URL comes from a redirect and not from the handler definition. */
  readonly isRedirected: boolean;
  /** The body of a POST request; undefined for a GET request. */
  readonly body: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The headers that are sent only to the origin of the configured URL: the headers of the handler definition, those of
   * the preset, and the signature.
   */
  readonly confidentialHeaders: Readonly<Record<string, string>>;
  /**
   * The secrets in the definition of a handler with a preset; undefined for a handler without a preset. If defined, the
   * secrets are masked in response texts, and redirects to another origin are not followed.
   */
  readonly secrets: readonly string[] | undefined;
}

interface WebhookDelivery {
  /** The run that the delivery belongs to; undefined if it belongs to none. */
  readonly job: HandlerJob | undefined;
  readonly handler: WebhookHandler;
  /** The request body as text, or the complete request that the preset of the handler built. */
  readonly bodyOrRequest: string | PresetRequest;
}

interface WebhookResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bodyStart: string;
}

/**
 * Sends notifications to the receivers of webhook handlers. Connections are kept open for reuse until the sender is
 * disposed.
 */
export class WebhookSender implements Disposable {
  readonly #agent = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };

  /** Sends a notification, follows redirects and returns the outcome. Never rejects. */
  async send({ job, handler, bodyOrRequest }: WebhookDelivery, deps: NetworkDependencies): Promise<DeliveryOutcome> {
    const { clock, signal } = deps;
    const timeLimit = { clock, seconds: handler.timeout ?? TIMEOUT_DEFAULT_SECONDS, signal };
    return await runWithTimeLimit<DeliveryOutcome>(timeLimit, async (limitSignal) => {
      let requestOrOutcome: WebhookRequest | DeliveryOutcome = buildFirstRequest(
        { job, handler, bodyOrRequest },
        Math.floor(clock.now() / 1000),
      );
      for (let redirectCount = 0; !('kind' in requestOrOutcome); redirectCount++) {
        const response = await this.#sendRequest(requestOrOutcome, { ...deps, signal: limitSignal });
        const textSuffix =
          requestOrOutcome.secrets === undefined
            ? ''
            : responseTextSuffix(response.bodyStart, requestOrOutcome.secrets);
        deps.onResponse?.(`${String(response.status)}${textSuffix}`);
        requestOrOutcome = outcomeOrNextRequest(requestOrOutcome, response, { redirectCount, nowMs: clock.now() });
      }
      return requestOrOutcome.kind === 'failed' ? { ...requestOrOutcome, category: 'response' } : requestOrOutcome;
    });
  }

  [Symbol.dispose](): void {
    this.#agent.http.destroy();
    this.#agent.https.destroy();
  }

  async #sendRequest(
    { url, isRedirected, body, headers, confidentialHeaders }: WebhookRequest,
    deps: NetworkDependencies,
  ): Promise<WebhookResponse> {
    const { targetResolver, signal } = deps;
    const checkedAddresses = isRedirected
      ? await targetResolver.resolveRedirectHost(url.hostname, signal)
      : await targetResolver.resolveConfiguredHost(url.hostname, 'public', signal);
    const request = got.stream(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...headers, ...confidentialHeaders },
      ...(body === undefined ? {} : { body }),
      agent: this.#agent,
      dnsLookup: pinnedLookup(checkedAddresses),
      // `send` follows redirects itself, because it checks each target first.
      followRedirect: false,
      throwHttpErrors: false,
      // The HTTP client does not retry, because the job runner does.
      retry: { limit: 0 },
      decompress: false,
      signal,
    });
    request.on('error', () => undefined);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return { status: response.statusCode ?? 0, headers: response.headers, bodyStart: await readBodyStart(request) };
  }
}

/**
 * Returns the request with which a delivery starts; redirects can lead to further requests.
 *
 * @param nowSeconds the current time in epoch seconds
 */
function buildFirstRequest({ job, handler, bodyOrRequest }: WebhookDelivery, nowSeconds: number): WebhookRequest {
  const { url, headers, body } =
    typeof bodyOrRequest === 'string'
      ? { url: handler.url ?? '', headers: {}, body: bodyOrRequest }
      : { ...bodyOrRequest, body: JSON.stringify(bodyOrRequest.body) };
  return {
    url: new URL(url),
    isRedirected: false,
    body,
    headers: job === undefined ? commonHeaders() : headersWithoutSecrets(job),
    confidentialHeaders: {
      ...headers,
      ...lowerCaseHeaderNames(handler.headers),
      ...signatureHeaders(handler.secret, nowSeconds, body),
    },
    secrets: typeof bodyOrRequest === 'string' ? undefined : definitionSecrets(handler),
  };
}

/**
 * Returns the headers of a webhook request that contain no secrets, with lower-case names. The targets of redirects get
 * these headers too.
 */
export function headersWithoutSecrets({ id, event, group }: HandlerJob): Record<string, string> {
  return {
    ...commonHeaders(),
    ...(group === undefined ? { 'x-mon-event-id': event.id } : { 'x-mon-group-id': group.id }),
    // The job id is the same in each attempt, so that a receiver can recognize a duplicate.
    'x-mon-delivery': String(id),
  };
}

/** Returns the headers of every request. */
function commonHeaders(): Record<string, string> {
  return { 'content-type': 'application/json', 'user-agent': `mon/${VERSION}` };
}

/**
 * Returns the headers with the time and the signature of a request; no headers if the handler has no secret. The
 * signature covers the time, so that a receiver can reject a replayed request.
 */
function signatureHeaders(secret: string | undefined, nowSeconds: number, body: string): Record<string, string> {
  if (secret === undefined) return {};
  const hash = createHmac('sha256', secret)
    .update(`${String(nowSeconds)}.${body}`)
    .digest('hex');
  return { 'x-mon-timestamp': String(nowSeconds), 'x-mon-signature': `sha256=${hash}` };
}

function lowerCaseHeaderNames(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/**
 * Returns the outcome of a delivery according to a response. If the response is an allowed redirect (303, 307 or 308),
 * returns the next request instead.
 */
function outcomeOrNextRequest(
  request: WebhookRequest,
  response: WebhookResponse,
  { redirectCount, nowMs }: { readonly redirectCount: number; readonly nowMs: number },
): WebhookRequest | DeliveryOutcome {
  const { status, headers } = response;
  if (status >= 200 && status < 300) return DELIVERED_OUTCOME;
  if (status === 303 || status === 307 || status === 308) {
    if (headers.location === undefined)
      return permanentFailure(`${request.url.origin} answered ${String(status)} without a place to go`);
    if (redirectCount === REDIRECTS_MAX) return permanentFailure(`redirected more than ${String(REDIRECTS_MAX)} times`);
    return buildRedirectedRequest(request, headers.location, status);
  }
  const reason = `${request.url.origin} answered ${String(status)}`;
  if (status === 301 || status === 302) {
    // HTTP clients follow a 301 or 302 with a GET request. That request could succeed although the receiver did not get
    // the event.
    return permanentFailure(`${reason}: the receiver has moved, put its new address into the definition`);
  }
  const fullReason =
    request.secrets === undefined ? reason : `${reason}${responseTextSuffix(response.bodyStart, request.secrets)}`;
  if (status < 500 && !RETRYABLE_STATUSES.has(status)) return permanentFailure(fullReason);
  const delayMs = retryAfterMs(headers['retry-after'], response.bodyStart, nowMs);
  return delayMs === undefined
    ? retryableFailure(fullReason)
    : { ...retryableFailure(fullReason), retryAfterMs: delayMs };
}

/**
 * Returns a colon and the response text of a receiver as one line, in which secrets are masked. Returns an empty text
 * if the response has no text.
 */
function responseTextSuffix(text: string, secrets: readonly string[]): string {
  const line = toDisplayLine(text, secrets);
  return line === '' ? '' : `: ${line}`;
}

/** Returns the secrets in the definition of a webhook handler: its keys, its header values, and parts of its URL. */
function definitionSecrets({
  url,
  routing_key: routing,
  api_key: api,
  api_token: token,
  secret,
  headers = {},
  buttons,
}: WebhookHandler): string[] {
  const own = [...Object.values(headers), ...Object.values<string>(buttons ?? {})];
  const secrets = [routing, api, token, secret, ...own, ...urlSecrets(url)];
  return secrets.filter((key) => key !== undefined);
}

/**
 * Returns the parts of a URL that may be secrets: the path, the query, the password, and all long path segments and
 * query values. Query values are returned both encoded and decoded.
 */
function urlSecrets(urlText = ''): string[] {
  const url = URL.parse(urlText);
  if (url === null) return [];
  const { pathname, search, password, searchParams } = url;
  const values = search.split('&').map((pair) => pair.slice(pair.indexOf('=') + 1));
  const urlParts = [...pathname.split('/'), ...values, ...searchParams.values()];
  return [pathname, search, password, ...urlParts.filter((part) => part.length >= URL_SECRET_LENGTH_MIN)];
}

function buildRedirectedRequest(
  request: WebhookRequest,
  location: string,
  status: number,
): WebhookRequest | DeliveryOutcome {
  const url = URL.parse(location, request.url.href);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return permanentFailure(`${request.url.origin} redirects to what is no address`);
  }
  if (request.url.protocol === 'https:' && url.protocol === 'http:') {
    return permanentFailure(
      `${request.url.origin} redirects to ${url.origin}, where everybody on the way could read along`,
    );
  }
  if (request.secrets !== undefined && url.origin !== request.url.origin) {
    return permanentFailure(
      `${request.url.origin} redirects to ${url.origin}, which must not see the key of the service`,
    );
  }
  const { 'content-type': _, ...headersWithoutType } = request.headers;
  // Status 303 means that the receiver accepted the event, and that a GET request to the new URL returns the result.
  const isAccepted = status === 303;
  return {
    url,
    isRedirected: true,
    body: isAccepted ? undefined : request.body,
    headers: isAccepted ? headersWithoutType : request.headers,
    confidentialHeaders: url.origin === request.url.origin ? request.confidentialHeaders : {},
    secrets: request.secrets,
  };
}

/** Reads a response body up to a size limit, and returns its beginning as text. */
async function readBodyStart(response: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response) {
      if (bytes < RESPONSE_START_BYTES) chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > RESPONSE_BYTES_READ_MAX) break;
    }
  } catch {
    // An error while the response body is read does not matter: the status has arrived, and it decides the outcome.
  }
  return Buffer.concat(chunks).subarray(0, RESPONSE_START_BYTES).toString();
}

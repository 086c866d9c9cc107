import type { HttpsOptions } from 'got';
import type { z } from 'zod';
import { isErrorCode, MonError, type ErrorCode } from '../errors.ts';
import type { BackendAddress } from './backend-address.ts';
import { connectOptions, type ClientTls } from '../tls/client-tls.ts';
import { connectionProblem, isTrustProblem, speaksTls, tlsProblem } from './connection-problem.ts';

/** Maximum size of a response in bytes. A list of 100,000 events is about 150 MB. */
const ANSWER_BYTES_MAX = 512 * 1024 * 1024;

/** Maximum length in characters of a backend's error message that a thrown error contains. */
const MESSAGE_LENGTH_MAX = 1000;

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Segments of the path, not URL-encoded. */
  readonly path: readonly string[];
  /** Query parameters; those that are `undefined` are omitted. */
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** Body that is sent as JSON. */
  readonly body?: unknown;
  /** Error statuses that are returned as a response. All other error statuses are thrown. */
  readonly accept?: readonly number[];
}

export interface ApiResponse {
  readonly status: number;
  /** The JSON value of the body, or the beginning of a text that is not JSON; undefined if the response has no body. */
  readonly body: unknown;
  /** Headers by their lower-case names. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/**
 * Sends a request and returns the response.
 *
 * @throws MonError if the status is neither 2xx nor in `accept`, or the backend cannot be reached
 */
export type Requester = (request: ApiRequest) => Promise<ApiResponse>;

/** Error codes that prove that the backend did not receive the request, so that another backend can be tried. */
const NOT_REACHED_CODES = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN']);

/**
 * Returns a requester for a backend. For a list of backends, each request goes to the current backend of the list. If
 * that cannot be reached, the next one is tried and becomes the current one.
 */
export function openRequester(address: BackendAddress, timeoutMs: number): Requester {
  return async (request) => {
    await address.renew?.();
    try {
      return await sendToAny(address, timeoutMs, request);
    } catch (error) {
      const isRejected = error instanceof MonError && error.code === 'unauthenticated';
      if (!isRejected || (await address.renew?.(true)) !== true) throw error;
      return await sendToAny(address, timeoutMs, request);
    }
  };
}

async function sendToAny(address: BackendAddress, timeoutMs: number, request: ApiRequest): Promise<ApiResponse> {
  for (let others = address.otherCount ?? 0; ; others--) {
    const { url } = address;
    try {
      return await sendRequest(address, timeoutMs, request);
    } catch (error) {
      if (others === 0 || !(error instanceof NotReachedError)) throw error;
      address.failOverFrom?.(url);
    }
  }
}

class NotReachedError extends MonError {}

/**
 * The error for a failure of TLS or its certificates. A retry fails too, until the configuration of the client or the
 * server is changed.
 */
export class TlsTrustError extends MonError {}

async function sendRequest(
  address: BackendAddress,
  timeoutMs: number,
  { method, path, query = {}, body, accept = [] }: ApiRequest,
): Promise<ApiResponse> {
  const { url } = address;
  const target = requestUrl(url, { path, query });
  // `got` is imported late: loading it is slow, and the console shows its first screen without it.
  const { default: got } = await import('got');
  const tooLarge = new AbortController();
  try {
    const pending = got(target, {
      method,
      headers: address.headers,
      https: httpsOptions(address.tls),
      ...(body !== undefined && { json: body }),
      timeout: { request: timeoutMs },
      // A GET is retried once if a kept-alive connection was closed while in use. The caller decides about all other
      // errors.
      retry: {
        limit: 1,
        methods: ['GET'],
        statusCodes: [],
        errorCodes: ['ECONNRESET', 'EPIPE'],
        calculateDelay: retryOnce,
      },
      throwHttpErrors: false,
      followRedirect: false,
      // Decompression is off, because a small compressed response could expand to a huge one.
      decompress: false,
      signal: tooLarge.signal,
    });
    void pending.on('downloadProgress', ({ transferred }) => {
      if (transferred > ANSWER_BYTES_MAX) tooLarge.abort();
    });
    const response = await pending;
    const answer = { status: response.statusCode, body: parseBody(response.body), headers: response.headers };
    if ((answer.status >= 200 && answer.status < 300) || accept.includes(answer.status)) return answer;
    if (speaksTls(answer.status, answer.headers)) throw new TlsTrustError('unavailable', tlsProblem(url));
    throw errorFromResponse(answer, `${method} ${target.pathname}`, url);
  } catch (error) {
    if (error instanceof MonError) throw error;
    if (tooLarge.signal.aborted) {
      throw new MonError('too_large', `${url} sent a response that is too large: request less, with a limit`);
    }
    // The HTTP library's own error contains the request headers, and a log of it would contain the credentials.
    throw new (errorClassOf(error))('unavailable', connectionProblem(url, error), {
      cause: error instanceof Error ? error.cause : error,
    });
  }
}

function errorClassOf(error: unknown): typeof MonError {
  if (isTrustProblem(error)) return TlsTrustError;
  return error instanceof Error && 'code' in error && NOT_REACHED_CODES.has(String(error.code))
    ? NotReachedError
    : MonError;
}

/**
 * Returns the URL of a request.
 *
 * @param url URL of the backend, without a trailing slash
 * @throws MonError `invalid` if a path segment cannot be a name
 */
export function requestUrl(url: string, { path, query = {} }: Pick<ApiRequest, 'path' | 'query'>): URL {
  const target = new URL(`${url}/${path.map((part) => encodePathSegment(part)).join('/')}`);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) target.searchParams.set(name, String(value));
  }
  return target;
}

/**
 * Validates the body of a response.
 *
 * @throws MonError `internal` if the body does not match the schema, for example because the server is not a mon
 *   backend
 */
export function readResponse<Output>({ body }: ApiResponse, schema: z.ZodType<Output>, url: string): Output {
  const read = schema.safeParse(body);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const location = issue === undefined || issue.path.length === 0 ? 'the answer' : issue.path.map(String).join('.');
  throw new MonError(
    'internal',
    `${url} sent an invalid response (${location}: ${issue?.message ?? 'invalid'}): check that it is a mon backend`,
  );
}

/** Converts TLS options to those of the HTTP library, which have other names. */
function httpsOptions(tls: ClientTls | undefined): HttpsOptions {
  const { ca, cert, key, ...options } = connectOptions(tls);
  return {
    ...options,
    ...(ca === undefined ? {} : { certificateAuthority: ca }),
    ...(cert === undefined || key === undefined ? {} : { certificate: cert, key }),
  };
}

function retryOnce({ computedValue }: { readonly computedValue: number }): number {
  return computedValue === 0 ? 0 : 1;
}

/**
 * Encodes a path segment.
 *
 * @throws MonError `invalid` if the segment cannot be a name: with `..`, the URL would address another resource
 */
function encodePathSegment(part: string): string {
  if (part === '' || part === '.' || part === '..' || !part.isWellFormed()) {
    throw new MonError('invalid', `${JSON.stringify(part)} is not a valid name: use word characters, dots and hyphens`);
  }
  return encodeURIComponent(part);
}

function parseBody(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // The body could be an error page of a proxy. `readResponse` rejects it.
    return text.slice(0, MESSAGE_LENGTH_MAX);
  }
}

function errorFromResponse({ status, body }: ApiResponse, request: string, url: string): MonError {
  const own = messageOf(body)?.slice(0, MESSAGE_LENGTH_MAX);
  return new MonError(codeOf(body) ?? codeOfStatus(status), own ?? defaultMessage(status, request, url));
}

function messageOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  if ('error' in body && typeof body.error === 'string') return body.error;
  if ('message' in body && typeof body.message === 'string') return body.message;
  // Error responses of Sensu Go's middleware have `Message` (clients 6).
  if ('Message' in body && typeof body.Message === 'string') return body.Message;
  return undefined;
}

/** The v2 error code of an exceeded threshold. Its HTTP status is the same as for invalid input (completion 1.17). */
const V2_THRESHOLD = 9;

/**
 * Returns the error code in the body; undefined if there is none. Of numeric codes, which other products send, only
 * `V2_THRESHOLD` is converted.
 */
function codeOf(body: unknown): ErrorCode | undefined {
  if (typeof body !== 'object' || body === null || !('code' in body)) return undefined;
  if (body.code === V2_THRESHOLD) return 'threshold';
  return isErrorCode(body.code) ? body.code : undefined;
}

/**
 * Returns the error code for an HTTP status. It is used for older backends, other products and proxies, which send no
 * code.
 */
function codeOfStatus(status: number): ErrorCode {
  switch (status) {
    case 400:
      return 'invalid';
    case 401:
      return 'unauthenticated';
    case 402:
      return 'payment_required';
    case 403:
      return 'forbidden';
    case 404:
      return 'not_found';
    case 405:
      return 'method_not_allowed';
    case 409:
      return 'conflict';
    case 412:
      return 'precondition';
    case 413:
      return 'too_large';
    case 429:
    case 502:
    case 503:
    case 504:
      return 'unavailable';
    case 507:
      return 'no_memory';
    default:
      return 'internal';
  }
}

function defaultMessage(status: number, request: string, url: string): string {
  switch (status) {
    case 401:
      return `${url} requires credentials: set MON_API_KEY, or MON_CREDENTIALS=user:password, or use http://user:password@host`;
    case 403:
      return `${url} does not allow ${request} with these credentials`;
    case 503:
      return `${url} is too busy for ${request}: try again in a moment`;
    default:
      return `${url} answered HTTP ${String(status)} to ${request}`;
  }
}

import type { HttpsOptions } from 'got';
import type { z } from 'zod';
import { isErrorCode, MonError, type ErrorCode } from '../errors.ts';
import type { BackendAddress } from './backend-address.ts';
import { connectOptions, type ClientTls } from '../tls/client-tls.ts';
import { connectionProblem, isTrustProblem, speaksTls, tlsProblem } from './connection-problem.ts';

/** Largest answer that is read: all events of a registry of 100,000 are about 150 MB. */
const ANSWER_BYTES_MAX = 512 * 1024 * 1024;

/** Longest text of a backend's own that an error repeats. */
const MESSAGE_LENGTH_MAX = 1000;

export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Parts of the path, as they are: encoding them is done here. */
  readonly path: readonly string[];
  /** What is `undefined` is left out. */
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Statuses that are no failure although they look like one. */
  readonly accept?: readonly number[];
}

export interface Answer {
  readonly status: number;
  /** From JSON; `undefined` when there was none. */
  readonly body: unknown;
  /** By their names in small letters. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** @throws MonError for every status that is neither 2xx nor accepted, and when the backend cannot be reached */
export type Requester = (request: Request) => Promise<Answer>;

/** Nothing of the request arrived anywhere: it can be sent to another backend. */
const NOT_REACHED = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN']);

/** Requests to a backend; of a list, to the first one that can be reached, from the one that was reached last on. */
export function openRequester(address: BackendAddress, timeoutMs: number): Requester {
  return async (request) => {
    for (let others = address.others ?? 0; ; others--) {
      const { url } = address;
      try {
        return await ask(address, timeoutMs, request);
      } catch (error) {
        if (others === 0 || !(error instanceof NotReached)) throw error;
        address.turnFrom?.(url);
      }
    }
  };
}

class NotReached extends MonError {}

/**
 * The backend and this program do not trust each other. Trying again is of no use before a configuration is changed.
 */
export class NotTrusted extends MonError {}

async function ask(
  address: BackendAddress,
  timeoutMs: number,
  { method, path, query = {}, body, accept = [] }: Request,
): Promise<Answer> {
  const { url } = address;
  const target = requestUrl(url, { path, query });
  // Slow to load, and a console shows its first screen before it asks for anything.
  const { default: got } = await import('got');
  const tooLarge = new AbortController();
  try {
    const pending = got(target, {
      method,
      headers: address.headers,
      https: httpsOptions(address.tls),
      ...(body !== undefined && { json: body }),
      timeout: { request: timeoutMs },
      // Once more when a kept connection was closed in the moment of its use; anything else is the caller's to decide.
      retry: {
        limit: 1,
        methods: ['GET'],
        statusCodes: [],
        errorCodes: ['ECONNRESET', 'EPIPE'],
        calculateDelay: once,
      },
      throwHttpErrors: false,
      followRedirect: false,
      // A small answer must not unpack into a large one.
      decompress: false,
      signal: tooLarge.signal,
    });
    void pending.on('downloadProgress', ({ transferred }) => {
      if (transferred > ANSWER_BYTES_MAX) tooLarge.abort();
    });
    const response = await pending;
    const answer = { status: response.statusCode, body: parseBody(response.body), headers: response.headers };
    if ((answer.status >= 200 && answer.status < 300) || accept.includes(answer.status)) return answer;
    if (speaksTls(answer.status, answer.headers)) throw new NotTrusted('unavailable', tlsProblem(url));
    throw refusal(answer, `${method} ${target.pathname}`, url);
  } catch (error) {
    if (error instanceof MonError) throw error;
    if (tooLarge.signal.aborted) {
      throw new MonError('too_large', `${url} sent a response that is too large: request less, with a limit`);
    }
    // Not the error of the HTTP library itself: it carries the headers, and with them the credentials, into every log.
    throw new (kindOf(error))('unavailable', connectionProblem(url, error), {
      cause: error instanceof Error ? error.cause : error,
    });
  }
}

function kindOf(error: unknown): typeof MonError {
  if (isTrustProblem(error)) return NotTrusted;
  return error instanceof Error && 'code' in error && NOT_REACHED.has(String(error.code)) ? NotReached : MonError;
}

/**
 * Where a request goes.
 *
 * @param url of the backend, without a slash at its end
 * @throws MonError `invalid` for a part of the path that no name can be
 */
export function requestUrl(url: string, { path, query = {} }: Pick<Request, 'path' | 'query'>): URL {
  const target = new URL(`${url}/${path.map((part) => pathPart(part)).join('/')}`);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) target.searchParams.set(name, String(value));
  }
  return target;
}

/**
 * The body of an answer as `schema` has it.
 *
 * @throws MonError `internal` when it is something else: the address is no backend, or one of another kind
 */
export function readAnswer<Output>({ body }: Answer, schema: z.ZodType<Output>, url: string): Output {
  const read = schema.safeParse(body);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const place = issue === undefined || issue.path.length === 0 ? 'the answer' : issue.path.map(String).join('.');
  throw new MonError(
    'internal',
    `${url} sent an invalid response (${place}: ${issue?.message ?? 'invalid'}): check that it is a mon backend`,
  );
}

/** The names that the HTTP library has for them. */
function httpsOptions(tls: ClientTls | undefined): HttpsOptions {
  const { ca, cert, key, ...options } = connectOptions(tls);
  return {
    ...options,
    ...(ca === undefined ? {} : { certificateAuthority: ca }),
    ...(cert === undefined || key === undefined ? {} : { certificate: cert, key }),
  };
}

function once({ computedValue }: { readonly computedValue: number }): number {
  return computedValue === 0 ? 0 : 1;
}

/** @throws MonError `invalid` for what no name is and a URL cannot hold: `..` would ask for another resource */
function pathPart(part: string): string {
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
    // Some proxy's page, perhaps. It is no answer of ours, which `readAnswer` will say.
    return text.slice(0, MESSAGE_LENGTH_MAX);
  }
}

function refusal({ status, body }: Answer, request: string, url: string): MonError {
  const own = messageOf(body)?.slice(0, MESSAGE_LENGTH_MAX);
  return new MonError(codeOf(body) ?? codeOfStatus(status), own ?? defaultMessage(status, request, url));
}

function messageOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  if ('error' in body && typeof body.error === 'string') return body.error;
  if ('message' in body && typeof body.message === 'string') return body.message;
  // As the middleware of the newer peer writes it (clients 6).
  if ('Message' in body && typeof body.Message === 'string') return body.Message;
  return undefined;
}

/** What version 2 calls a threshold, whose status is that of whatever is invalid (completion 1.17). */
const V2_THRESHOLD = 9;

/** As the backend itself says it; v1 and version 2 of others have none, or a number. */
function codeOf(body: unknown): ErrorCode | undefined {
  if (typeof body !== 'object' || body === null || !('code' in body)) return undefined;
  if (body.code === V2_THRESHOLD) return 'threshold';
  return isErrorCode(body.code) ? body.code : undefined;
}

/** For backends that name no code: older ones, those of others, and proxies. */
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
      return `${url} wants credentials: set MON_API_KEY, or MON_CREDENTIALS=user:password, or use http://user:password@host`;
    case 403:
      return `${url} does not allow ${request} with these credentials`;
    case 503:
      return `${url} is too busy for ${request}: try again in a moment`;
    default:
      return `${url} answered HTTP ${String(status)} to ${request}`;
  }
}

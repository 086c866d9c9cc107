import type { IncomingMessage } from 'node:http';
import type { Settings } from '../../../shared/domain/merge-settings.ts';
import { redact } from '../../../shared/domain/redact.ts';
import { parseJsonWithRawControls } from '../../../shared/domain/raw-control-characters.ts';
import { errorMessage, MonError } from '../../../shared/errors.ts';
import type { SpoolTrouble } from '../../../shared/schemas/agent.ts';
import { COMPATIBLE_VERSION, VERSION } from '../../../shared/schemas/version.ts';
import type { Log } from '../../log/log.ts';
import { MESSAGE_BYTES_MAX, type AcceptMessage } from './local-result.ts';
import { isInvalid, logRefusal } from './log-refusal.ts';

export interface EndpointDependencies {
  readonly log: Log;
  readonly accept: AcceptMessage;
  /** All settings that the agent read, secrets included. */
  readonly settings: Settings;
  /** The keys whose values are redacted in `settings`. */
  readonly redactKeys: ReadonlySet<string>;
  readonly isConnected: () => boolean;
  /** Returns the number of results that the backend has not acknowledged. */
  readonly waiting: () => number;
  /** Returns the problem of the spool; undefined while results are written to disk. */
  readonly spoolTrouble: () => SpoolTrouble | undefined;
}

export interface EndpointResponse {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface InputEndpoint {
  readonly method: 'GET' | 'POST';
  readonly help: string;
  readonly respond: (request: IncomingMessage, url: URL) => EndpointResponse | Promise<EndpointResponse>;
}

/** Returns the endpoints of the HTTP input by URL path (completion 1.11). */
export function httpEndpoints(
  { log, accept, settings, redactKeys, isConnected, waiting, spoolTrouble }: EndpointDependencies,
  isAuthenticated: (request: IncomingMessage) => boolean,
): ReadonlyMap<string, InputEndpoint> {
  return new Map<string, InputEndpoint>([
    [
      '/info',
      {
        method: 'GET',
        help: 'the versions of the agent, and its connection to the backend',
        respond: () => okResponse(infoBody(isConnected(), waiting(), spoolTrouble())),
      },
    ],
    [
      '/results',
      {
        method: 'POST',
        help: 'accepts a check result as JSON, or an array of them',
        respond: async (request) => await takeResults(request, accept, log),
      },
    ],
    [
      '/settings',
      {
        method: 'GET',
        help: 'the settings of the agent; needs the user and password of http_socket, hides secrets unless redacted=false',
        respond: (request, url) => {
          if (!isAuthenticated(request)) return UNAUTHENTICATED_RESPONSE;
          return okResponse(url.searchParams.get('redacted') === 'false' ? settings : redact(settings, redactKeys));
        },
      },
    ],
    [
      '/brew',
      {
        method: 'GET',
        help: 'asks for a cup of coffee',
        respond: () => ({ status: 418, body: { response: "I'm a teapot!" } }),
      },
    ],
  ]);
}

export const UNAUTHENTICATED_RESPONSE: EndpointResponse = {
  status: 401,
  body: { response: 'You must be authenticated using the user and password of http_socket in the client definition' },
  headers: { 'WWW-Authenticate': 'Basic realm="Agent Restricted Area"' },
};

function okResponse(body: unknown): EndpointResponse {
  return { status: 200, body };
}

function infoBody(connected: boolean, waiting: number, spool: SpoolTrouble | undefined): unknown {
  return {
    sensu: { version: COMPATIBLE_VERSION },
    transport: {
      name: 'websocket',
      connected,
      keepalives: { messages: 0, consumers: connected ? 1 : 0 },
      results: { messages: waiting, consumers: connected ? 1 : 0 },
    },
    mon: { version: VERSION, ...(spool !== undefined && { spool }) },
  };
}

async function takeResults(request: IncomingMessage, accept: AcceptMessage, log: Log): Promise<EndpointResponse> {
  const mediaType = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (mediaType !== 'application/json') return { status: 415, body: { response: 'Invalid content type' } };
  const text = await readBody(request);
  if (text === undefined) {
    return { status: 413, body: { response: `Larger than ${String(MESSAGE_BYTES_MAX / 1024 / 1024)} MiB` } };
  }
  let message: unknown;
  try {
    message = parseJsonWithRawControls(text);
  } catch {
    logRefusal(log, 'http', new MonError('invalid', 'not JSON'));
    return { status: 400, body: { response: 'Failed to parse JSON body' } };
  }
  try {
    await accept(message);
    return { status: 202, body: { response: 'ok' } };
  } catch (error) {
    logRefusal(log, 'http', error);
    return isInvalid(error)
      ? { status: 400, body: { response: errorMessage(error) } }
      : { status: 503, body: { response: `Not stored, try again later: ${errorMessage(error)}` } };
  }
}

/**
 * Reads the body of a request.
 *
 * @returns the body as text; undefined if the body is larger than `MESSAGE_BYTES_MAX`; the remaining bytes are not read
 */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > MESSAGE_BYTES_MAX) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

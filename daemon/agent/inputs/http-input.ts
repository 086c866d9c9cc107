import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { hostname } from 'node:os';
import { isOwnHost } from '../../../shared/domain/own-host.ts';
import { errorMessage } from '../../../shared/errors.ts';
import { credentialsCheck } from './basic-credentials.ts';
import {
  httpEndpoints,
  UNAUTHENTICATED_RESPONSE,
  type EndpointResponse,
  type InputEndpoint,
  type EndpointDependencies,
} from './http-endpoints.ts';
import { isLoopbackBind, type Address, type LocalInput } from './socket-input.ts';

const CONNECTIONS_MAX = 64;
const REQUEST_TIMEOUT_MS = 10_000;
const HEADER_BYTES_MAX = 16 * 1024;

interface HttpInputOptions extends Address {
  readonly user?: string | null | undefined;
  readonly password?: string | null | undefined;
  /** True if all endpoints require `user` and `password`, and not only the settings. */
  readonly protect_all_endpoints?: boolean | null | undefined;
}

/**
 * Opens the HTTP input, which accepts results of local programs and shows the state of the agent (completion 1.11).
 * Rejects with the error of the system if the address cannot be used.
 */
export async function openHttpInput(
  { bind, port, user, password, protect_all_endpoints: protectsAll }: HttpInputOptions,
  deps: EndpointDependencies,
): Promise<LocalInput> {
  const { log } = deps;
  const isAuthenticated = credentialsCheck(user ?? undefined, password ?? undefined);

  const endpoints = httpEndpoints(deps, isAuthenticated);

  const respond = async (request: IncomingMessage): Promise<EndpointResponse> => {
    // Reject requests of web pages in a browser on this machine. A browser adds the header `Origin`, other programs do
    // not (security S5).
    if (request.headers.origin !== undefined) {
      return { status: 403, body: { response: 'Requests of web pages are rejected' } };
    }
    if (protectsAll === true && !isAuthenticated(request)) return UNAUTHENTICATED_RESPONSE;
    // Check the host name of the request only if the input is bound to a loopback address. On another address, other
    // machines can use host names that this machine does not know.
    if (protectsAll !== true && isLoopbackBind(bind) && !isOwnHost(request.headers.host, hostname())) {
      return { status: 403, body: { response: 'Only requests for this machine are accepted: use localhost' } };
    }
    const url = URL.parse(request.url ?? '', 'http://localhost');
    const endpoint = endpoints.get(url?.pathname ?? '');
    if (url === null || endpoint === undefined) return { status: 404, body: { endpoints: directoryOf(endpoints) } };
    const { method } = endpoint;
    if (request.method !== method) {
      return {
        status: 405,
        body: { response: `Valid methods for this endpoint: ["${method}"]` },
        headers: { Allow: method },
      };
    }
    return await endpoint.respond(request, url);
  };

  const server = createServer(
    { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS, maxHeaderSize: HEADER_BYTES_MAX },
    (request, response) => {
      respond(request)
        .then((answer) => sendResponse(request, response, answer))
        .catch((error: unknown) => {
          log.error({ input: 'http', reason: errorMessage(error) }, 'request failed');
          response.destroy();
        });
    },
  );
  server.maxConnections = CONNECTIONS_MAX;
  server.listen(port, bind);
  await once(server, 'listening');
  server.on('error', (error) =>
    log.warn({ input: 'http', reason: error.message }, 'could not accept a connection from a local program'),
  );
  const address = server.address();
  return {
    port: address === null || typeof address === 'string' ? 0 : address.port,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function directoryOf(endpoints: ReadonlyMap<string, InputEndpoint>): unknown {
  return Object.fromEntries([...endpoints].map(([path, { method, help }]) => [path, { help, methods: [method] }]));
}

function sendResponse(
  request: IncomingMessage,
  response: ServerResponse,
  { status, body, headers = {} }: EndpointResponse,
): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
    ...headers,
    // Close the connection, so that the unread bytes of the request are not parsed as the next request.
    ...(request.complete ? {} : { Connection: 'close' }),
  });
  response.end(text);
}

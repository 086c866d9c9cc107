import type { Endpoint } from '../api/endpoint.ts';
import { readResponse, type ApiRequest, type Requester } from './request.ts';

/** Parameters of a request to an endpoint. */
export interface EndpointCall {
  /** Values of the parameters in the path of the endpoint, by name and not URL-encoded. */
  readonly path?: Readonly<Record<string, string | number>>;
  readonly query?: ApiRequest['query'];
  readonly body?: unknown;
}

/** Sends requests to endpoints of an API. All methods throw the errors of `Requester` and `readResponse`. */
export interface EndpointCaller {
  readonly call: <ResponseBody>(
    endpoint: Endpoint<unknown, ResponseBody>,
    parameters?: EndpointCall,
  ) => Promise<ResponseBody>;
  /** Sends a request and ignores the body of the response. */
  readonly send: (endpoint: Endpoint, parameters?: EndpointCall) => Promise<void>;
  /** Sends a request like `send`; returns false if the response is 404, because the object does not exist. */
  readonly sendIfFound: (endpoint: Endpoint, parameters?: EndpointCall) => Promise<boolean>;
  /** Sends a request and returns the parsed response; undefined if the object does not exist. */
  readonly find: <ResponseBody>(
    endpoint: Endpoint<unknown, ResponseBody>,
    parameters?: EndpointCall,
  ) => Promise<ResponseBody | undefined>;
}

/**
 * Creates an `EndpointCaller` that sends its requests with a requester.
 *
 * @param url URL of the backend, for error messages
 */
export function endpointCaller(url: string, ask: Requester): EndpointCaller {
  return {
    call: async (endpoint, parameters = {}) =>
      readResponse(await ask(requestOf(endpoint, parameters)), responseSchemaOf(endpoint), url),
    send: async (endpoint, parameters) => void (await ask(requestOf(endpoint, parameters))),
    sendIfFound: async (endpoint, parameters) =>
      (await ask({ ...requestOf(endpoint, parameters), accept: [404] })).status !== 404,
    find: async (endpoint, parameters = {}) => {
      const response = await ask({ ...requestOf(endpoint, parameters), accept: [404] });
      return response.status === 404 ? undefined : readResponse(response, responseSchemaOf(endpoint), url);
    },
  };
}

/** Converts a call of an endpoint to a request: the parameters replace their placeholders in the path. */
export function requestOf(
  { method, path: pattern }: Endpoint,
  { path = {}, query, body }: EndpointCall = {},
): ApiRequest {
  const parts = pattern.split('/').slice(1);
  return {
    method,
    path: parts.map((part) =>
      part === '*' || part.startsWith(':') ? pathParameter(path, part.replace(':', ''), pattern) : part,
    ),
    ...(query !== undefined && { query }),
    ...(body !== undefined && { body }),
  };
}

function pathParameter(path: Readonly<Record<string, string | number>>, name: string, pattern: string): string {
  const part = path[name];
  if (part === undefined) throw new Error(`${pattern} needs its ${name}`);
  return String(part);
}

function responseSchemaOf<ResponseBody>({
  path,
  response,
}: Endpoint<unknown, ResponseBody>): NonNullable<Endpoint<unknown, ResponseBody>['response']> {
  if (response === undefined) throw new Error(`internal error: ${path} responds without a body`);
  return response;
}

import { send, type Answer, type RawRequest } from '../support/raw-http.ts';

type Headers = Readonly<Record<string, string>>;

/**
 * The headers that an existing client program sends: `headers` with every request, and `bodyHeaders` with every body.
 */
export interface ClientProgram {
  readonly headers: Headers;
  readonly bodyHeaders: Headers;
  /** Text that the client program appends to every body. */
  readonly bodySuffix: string;
}

const RUBY_ENCODINGS = 'gzip;q=1.0,deflate;q=0.6,identity;q=0.3';

export const UCHIWA: ClientProgram = {
  headers: { 'User-Agent': 'Go-http-client/1.1', 'Accept-Encoding': 'gzip' },
  bodyHeaders: { 'Content-Type': 'application/json' },
  bodySuffix: '\n\n',
};

export const SENSU_CLI: ClientProgram = {
  headers: { 'Accept-Encoding': RUBY_ENCODINGS, 'User-Agent': 'Ruby', 'api-proxy': 'true' },
  bodyHeaders: { 'Content-Type': 'application/json' },
  bodySuffix: '',
};

/** Handlers and checks written in Ruby, whose HTTP library declares every body as a form. */
export const PLUGIN: ClientProgram = {
  headers: { 'Accept-Encoding': RUBY_ENCODINGS, 'User-Agent': 'Ruby', Connection: 'close' },
  bodyHeaders: { 'Content-Type': 'application/x-www-form-urlencoded' },
  bodySuffix: '',
};

export const PYSENSU: ClientProgram = {
  headers: { 'User-Agent': 'python-requests/2.31', 'Accept-Encoding': 'gzip, deflate', Connection: 'keep-alive' },
  bodyHeaders: {},
  bodySuffix: '',
};

export const ANSIBLE: ClientProgram = {
  headers: { 'User-Agent': 'ansible-httpget', 'Accept-Encoding': 'identity', Connection: 'close' },
  bodyHeaders: { 'Content-Type': 'application/json' },
  bodySuffix: '',
};

export const EXPORTER: ClientProgram = {
  headers: { 'User-Agent': 'Go-http-client/1.1', 'Accept-Encoding': 'gzip', Connection: 'close' },
  bodyHeaders: {},
  bodySuffix: '',
};

export const NAGSTAMON: ClientProgram = {
  headers: { 'User-Agent': 'Nagstamon', 'Accept-Encoding': 'gzip, deflate', Accept: '*/*' },
  bodyHeaders: {},
  bodySuffix: '',
};

/** Sends a request in the same way as the given client program. */
export function ask(
  url: string,
  client: ClientProgram,
  method: string,
  target: string,
  body?: unknown,
): Promise<Answer> {
  const text = body === undefined ? undefined : JSON.stringify(body) + client.bodySuffix;
  const request: RawRequest = {
    method,
    target,
    headers: { ...client.headers, ...(text === undefined ? {} : client.bodyHeaders) },
    ...(text === undefined ? {} : { body: text }),
  };
  return send(url, request);
}

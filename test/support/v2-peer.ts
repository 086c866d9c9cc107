import { administratorOf } from './administrator.ts';

/** A response of the v2 API. */
export interface V2Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body of the response; `undefined` if it was empty. */
  readonly body: unknown;
}

/**
 * A client of the v2 API that sends the same headers as the command-line tool `sensuctl`, even in requests without a
 * body. It sends the local administrator token if the backend has one.
 */
export class V2Peer {
  readonly #url: string;
  readonly #headers: Headers;

  constructor(url: string, headers: Readonly<Record<string, string>> = {}) {
    this.#url = `${url}/api/core/v2`;
    this.#headers = new Headers({
      Accept: 'application/json',
      'Content-Type': 'application/json',
      'Accept-Encoding': 'gzip',
      'User-Agent': 'sensuctl/6.2.4',
      ...administratorOf(url),
    });
    for (const [name, value] of Object.entries(headers)) this.#headers.set(name, value);
  }

  get(path: string): Promise<V2Answer> {
    return this.send('GET', path);
  }

  post(path: string, body: unknown): Promise<V2Answer> {
    return this.send('POST', path, named(path, body));
  }

  put(path: string, body: unknown): Promise<V2Answer> {
    return this.send('PUT', path, named(path, body));
  }

  patch(path: string, body: unknown): Promise<V2Answer> {
    return this.send('PATCH', path, body, { 'Content-Type': 'application/merge-patch+json' });
  }

  delete(path: string): Promise<V2Answer> {
    return this.send('DELETE', path);
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<V2Answer> {
    const sent = new Headers(this.#headers);
    for (const [name, value] of Object.entries(headers)) sent.set(name, value);
    const response = await fetch(`${this.#url}${path}`, {
      method,
      headers: sent,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
  }
}

/** Matches the paths of objects in a namespace, except events, whose body need not contain the namespace. */
const IN_NAMESPACE = /^\/namespaces\/([^/]+)\/(?!events)[^/]+(?:\/[^/]+)?$/;

/** Returns the body as `sensuctl` sends it: with the namespace of the path, unless the body contains another one. */
function named(path: string, body: unknown): unknown {
  const namespace = IN_NAMESPACE.exec(path)?.[1];
  if (namespace === undefined || typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const { metadata } = body as { readonly metadata?: object };
  return { ...body, metadata: { namespace, ...metadata } };
}

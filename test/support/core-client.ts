/** Speaks the newer API as its command-line tool does: the same headers on every request, a body or none. */
export class CoreClient {
  readonly #url: string;

  /** @param backend where it listens */
  constructor(backend: { readonly url: string }) {
    this.#url = backend.url;
  }

  /** @param path behind `/api/core/v2` */
  async ask(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<CoreAnswer> {
    const response = await fetch(`${this.#url}/api/core/v2${path}`, {
      method,
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        'user-agent': 'sensuctl/6.2.4',
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      text,
      headers: response.headers,
      get json() {
        return JSON.parse(text) as unknown;
      },
    };
  }

  async get(path: string, headers?: Readonly<Record<string, string>>): Promise<CoreAnswer> {
    return await this.ask('GET', path, undefined, headers);
  }

  /** All pages of a list. */
  async pages(path: string, limit: number): Promise<unknown[][]> {
    const pages: unknown[][] = [];
    let next = '';
    do {
      const join = path.includes('?') ? '&' : '?';
      const answer = await this.get(`${path}${join}limit=${String(limit)}${next === '' ? '' : `&continue=${next}`}`);
      pages.push(answer.json as unknown[]);
      next = answer.headers.get('sensu-continue') ?? '';
    } while (next !== '');
    return pages;
  }
}

export interface CoreAnswer {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  readonly json: unknown;
}

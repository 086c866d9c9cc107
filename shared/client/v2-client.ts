import { MON_API } from '../api/mon.ts';
import { V2_API, v2ObjectsAnswer } from '../api/v2.ts';
import { warningTexts } from '../domain/warning-header.ts';
import { objectResponse } from '../schemas/response.ts';
import type { RestoreRequest } from '../schemas/restore.ts';
import type { ApiClientOptions } from './api-client.ts';
import { backendAddress } from './local-access.ts';
import { endpointCaller, requestOf } from './call-endpoint.ts';
import { openRequester, readResponse, type ApiResponse, type ApiRequest, type Requester } from './request.ts';

/** An object of `/api/core/v2`. Callers validate the attributes that they use. */
export type V2Object = Readonly<Record<string, unknown>>;

/** Number of objects per page of a list. */
const V2_PAGE = 100;

export interface V2Query {
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

export interface CreatedV2Object {
  /** Path of the created object; undefined if the backend does not send it. */
  readonly location: string | undefined;
  /** The response body of the backend. */
  readonly body: V2Object;
  /** Warnings of the backend about attributes that are stored but do not have the effect that they seem to have. */
  readonly warnings: readonly string[];
}

const CORE_PATH = ['api', 'core', 'v2'];

export interface V2ClientOptions extends ApiClientOptions {
  /** Receives the backend's warning that the entity limit is nearly reached, once per list. */
  readonly warn?: (text: string) => void;
}

/**
 * Creates a client for the v2 API of a backend.
 *
 * @throws MonError `invalid` if `backend` is not a URL
 */
export function openV2Client({ backend, headers = {}, timeoutMs = 30_000, env, warn }: V2ClientOptions): V2Client {
  const address = backendAddress(backend, { env, headers });
  const { url } = address;
  return buildV2Client(url, openRequester(address, timeoutMs), warn);
}

function buildClient(url: string, ask: Requester, warn?: (text: string) => void) {
  const { call, find } = endpointCaller(url, ask);
  const core = (path: readonly string[], request: Omit<ApiRequest, 'path'>): Promise<ApiResponse> =>
    ask({ ...request, path: [...CORE_PATH, ...path] });

  /** Yields all objects of a list, one page at a time. */
  async function* pages(path: readonly string[], query: V2Query = {}): AsyncGenerator<readonly V2Object[], void> {
    let after: string | undefined;
    do {
      const answer = await core(path, { method: 'GET', query: { ...query, limit: V2_PAGE, continue: after } });
      const warning = headerOf(answer, 'sensu-entity-warning');
      if (warning !== undefined && after === undefined) warn?.(warning);
      yield readResponse(answer, v2ObjectsAnswer, url);
      const next = headerOf(answer, 'sensu-continue');
      // Stops if the continue token repeats, because a faulty backend could otherwise cause an endless loop.
      after = next === after ? undefined : next;
    } while (after !== undefined);
  }

  return {
    /** The URL of the backend, without credentials. */
    url,
    pages,
    async list(path: readonly string[], query?: V2Query): Promise<V2Object[]> {
      const all: V2Object[] = [];
      for await (const page of pages(path, query)) all.push(...page);
      return all;
    },
    async find(path: readonly string[]): Promise<V2Object | undefined> {
      const answer = await core(path, { method: 'GET', accept: [404] });
      return answer.status === 404 ? undefined : readResponse(answer, objectResponse, url);
    },
    /**
     * Creates an object.
     *
     * @throws MonError `conflict` if the object exists already
     */
    async create(path: readonly string[], object: V2Object): Promise<CreatedV2Object> {
      const answer = await core(path, { method: 'POST', body: object });
      const body = objectResponse.safeParse(answer.body);
      const warnings = warningTexts(headerOf(answer, 'warning'));
      return { location: headerOf(answer, 'location'), body: body.success ? body.data : {}, warnings };
    },
    /**
     * Creates an object, or replaces it completely.
     *
     * @returns warnings of the backend about attributes that are stored but do not have the effect that they seem to
     *   have
     */
    async put(path: readonly string[], object: V2Object): Promise<readonly string[]> {
      return warningTexts(headerOf(await core(path, { method: 'PUT', body: object }), 'warning'));
    },
    /**
     * Deletes an object.
     *
     * @returns true if the object existed; false otherwise
     */
    async remove(path: readonly string[]): Promise<boolean> {
      return (await core(path, { method: 'DELETE', accept: [404] })).status !== 404;
    },
    /**
     * Requests a run of a check.
     *
     * @returns the time of the request, in epoch seconds
     */
    execute: (namespace: string, check: string, order: V2Object) =>
      call(V2_API.checks.execute, { path: { namespace, name: check }, body: order }),
    /** Returns whether the credentials are valid. */
    async testCredentials(): Promise<boolean> {
      return (await ask({ ...requestOf(V2_API.auth.test), accept: [401] })).status !== 401;
    },
    versions: () => call(V2_API.versions.version),
    /**
     * Returns a page of all objects of one type in their exact state, with secrets.
     *
     * @param namespace namespace of the objects; undefined for all namespaces
     * @param after token from the previous page; undefined for the first page
     * @returns the page; undefined if the backend has no such route, because it is an older version or another product
     */
    dump: (type: string, namespace: string | undefined, after: string | undefined) =>
      find(MON_API.dump, { path: { type }, query: { namespace, limit: V2_PAGE, continue: after } }),
    restore: (request: RestoreRequest) => call(MON_API.restore, { body: request }),
  };
}

/**
 * A client of the v2 API of a backend. Paths are below `/api/core/v2`. Every method throws MonError like those of
 * `ApiClient`.
 */
export type V2Client = Readonly<ReturnType<typeof buildClient>>;

/**
 * Creates a v2 client that sends its requests with the given requester, for example one that only records them. `warn`
 * is that of `V2ClientOptions`.
 */
export const buildV2Client: (...args: Parameters<typeof buildClient>) => V2Client = buildClient;

function headerOf({ headers }: ApiResponse, name: string): string | undefined {
  const value = headers?.[name];
  const first = typeof value === 'string' ? value : value?.[0];
  return first === '' ? undefined : first;
}

import { MON_API } from '../api/mon.ts';
import { V2_API, v2ObjectsAnswer } from '../api/v2.ts';
import { warningTexts } from '../domain/warning-header.ts';
import { objectAnswer } from '../schemas/answer.ts';
import type { RestoreRequest } from '../schemas/restore.ts';
import type { ApiClientOptions } from './api-client.ts';
import { backendAddress } from './local-access.ts';
import { endpointCaller, requestOf } from './call-endpoint.ts';
import { openRequester, readAnswer, type Answer, type Request, type Requester } from './request.ts';

/** An object of `/api/core/v2`: what callers rely on is checked where they do. */
export type V2Object = Readonly<Record<string, unknown>>;

/** Objects of one answer to a list. */
const V2_PAGE = 100;

export interface V2Query {
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

export interface Created {
  /** Path of what was made; undefined when the backend does not say. */
  readonly location: string | undefined;
  /** What the backend tells of it. */
  readonly body: V2Object;
  /** What does not do what it seems to, as the backend says. */
  readonly warnings: readonly string[];
}

const CORE = ['api', 'core', 'v2'];

export interface V2ClientOptions extends ApiClientOptions {
  /** Told what the backend says of its entity limit, once for each list. */
  readonly warn?: (text: string) => void;
}

/** @throws MonError `invalid` when `backend` is no URL */
export function openV2Client({ backend, headers = {}, timeoutMs = 30_000, env, warn }: V2ClientOptions): V2Client {
  const address = backendAddress(backend, { env, headers });
  const { url } = address;
  return v2ClientOver(url, openRequester(address, timeoutMs), warn);
}

function clientOver(url: string, ask: Requester, warn?: (text: string) => void) {
  const { call, find } = endpointCaller(url, ask);
  const core = (path: readonly string[], rest: Omit<Request, 'path'>): Promise<Answer> =>
    ask({ ...rest, path: [...CORE, ...path] });

  /** All objects of a list, page by page. */
  async function* pages(path: readonly string[], query: V2Query = {}): AsyncGenerator<readonly V2Object[], void> {
    let after: string | undefined;
    do {
      const answer = await core(path, { method: 'GET', query: { ...query, limit: V2_PAGE, continue: after } });
      const warning = headerOf(answer, 'sensu-entity-warning');
      if (warning !== undefined && after === undefined) warn?.(warning);
      yield readAnswer(answer, v2ObjectsAnswer, url);
      const next = headerOf(answer, 'sensu-continue');
      // A backend that gives the same token for ever would be asked for ever.
      after = next === after ? undefined : next;
    } while (after !== undefined);
  }

  return {
    /** Where the requests go, without credentials. */
    url,
    pages,
    async list(path: readonly string[], query?: V2Query): Promise<V2Object[]> {
      const all: V2Object[] = [];
      for await (const page of pages(path, query)) all.push(...page);
      return all;
    },
    async find(path: readonly string[]): Promise<V2Object | undefined> {
      const answer = await core(path, { method: 'GET', accept: [404] });
      return answer.status === 404 ? undefined : readAnswer(answer, objectAnswer, url);
    },
    /** @throws MonError `conflict` when it is there already */
    async create(path: readonly string[], object: V2Object): Promise<Created> {
      const answer = await core(path, { method: 'POST', body: object });
      const body = objectAnswer.safeParse(answer.body);
      const warnings = warningTexts(headerOf(answer, 'warning'));
      return { location: headerOf(answer, 'location'), body: body.success ? body.data : {}, warnings };
    },
    /**
     * Makes it, or replaces it as a whole.
     *
     * @returns what does not do what it seems to, as the backend says
     */
    async put(path: readonly string[], object: V2Object): Promise<readonly string[]> {
      return warningTexts(headerOf(await core(path, { method: 'PUT', body: object }), 'warning'));
    },
    /** @returns false when it was not there */
    async remove(path: readonly string[]): Promise<boolean> {
      return (await core(path, { method: 'DELETE', accept: [404] })).status !== 404;
    },
    /** @returns when it was asked for, epoch seconds */
    execute: (namespace: string, check: string, order: V2Object) =>
      call(V2_API.checks.execute, { path: { namespace, name: check }, body: order }),
    /** Whether the credentials are good for anything. */
    async testCredentials(): Promise<boolean> {
      return (await ask({ ...requestOf(V2_API.auth.test), accept: [401] })).status !== 401;
    },
    versions: () => call(V2_API.versions.version),
    /**
     * A page of the exact state of one type, with secrets.
     *
     * @param namespace undefined: all of them
     * @returns undefined when this backend knows no such request, as those of another make
     */
    dump: (type: string, namespace: string | undefined, after: string | undefined) =>
      find(MON_API.dump, { path: { type }, query: { namespace, limit: V2_PAGE, continue: after } }),
    restore: (request: RestoreRequest) => call(MON_API.restore, { body: request }),
  };
}

/**
 * Version 2 of a backend: `/api/core/v2` and what belongs to it. Paths are below that prefix. Every method throws
 * MonError as those of `ApiClient` do.
 */
export type V2Client = Readonly<ReturnType<typeof clientOver>>;

/** The client over any way to ask, such as one that only notes what would be asked; see `V2ClientOptions` for `warn`. */
export const v2ClientOver: (...given: Parameters<typeof clientOver>) => V2Client = clientOver;

function headerOf({ headers }: Answer, name: string): string | undefined {
  const value = headers?.[name];
  const first = typeof value === 'string' ? value : value?.[0];
  return first === '' ? undefined : first;
}

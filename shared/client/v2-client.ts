import { z } from 'zod';
import { MON_API } from '../api/mon.ts';
import { warningTexts } from '../domain/warning-header.ts';
import type { DumpPage, RestoreAnswer, RestoreRequest } from '../schemas/restore.ts';
import type { ApiClientOptions } from './api-client.ts';
import { backendAddress } from './local-access.ts';
import { endpointCaller } from './call-endpoint.ts';
import { openRequester, readAnswer } from './request.ts';
import type { Answer, Request, Requester } from './request.ts';

/** An object of `/api/core/v2`: what callers rely on is checked where they do. */
export type V2Object = Readonly<Record<string, unknown>>;

/** Objects of one answer to a list. */
export const V2_PAGE = 100;

export interface V2Query {
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

/**
 * The newer face of a backend: `/api/core/v2` and what belongs to it. Paths are below that prefix. Every method throws
 * MonError as those of `ApiClient` do.
 */
export interface V2Client {
  /** Where the requests go, without credentials. */
  readonly url: string;
  /** All objects of a list, page by page. */
  pages(path: readonly string[], query?: V2Query): AsyncGenerator<readonly V2Object[], void, undefined>;
  list(path: readonly string[], query?: V2Query): Promise<V2Object[]>;
  find(path: readonly string[]): Promise<V2Object | undefined>;
  /** @throws MonError `conflict` when it is there already */
  create(path: readonly string[], object: V2Object): Promise<Created>;
  /**
   * Makes it, or replaces it as a whole.
   *
   * @returns what does not do what it seems to, as the backend says
   */
  put(path: readonly string[], object: V2Object): Promise<readonly string[]>;
  /** @returns false when it was not there */
  remove(path: readonly string[]): Promise<boolean>;
  /** @returns when it was asked for, epoch seconds */
  execute(namespace: string, check: string, order: V2Object): Promise<{ issued: number }>;
  /** Whether the credentials are good for anything. */
  testCredentials(): Promise<boolean>;
  versions(): Promise<{ sensu_backend: string }>;
  /**
   * A page of the exact state of one type, with secrets.
   *
   * @param namespace undefined: all of them
   * @returns undefined when this backend knows no such request, as those of another make
   */
  dump(type: string, namespace: string | undefined, after: string | undefined): Promise<DumpPage | undefined>;
  restore(request: RestoreRequest): Promise<RestoreAnswer>;
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

const objectSchema = z.record(z.string(), z.unknown());
const listSchema = z
  .array(objectSchema)
  .nullish()
  .transform((objects) => objects ?? []);
const issuedSchema = z.looseObject({ issued: z.number() });
const versionSchema = z.looseObject({ sensu_backend: z.string() });

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

/** The client over any way to ask, such as one that only notes what would be asked; see `V2ClientOptions` for `warn`. */
export function v2ClientOver(url: string, ask: Requester, warn?: (text: string) => void): V2Client {
  const core = (path: readonly string[], rest: Omit<Request, 'path'>): Promise<Answer> =>
    ask({ ...rest, path: [...CORE, ...path] });

  async function* pages(path: readonly string[], query: V2Query = {}): AsyncGenerator<readonly V2Object[], void> {
    let after: string | undefined;
    do {
      const answer = await core(path, { method: 'GET', query: { ...query, limit: V2_PAGE, continue: after } });
      const warning = headerOf(answer, 'sensu-entity-warning');
      if (warning !== undefined && after === undefined) warn?.(warning);
      yield readAnswer(answer, listSchema, url);
      const next = headerOf(answer, 'sensu-continue');
      // A backend that gives the same token for ever would be asked for ever.
      after = next === after ? undefined : next;
    } while (after !== undefined);
  }

  const { call, find } = endpointCaller(url, ask);
  return {
    url,
    pages,
    async list(path, query) {
      const all: V2Object[] = [];
      for await (const page of pages(path, query)) all.push(...page);
      return all;
    },
    async find(path) {
      const answer = await core(path, { method: 'GET', accept: [404] });
      return answer.status === 404 ? undefined : readAnswer(answer, objectSchema, url);
    },
    async create(path, object) {
      const answer = await core(path, { method: 'POST', body: object });
      const body = objectSchema.safeParse(answer.body);
      const warnings = warningTexts(headerOf(answer, 'warning'));
      return { location: headerOf(answer, 'location'), body: body.success ? body.data : {}, warnings };
    },
    async put(path, object) {
      return warningTexts(headerOf(await core(path, { method: 'PUT', body: object }), 'warning'));
    },
    async remove(path) {
      return (await core(path, { method: 'DELETE', accept: [404] })).status !== 404;
    },
    async execute(namespace, check, order) {
      const path = ['namespaces', namespace, 'checks', check, 'execute'];
      return readAnswer(await core(path, { method: 'POST', body: order }), issuedSchema, url);
    },
    async testCredentials() {
      return (await ask({ method: 'GET', path: ['auth', 'test'], accept: [401] })).status !== 401;
    },
    async versions() {
      return readAnswer(await ask({ method: 'GET', path: ['version'] }), versionSchema, url);
    },
    dump(type, namespace, after) {
      return find(MON_API.dump, { path: { type }, query: { namespace, limit: V2_PAGE, continue: after } });
    },
    restore(request) {
      return call(MON_API.restore, { body: request });
    },
  };
}

function headerOf({ headers }: Answer, name: string): string | undefined {
  const value = headers?.[name];
  const first = typeof value === 'string' ? value : value?.[0];
  return first === '' ? undefined : first;
}

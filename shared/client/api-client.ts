import type { z } from 'zod';
import { MonError } from '../errors.ts';
import type { Client } from '../schemas/client.ts';
import type { Event } from '../schemas/event.ts';
import type { BatchAnswer, StoredResult, SubmittedResult } from '../schemas/result.ts';
import type { SilencedView, SubmittedSilenced } from '../schemas/silenced.ts';
import { answers } from './answers.ts';
import type { BackendInfo } from './answers.ts';
import { parseBackendAddress } from './backend-address.ts';
import type { CredentialsEnv } from './backend-address.ts';
import { openRequester, readAnswer } from './request.ts';
import type { Request } from './request.ts';

type Query = NonNullable<Request['query']>;

/** A part of a list; without `limit` it is all of it. */
export interface Page {
  readonly limit?: number;
  readonly offset?: number;
}

export interface CheckOnClient {
  readonly client: string;
  readonly check: string;
}

/** One silenced entry, by its id or by the parts that make its id; a missing part stands for all. */
export type SilencedTarget = { readonly id: string } | { readonly check?: string; readonly subscription?: string };

export interface Health {
  readonly isHealthy: boolean;
  /** One sentence for each thing that is wrong. */
  readonly problems: readonly string[];
}

/**
 * A backend over HTTP. `undefined` and `false` say that something is not there. Every method throws MonError: the code
 * that the backend's status stands for with the backend's own text, or `unavailable` when it could not be reached.
 */
export interface ApiClient {
  /** Where the requests go, without credentials. */
  readonly url: string;
  /** By client name, then check name. */
  events(query?: Page & { readonly client?: string }): Promise<Event[]>;
  event(client: string, check: string): Promise<Event | undefined>;
  /** @throws MonError `not_found` when there is no such event */
  resolve(target: CheckOnClient): Promise<{ issued: number }>;
  results(query?: Page & { readonly client?: string }): Promise<StoredResult[]>;
  result(client: string, check: string): Promise<StoredResult | undefined>;
  submitResult(result: SubmittedResult): Promise<{ issued: number }>;
  /** Up to `BATCH_MAX` at once; a rejected one does not hold up the others. */
  submitResults(results: readonly SubmittedResult[]): Promise<BatchAnswer>;
  /** Entries that name this check, that name exactly this subscription, or all. */
  silenced(about?: { readonly check: string } | { readonly subscription: string }): Promise<SilencedView[]>;
  /** Replaces the entry with the same subscription and check. */
  silence(entry: SubmittedSilenced): Promise<void>;
  clearSilenced(target: SilencedTarget): Promise<boolean>;
  clients(query?: Page): Promise<Client[]>;
  client(name: string): Promise<Client | undefined>;
  /** @throws MonError `not_found` when there is no such client */
  deleteClient(name: string): Promise<{ issued: number }>;
  info(): Promise<BackendInfo>;
  /** @param limits fewest consumers and most waiting messages that count as healthy */
  health(limits?: { readonly consumers?: number; readonly messages?: number }): Promise<Health>;
}

export interface ApiClientOptions {
  /** `http://host:port`, with `user:password@` in front of the host when it takes credentials. */
  readonly backend: string;
  /** Sent with every request, over those of the credentials. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For a whole request and its answer. Default 30,000. */
  readonly timeoutMs?: number;
  /** Where credentials are looked for that the URL does not hold. Default: the process environment. */
  readonly env?: CredentialsEnv;
}

/** @throws MonError `invalid` when `backend` is no URL */
export function openApiClient({ backend, headers = {}, timeoutMs = 30_000, env }: ApiClientOptions): ApiClient {
  const address = parseBackendAddress(backend, env);
  const { url } = address;
  const ask = openRequester({ url, headers: { ...address.headers, ...headers } }, timeoutMs);

  const get = async <Output>(path: readonly string[], schema: z.ZodType<Output>, query: Query = {}): Promise<Output> =>
    readAnswer(await ask({ method: 'GET', path, query }), schema, url);
  const find = async <Output>(path: readonly string[], schema: z.ZodType<Output>): Promise<Output | undefined> => {
    const answer = await ask({ method: 'GET', path, accept: [404] });
    return answer.status === 404 ? undefined : readAnswer(answer, schema, url);
  };
  const post = async <Output>(path: readonly string[], body: unknown, schema: z.ZodType<Output>): Promise<Output> =>
    readAnswer(await ask({ method: 'POST', path, body }), schema, url);

  return {
    url,
    events({ client, ...page } = {}) {
      return get(client === undefined ? ['events'] : ['events', client], answers.events, page);
    },
    event(client, check) {
      return find(['events', client, check], answers.event);
    },
    async resolve({ client, check }) {
      const answer = await ask({ method: 'POST', path: ['resolve'], body: { client, check }, accept: [404] });
      // This 404 has no body (reference 4.4).
      if (answer.status === 404) throw new MonError('not_found', `there is no event ${client}/${check}`);
      return readAnswer(answer, answers.issued, url);
    },
    results({ client, ...page } = {}) {
      return get(client === undefined ? ['results'] : ['results', client], answers.results, page);
    },
    result(client, check) {
      return find(['results', client, check], answers.result);
    },
    submitResult(result) {
      return post(['results'], result, answers.issued);
    },
    submitResults(results) {
      return post(['api', 'mon', 'v1', 'results'], results, answers.batch);
    },
    silenced(about) {
      if (about === undefined) return get(['silenced'], answers.silenced);
      return 'check' in about
        ? get(['silenced', 'checks', about.check], answers.silenced)
        : get(['silenced', 'subscriptions', about.subscription], answers.silenced);
    },
    async silence(entry) {
      await ask({ method: 'POST', path: ['silenced'], body: entry });
    },
    async clearSilenced(target) {
      const answer = await ask({ method: 'POST', path: ['silenced', 'clear'], body: target, accept: [404] });
      return answer.status !== 404;
    },
    clients(page = {}) {
      return get(['clients'], answers.clients, { ...page });
    },
    client(name) {
      return find(['clients', name], answers.client);
    },
    async deleteClient(name) {
      return readAnswer(await ask({ method: 'DELETE', path: ['clients', name] }), answers.issued, url);
    },
    info() {
      return get(['info'], answers.info);
    },
    async health(limits = {}) {
      const answer = await ask({ method: 'GET', path: ['health'], query: { ...limits }, accept: [412] });
      if (answer.status !== 412) return { isHealthy: true, problems: [] };
      return { isHealthy: false, problems: readAnswer(answer, answers.problems, url) };
    },
  };
}

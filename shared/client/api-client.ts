import { z } from 'zod';
import { stashAnswer, type StashView } from '../schemas/stash.ts';
import { infoAnswer, type BackendInfo } from '../schemas/info.ts';
import { objectAnswer, issuedAnswer, namesAnswer, texts } from '../schemas/answer.ts';
import {
  aggregateAnswer,
  aggregateResultsAnswer,
  aggregateClientsAnswer,
  aggregateChecksAnswer,
  type AggregateResults,
  type AggregateSummary,
} from '../schemas/aggregate.ts';
import { MonError } from '../errors.ts';
import type { AuditHead, AuditRecord } from '../schemas/audit.ts';
import type { BulkOutcome, BulkRequest } from '../schemas/bulk.ts';
import type { CheckOfClient, ClientDetail } from '../schemas/check-summary.ts';
import {
  type Client,
  type DeletedClients,
  clientAnswer,
  clientHistoryAnswer,
  type ClientHistory,
} from '../schemas/client.ts';
import type { DeadLetterSelection, HandlerStatus, DeadLetterSummary } from '../schemas/dead-letter.ts';
import { type Event, eventAnswer } from '../schemas/event.ts';
import type { Overview } from '../schemas/overview.ts';
import { type BatchAnswer, type StoredResult, type SubmittedResult, resultAnswer } from '../schemas/result.ts';
import { type SilencedDetail, type SilencedView, type SubmittedSilenced, silencedAnswer } from '../schemas/silenced.ts';
import type { RecentProblems, SilencePreviewRequest } from '../schemas/silence-preview.ts';
import type { SilencePolicy } from '../schemas/silence-policy.ts';
import type { Versions } from '../schemas/versions.ts';
import { DEFAULT_NAMESPACE } from '../schemas/namespace.ts';
import { MON_API } from '../api/mon.ts';
import { endpointCaller, requestOf } from './call-endpoint.ts';
import type { DefinedCheck } from '../schemas/scheduled-check.ts';
import type { EventExplanation, SimulatedResult } from '../schemas/explain.ts';
import { backendAddress } from './local-access.ts';
import type { CredentialsEnv } from './backend-address.ts';
import { openRequester, readAnswer } from './request.ts';
import type { Answer, Request, Requester } from './request.ts';

type Query = NonNullable<Request['query']>;

/** The results or events of one client, of one check, or of both. */
export interface OfClientOrCheck extends Page {
  readonly client?: string;
  readonly check?: string;
}

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

/** A check to run now, instead of on its schedule. */
export interface CheckRequestOrder {
  readonly check: string;
  /** Default: those of the definition. */
  readonly subscribers?: readonly string[];
  readonly reason?: string;
  readonly creator?: string;
}

/** Keeps a deleted client from coming back; without `expireSeconds` only until its deletion is done. */
export interface Invalidation {
  readonly expireSeconds?: number;
}

/** Seconds after which a result counts as stale. */
export interface MaxAge {
  readonly maxAge?: number;
}

export type AggregateSeverity = 'ok' | 'warning' | 'critical' | 'unknown';

export interface SubmittedStash {
  readonly path: string;
  readonly content: Readonly<Record<string, unknown>>;
  /** Seconds; default for ever. */
  readonly expire?: number;
}

/** Which records of the audit trail; all conditions must hold. */
export interface AuditQuery extends Page {
  /** From this time on, epoch milliseconds. */
  readonly since?: number;
  /** With a greater id. */
  readonly after?: number;
  /** With a smaller id. */
  readonly before?: number;
  readonly who?: string;
  readonly action?: string;
}

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
  events(query?: OfClientOrCheck): Promise<Event[]>;
  event(client: string, check: string): Promise<Event | undefined>;
  /** What becomes of an event at each handler, and why; undefined when there is neither an event nor a result. */
  explainEvent(client: string, check: string): Promise<EventExplanation | undefined>;
  /** What a result would do; nothing is changed. */
  simulate(result: SubmittedResult): Promise<SimulatedResult>;
  /** @throws MonError `not_found` when there is no such event */
  resolve(target: CheckOnClient): Promise<{ issued: number }>;
  results(query?: OfClientOrCheck): Promise<StoredResult[]>;
  result(client: string, check: string): Promise<StoredResult | undefined>;
  submitResult(result: SubmittedResult): Promise<{ issued: number }>;
  /** Up to `BATCH_MAX` at once; a rejected one does not hold up the others. */
  submitResults(results: readonly SubmittedResult[]): Promise<BatchAnswer>;
  /** With its history; its event stays. */
  deleteResult(client: string, check: string): Promise<boolean>;
  /** Entries that name this check, that name exactly this subscription, or all. */
  silenced(about?: { readonly check: string } | { readonly subscription: string }): Promise<SilencedView[]>;
  silencedEntry(id: string): Promise<SilencedView | undefined>;
  /** With what they kept back: entries that name this check and exactly this subscription, where given. */
  silencedDetails(about?: {
    readonly check?: string | undefined;
    readonly subscription?: string | undefined;
  }): Promise<SilencedDetail[]>;
  silencedDetail(id: string): Promise<SilencedDetail | undefined>;
  /** What entries would have covered of late beside what they cover now; nothing is made. */
  silencePreview(request: SilencePreviewRequest): Promise<RecentProblems>;
  /** Replaces the entry with the same subscription and check. */
  silence(entry: SubmittedSilenced): Promise<void>;
  clearSilenced(target: SilencedTarget): Promise<boolean>;
  silencePolicy(): Promise<SilencePolicy>;
  /**
   * Many changes as one commit.
   *
   * @returns an outcome for each operation, in their order
   * @throws MonError `invalid` naming the operation that is wrong, or against the policy; `conflict` when all were expected
   * and one cannot be done
   */
  bulk(request: BulkRequest): Promise<readonly BulkOutcome[]>;
  clients(query?: Page): Promise<Client[]>;
  client(name: string): Promise<Client | undefined>;
  /** With all its checks. */
  clientDetail(name: string): Promise<ClientDetail | undefined>;
  /** By check; empty for an unknown client. */
  clientHistory(name: string): Promise<ClientHistory[]>;
  /** Replaces the client of that name as a whole. */
  saveClient(client: Readonly<Record<string, unknown>>): Promise<void>;
  /** @throws MonError `not_found` when there is no such client */
  deleteClient(name: string, invalidation?: Invalidation): Promise<{ issued: number }>;
  /** The clients that a search finds: how many there are, and the first of them by name. */
  findClients(search: string, limit: number): Promise<{ total: number; first: readonly string[] }>;
  /** Deletes clients that a search finds; while there are more, asking again goes on with them. */
  deleteClients(search: string): Promise<DeletedClients>;
  /** Those that the backend publishes: standalone checks are known to their clients alone. */
  checks(query?: Page): Promise<DefinedCheck[]>;
  check(name: string): Promise<DefinedCheck | undefined>;
  /** What each client says of a check, the worst first; empty for an unknown one. */
  checkResults(name: string, query?: Page): Promise<CheckOfClient[]>;
  /** Resolves its events and deletes its results of all clients; the definition stays. */
  deleteCheck(name: string): Promise<{ issued: number }>;
  /** @throws MonError `not_found` when no such check is defined */
  requestCheck(order: CheckRequestOrder): Promise<{ issued: number }>;
  /**
   * Gives results, histories and events of a check another name.
   *
   * @param isForced although the old name is still defined, and where a client has results under both names
   * @returns the number of clients whose record was moved
   * @throws MonError `conflict` when that takes force
   */
  renameCheck(name: string, to: string, isForced: boolean): Promise<{ moved: number }>;
  aggregates(query?: Page): Promise<{ name: string }[]>;
  /** All of them with their counters. */
  aggregateSummaries(query?: Page): Promise<(AggregateSummary & { name: string })[]>;
  aggregate(name: string, query?: MaxAge): Promise<AggregateSummary | undefined>;
  aggregateClients(name: string): Promise<{ name: string; checks: string[] }[] | undefined>;
  aggregateChecks(name: string): Promise<{ name: string; clients: string[] }[] | undefined>;
  aggregateResults(name: string, severity: AggregateSeverity, query?: MaxAge): Promise<AggregateResults[] | undefined>;
  /** Its members come back with their next results. */
  deleteAggregate(name: string): Promise<boolean>;
  stashes(query?: Page): Promise<StashView[]>;
  /** The content. */
  stash(path: string): Promise<Record<string, unknown> | undefined>;
  /** Replaces the stash at that path. */
  saveStash(stash: SubmittedStash): Promise<void>;
  deleteStash(path: string): Promise<boolean>;
  /** Records of the audit trail, the newest first, at most a thousand at once. */
  audit(query?: AuditQuery): Promise<AuditRecord[]>;
  auditHead(): Promise<AuditHead>;
  overview(): Promise<Overview>;
  /** Those that the credentials may see, by name. */
  namespaces(): Promise<{ name: string }[]>;
  /** By name. */
  handlers(): Promise<HandlerStatus[]>;
  /** Runs of handlers that failed for good, in the order in which they failed. */
  deadLetters(about?: { readonly handler?: string }): Promise<DeadLetterSummary[]>;
  /** With its event. */
  deadLetter(id: number): Promise<(DeadLetterSummary & { readonly event: Record<string, unknown> }) | undefined>;
  /** @throws MonError `not_found` when there is none of this id */
  retryDeadLetters(which: { readonly id: number } | DeadLetterSelection): Promise<{ retried: number }>;
  dropDeadLetter(id: number): Promise<boolean>;
  dropDeadLetters(which: DeadLetterSelection): Promise<{ dropped: number }>;
  info(): Promise<BackendInfo>;
  /** What runs where, and what the store holds. */
  versions(): Promise<Versions>;
  /** The configuration in force, without secrets. */
  settings(): Promise<Record<string, unknown>>;
  /** @param limits fewest consumers and most waiting messages that count as healthy */
  health(limits?: { readonly consumers?: number; readonly messages?: number }): Promise<Health>;
  /** What the backend finds when it looks into itself. */
  deepHealth(): Promise<Health & { readonly report: Readonly<Record<string, unknown>> }>;
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
  /**
   * What everything is about that is in a namespace; `*`: lists are of all that the credentials may see, and their elements
   * say in `namespace` where they are. Stashes are in `default` alone. Default: `default`, also of backends that know no others.
   */
  readonly namespace?: string | undefined;
}

/** @throws MonError `invalid` when `backend` is no URL */
export function openApiClient(options: ApiClientOptions): ApiClient {
  const { backend, headers = {}, timeoutMs = 30_000, env, namespace } = options;
  const address = backendAddress(backend, { env, headers });
  const { url } = address;
  return apiClientOver(url, openRequester(address, timeoutMs), namespace);
}

/** The client over any way to ask, such as one that only notes what would be asked. */
export function apiClientOver(url: string, requester: Requester, namespace: string = DEFAULT_NAMESPACE): ApiClient {
  // `default` is asked for as ever: older services know nothing else.
  const isDefault = namespace === DEFAULT_NAMESPACE;
  const ask: Requester = (request) =>
    requester(isDefault ? request : { ...request, query: { ...request.query, namespace } });
  /** What the legacy API has at this path. */
  const at = (...path: readonly string[]): readonly string[] => (isDefault ? path : [...MON, ...path]);
  const get = async <Output>(path: readonly string[], schema: z.ZodType<Output>, query: Query = {}): Promise<Output> =>
    readAnswer(await ask({ method: 'GET', path, query }), schema, url);
  const find = async <Output>(
    path: readonly string[],
    schema: z.ZodType<Output>,
    query: Query = {},
  ): Promise<Output | undefined> => {
    const answer = await ask({ method: 'GET', path, query, accept: [404] });
    return answer.status === 404 ? undefined : readAnswer(answer, schema, url);
  };
  const post = async <Output>(path: readonly string[], body: unknown, schema: z.ZodType<Output>): Promise<Output> =>
    readAnswer(await ask({ method: 'POST', path, body }), schema, url);
  const { call, find: findAt } = endpointCaller(url, ask);
  const remove = async (path: readonly string[]): Promise<boolean> =>
    (await ask({ method: 'DELETE', path, accept: [404] })).status !== 404;

  const silencedDetails: ApiClient['silencedDetails'] = ({ check, subscription } = {}) =>
    call(MON_API.silenced, { query: { 'filter.check': check, 'filter.subscription': subscription } });
  const silencedDetail: ApiClient['silencedDetail'] = (id) => findAt(MON_API.silencedEntry, { path: { id } });

  return {
    url,
    events({ client, ...query } = {}) {
      if (!isDefault) {
        const whole = { whole: 'true', 'filter.client.name': client };
        return get([...MON, 'events'], z.array(eventAnswer), { ...listQuery(query), ...whole });
      }
      return get(client === undefined ? ['events'] : ['events', client], z.array(eventAnswer), listQuery(query));
    },
    event(client, check) {
      return find(at('events', client, check), eventAnswer);
    },
    explainEvent(client, check) {
      return findAt(MON_API.explainEvent, { path: { client, check } });
    },
    simulate(result) {
      return call(MON_API.simulate, { body: result });
    },
    async resolve({ client, check }) {
      if (!isDefault) {
        const path = at('events', client, check);
        return readAnswer(await ask({ method: 'DELETE', path }), issuedAnswer, url);
      }
      const answer = await ask({ method: 'POST', path: ['resolve'], body: { client, check }, accept: [404] });
      // This 404 has no body (reference 4.4).
      if (answer.status === 404) throw new MonError('not_found', `there is no event ${client}/${check}`);
      return readAnswer(answer, issuedAnswer, url);
    },
    results({ client, ...query } = {}) {
      if (!isDefault)
        return get(at('results'), z.array(resultAnswer), { ...listQuery(query), 'filter.client': client });
      return get(client === undefined ? ['results'] : ['results', client], z.array(resultAnswer), listQuery(query));
    },
    result(client, check) {
      return find(at('results', client, check), resultAnswer);
    },
    async submitResult(result) {
      if (isDefault) return post(['results'], result, issuedAnswer);
      const { rejected } = await call(MON_API.submitResults, { body: [result] });
      const [refused] = rejected;
      if (refused !== undefined) throw new MonError('invalid', refused.error);
      return { issued: Math.floor(Date.now() / 1000) };
    },
    submitResults(results) {
      return call(MON_API.submitResults, { body: results });
    },
    deleteResult(client, check) {
      return remove(at('results', client, check));
    },
    silenced(about) {
      if (!isDefault) {
        const query = about === undefined ? {} : 'check' in about ? about : { subscription: about.subscription };
        return silencedDetails(query);
      }
      if (about === undefined) return get(['silenced'], z.array(silencedAnswer));
      return 'check' in about
        ? get(['silenced', 'checks', about.check], z.array(silencedAnswer))
        : get(['silenced', 'subscriptions', about.subscription], z.array(silencedAnswer));
    },
    silencedEntry(id) {
      return isDefault ? find(['silenced', 'ids', id], silencedAnswer) : silencedDetail(id);
    },
    silencedDetails,
    silencedDetail,
    silencePreview(request) {
      return call(MON_API.silencePreview, { body: request });
    },
    async silence(entry) {
      await ask({ method: 'POST', path: at('silenced'), body: entry });
    },
    async clearSilenced(target) {
      const answer = await ask({ method: 'POST', path: at('silenced', 'clear'), body: target, accept: [404] });
      return answer.status !== 404;
    },
    silencePolicy() {
      return call(MON_API.silencePolicy);
    },
    async bulk(request) {
      return (await call(MON_API.bulk, { body: request })).results;
    },
    clients(page = {}) {
      return get(at('clients'), z.array(clientAnswer), { ...page, ...(!isDefault && { whole: 'true' }) });
    },
    async client(name) {
      if (isDefault) return find(['clients', name], clientAnswer);
      return (await findAt(MON_API.client, { path: { client: name } }))?.client;
    },
    clientDetail(name) {
      return findAt(MON_API.client, { path: { client: name } });
    },
    clientHistory(name) {
      return get(at('clients', name, 'history'), z.array(clientHistoryAnswer));
    },
    async saveClient(client) {
      await ask({ method: 'POST', path: at('clients'), body: client });
    },
    async deleteClient(name, invalidation) {
      const query = invalidation && { invalidate: 'true', invalidate_expire: invalidation.expireSeconds };
      const answer = await ask({ method: 'DELETE', path: at('clients', name), ...(query && { query }) });
      return readAnswer(answer, issuedAnswer, url);
    },
    async findClients(search, limit) {
      const answer = await ask(requestOf(MON_API.clients, { query: { q: search, limit } }));
      const { total } = readAnswer({ ...answer, body: pageOf(answer) }, z.looseObject({ total: z.number() }), url);
      return { total, first: readAnswer(answer, namesAnswer, url).map(({ name }) => name) };
    },
    deleteClients(search) {
      return call(MON_API.deleteClients, { query: { q: search } });
    },
    checks(page = {}) {
      return call(MON_API.checks, { query: { ...page } });
    },
    check(name) {
      return findAt(MON_API.check, { path: { check: name } });
    },
    checkResults(name, page = {}) {
      return call(MON_API.checkResults, { path: { check: name }, query: { ...page } });
    },
    async deleteCheck(name) {
      return readAnswer(await ask({ method: 'DELETE', path: at('checks', name) }), issuedAnswer, url);
    },
    requestCheck(order) {
      return post(at('request'), order, issuedAnswer);
    },
    renameCheck(name, to, isForced) {
      const body = { to, ...(isForced && { force: true }) };
      return call(MON_API.renameCheck, { path: { check: name }, body });
    },
    aggregates(page = {}) {
      return get(at('aggregates'), namesAnswer, { ...page });
    },
    aggregateSummaries(page = {}) {
      return call(MON_API.aggregates, { query: { ...page } });
    },
    aggregate(name, { maxAge } = {}) {
      return find(at('aggregates', name), aggregateAnswer, { max_age: maxAge });
    },
    aggregateClients(name) {
      return find(at('aggregates', name, 'clients'), aggregateClientsAnswer);
    },
    aggregateChecks(name) {
      return find(at('aggregates', name, 'checks'), aggregateChecksAnswer);
    },
    aggregateResults(name, severity, { maxAge } = {}) {
      return find(at('aggregates', name, 'results', severity), z.array(aggregateResultsAnswer), { max_age: maxAge });
    },
    deleteAggregate(name) {
      return remove(at('aggregates', name));
    },
    stashes(page = {}) {
      return get(['stashes'], z.array(stashAnswer), { ...page });
    },
    stash(path) {
      return find(['stashes', path], objectAnswer);
    },
    async saveStash(stash) {
      await ask({ method: 'POST', path: ['stashes'], body: stash });
    },
    deleteStash(path) {
      return remove(['stashes', path]);
    },
    audit({ who, action, ...query } = {}) {
      return call(MON_API.audit, { query: { ...query, 'filter.who': who, 'filter.action': action } });
    },
    auditHead() {
      return call(MON_API.auditHead);
    },
    namespaces() {
      return get(['api', 'core', 'v2', 'namespaces'], namesAnswer);
    },
    overview() {
      return call(MON_API.overview);
    },
    handlers() {
      return call(MON_API.handlers);
    },
    deadLetters({ handler } = {}) {
      return call(MON_API.deadLetters, { query: { 'filter.handler': handler } });
    },
    deadLetter(id) {
      return findAt(MON_API.deadLetter, { path: { id } });
    },
    retryDeadLetters(which) {
      return 'id' in which
        ? call(MON_API.retryDeadLetter, { path: { id: which.id }, body: {} })
        : call(MON_API.retryDeadLetters, { body: which });
    },
    dropDeadLetter(id) {
      return remove(requestOf(MON_API.dropDeadLetter, { path: { id } }).path);
    },
    dropDeadLetters(which) {
      return call(MON_API.dropDeadLetters, { body: which });
    },
    info() {
      return get(['info'], infoAnswer);
    },
    versions() {
      return call(MON_API.versions);
    },
    settings() {
      return get(['settings'], objectAnswer);
    },
    async health(limits = {}) {
      const answer = await ask({ method: 'GET', path: ['health'], query: { ...limits }, accept: [412] });
      if (answer.status !== 412) return { isHealthy: true, problems: [] };
      return { isHealthy: false, problems: readAnswer(answer, texts, url) };
    },
    async deepHealth() {
      const answer = await ask({ method: 'GET', path: ['health'], query: { deep: 1 }, accept: [412] });
      if (answer.status === 412 && Array.isArray(answer.body)) {
        return { isHealthy: false, problems: readAnswer(answer, texts, url), report: {} };
      }
      // A backend that does not know the question answers as to any other probe.
      const report = answer.body === undefined ? {} : readAnswer(answer, objectAnswer, url);
      return { isHealthy: answer.status !== 412, problems: [], report };
    },
  };
}

/** What the legacy API has no way to say or do. */
const MON = ['api', 'mon', 'v1'];

function listQuery({ check, ...page }: Omit<OfClientOrCheck, 'client'>): Query {
  return { ...page, 'filter.check.name': check };
}

/** What a list says of its page; undefined: nothing that can be read. */
function pageOf({ headers }: Answer): unknown {
  const text = headers?.['x-pagination'];
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

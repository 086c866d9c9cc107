import { z } from 'zod';
import { MON_API } from '../api/mon.ts';
import { V1_API } from '../api/v1.ts';
import { V2_API } from '../api/v2.ts';
import type { Severity } from '../domain/severity.ts';
import { MonError } from '../errors.ts';
import { namesAnswer, objectAnswer, texts } from '../schemas/answer.ts';
import type { BulkRequest } from '../schemas/bulk.ts';
import type { Client } from '../schemas/client.ts';
import type { DeadLetterSelection } from '../schemas/dead-letter.ts';
import type { HandlerTestRequest } from '../schemas/handler-test.ts';
import type { Event } from '../schemas/event.ts';
import { eventRowSchema, type EventRow } from '../schemas/feed.ts';
import type { HoldRequest, ReleaseRequest } from '../schemas/maintenance.ts';
import { DEFAULT_NAMESPACE } from '../schemas/namespace.ts';
import type { StoredResult, SubmittedResult } from '../schemas/result.ts';
import type { SilencePreviewRequest } from '../schemas/silence-preview.ts';
import type { SilencedView, SubmittedMonSilenced } from '../schemas/silenced.ts';
import type { CredentialsEnv } from './backend-address.ts';
import { backendAddress } from './local-access.ts';
import { endpointCaller, requestOf } from './call-endpoint.ts';
import { openRequester, readAnswer, type Answer, type Requester } from './request.ts';

/** The results or events of one client, of one check, or of both. */
export interface OfClientOrCheck extends PageOptions {
  readonly client?: string;
  readonly check?: string;
}

/** A page of a list; without `limit` the whole list. */
export interface PageOptions {
  readonly limit?: number;
  readonly offset?: number;
}

export interface CheckOnClient {
  readonly client: string;
  readonly check: string;
}

/** A silence, by its id or by the parts that form its id; a missing part means all. */
export type SilenceReference = { readonly id: string } | { readonly check?: string; readonly subscription?: string };

/** The parts by which silences are selected. */
interface SilencedOf {
  readonly check?: string | undefined;
  readonly subscription?: string | undefined;
}

/** A request to run a check now, outside its schedule. */
export interface CheckRequestOrder {
  readonly check: string;
  /** Default: the subscribers of the definition. */
  readonly subscribers?: readonly string[];
  readonly reason?: string;
  readonly creator?: string;
}

/** Prevents a deleted client from being recreated; without `expireSeconds` only until its deletion is complete. */
export interface InvalidationOptions {
  readonly expireSeconds?: number;
}

/** Seconds after which a result counts as stale. */
export interface MaxAge {
  readonly maxAge?: number;
}

export interface SubmittedStash {
  readonly path: string;
  readonly content: Readonly<Record<string, unknown>>;
  /** Seconds; default: unlimited. */
  readonly expire?: number;
}

/** A query for audit records; all conditions must match. */
export interface AuditQuery extends PageOptions {
  /** Start, epoch milliseconds. */
  readonly since?: number;
  /** Only records with a greater id. */
  readonly after?: number;
  /** Only records with a smaller id. */
  readonly before?: number;
  readonly who?: string;
  readonly action?: string;
}

/** A span of the past, in epoch milliseconds. */
interface PastSpan {
  readonly since?: number;
  readonly until?: number;
  readonly limit?: number;
}

/** A query for transitions; all conditions must match. */
export interface TimelineQuery extends PastSpan {
  readonly client?: string;
  readonly check?: string;
  /** A search in the search language. */
  readonly q?: string;
  /** The value of `next` from the previous page. */
  readonly after?: number;
}

/** A query for the availability of checks. */
export interface AvailabilityQuery extends PastSpan {
  readonly client?: string;
  readonly check?: string;
  readonly aggregate?: string;
}

/** A query for the lists at a past moment, in epoch milliseconds. */
export interface PastQuery {
  readonly at: number;
  readonly limit?: number;
  readonly offset?: number;
  /** If present, the response includes this list too. */
  readonly silenced?: '';
  readonly clients?: '';
}

export interface Health {
  readonly isHealthy: boolean;
  /** One sentence for each problem. */
  readonly problems: readonly string[];
}

export interface ApiClientOptions {
  /** `http://host:port`, optionally with `user:password@` before the host. */
  readonly backend: string;
  /** Headers sent with every request; they override those of the credentials. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Timeout of a whole request with its response. Default: 30,000. */
  readonly timeoutMs?: number;
  /** Variables with credentials that are not in the URL. Default: the process environment. */
  readonly env?: CredentialsEnv;
  /**
   * The namespace of all requests. With `*` lists cover all namespaces that the credentials may read, and their items
   * have a `namespace`. Default: `default`, also for backends without namespaces.
   */
  readonly namespace?: string | undefined;
}

/** @throws MonError `invalid` if `backend` is not a URL */
export function openApiClient(options: ApiClientOptions): ApiClient {
  const { backend, headers = {}, timeoutMs = 30_000, env, namespace } = options;
  const address = backendAddress(backend, { env, headers });
  const { url } = address;
  return apiClientOver(url, openRequester(address, timeoutMs), namespace);
}

function clientOver(url: string, requester: Requester, namespace: string = DEFAULT_NAMESPACE) {
  // Omitted for `default`, because older backends have no such parameter.
  const isDefault = namespace === DEFAULT_NAMESPACE;
  const ask: Requester = (request) =>
    requester(isDefault ? request : { ...request, query: { ...request.query, namespace } });
  const { call, find, carryOut, isThere } = endpointCaller(url, ask);
  /** Endpoints that both APIs have. */
  const own = isDefault ? V1_API : MON_API;

  const silencedDetails = ({ check, subscription }: SilencedOf = {}) =>
    call(MON_API.silenced, { query: { 'filter.check': check, 'filter.subscription': subscription } });
  const silencedDetail = (id: string) => find(MON_API.silencedEntry, { path: { id } });

  return {
    /** The URL of the backend, without credentials. */
    url,
    /** Returns events ordered by client, then check. */
    events({ client, check, ...page }: OfClientOrCheck = {}): Promise<Event[]> {
      const query = { ...page, 'filter.check.name': check };
      if (client !== undefined && isDefault) return call(V1_API.eventsOfClient, { path: { client }, query });
      if (isDefault) return call(V1_API.events, { query });
      return call(FULL_EVENTS, { query: { ...query, full: 'true', 'filter.client.name': client } });
    },
    /** Returns the recovering events as table rows; none from a backend without this feature. */
    async recovering(): Promise<EventRow[]> {
      try {
        return (await find(RECOVERING_EVENTS, { query: { q: 'recovering' } })) ?? [];
      } catch (error) {
        // The backend does not know the search field.
        if (error instanceof MonError && error.code === 'invalid') return [];
        throw error;
      }
    },
    event: (client: string, check: string) => find(own.event, { path: { client, check } }),
    /** Explains how each handler treats an event, and why; undefined if there is neither an event nor a result. */
    explainEvent: (client: string, check: string) => find(MON_API.explainEvent, { path: { client, check } }),
    /** Returns what a result would do, without changing anything. */
    simulate: (result: SubmittedResult) => call(MON_API.simulate, { body: result }),
    /** @throws MonError `not_found` if there is no such event */
    async resolve({ client, check }: CheckOnClient): Promise<{ issued: number }> {
      if (!isDefault) return call(MON_API.resolveEvent, { path: { client, check } });
      const issued = await find(V1_API.resolve, { body: { client, check } });
      // This 404 has no body (reference 4.4).
      if (issued === undefined) throw new MonError('not_found', `there is no event ${client}/${check}`);
      return issued;
    },
    results({ client, check, ...page }: OfClientOrCheck = {}): Promise<StoredResult[]> {
      const query = { ...page, 'filter.check.name': check };
      if (client !== undefined && isDefault) return call(V1_API.resultsOfClient, { path: { client }, query });
      return call(own.results, { query: { ...query, 'filter.client': client } });
    },
    result: (client: string, check: string) => find(own.result, { path: { client, check } }),
    async submitResult(result: SubmittedResult): Promise<{ issued: number }> {
      if (isDefault) return call(V1_API.submitResult, { body: result });
      const { rejected } = await call(MON_API.submitResults, { body: [result] });
      const [refused] = rejected;
      if (refused !== undefined) throw new MonError('invalid', refused.error);
      return { issued: Math.floor(Date.now() / 1000) };
    },
    /** Submits up to `BATCH_MAX` results at once; a rejected one does not affect the others. */
    submitResults: (results: readonly SubmittedResult[]) => call(MON_API.submitResults, { body: results }),
    /** Deletes a result with its history; its event stays. */
    deleteResult: (client: string, check: string) => isThere(own.deleteResult, { path: { client, check } }),
    /** Returns silences that name this check or exactly this subscription, or all silences. */
    silenced(which?: { readonly check: string } | { readonly subscription: string }): Promise<SilencedView[]> {
      if (!isDefault) return silencedDetails(which);
      if (which === undefined) return call(V1_API.silenced);
      return 'check' in which
        ? call(V1_API.silencedOfCheck, { path: which })
        : call(V1_API.silencedOfSubscription, { path: which });
    },
    silencedEntry: (id: string): Promise<SilencedView | undefined> =>
      isDefault ? find(V1_API.silencedEntry, { path: { id } }) : silencedDetail(id),
    /** Returns silences with their counts of suppressed notifications, filtered by check and subscription. */
    silencedDetails,
    silencedDetail,
    /**
     * Returns the events that silences would cover now, and those they would have covered recently. Nothing is created.
     */
    silencePreview: (request: SilencePreviewRequest) => call(MON_API.silencePreview, { body: request }),
    /** Creates a silence, or replaces the one with the same subscription and check. */
    // The v1 API supports neither selectors nor recurrence.
    silence: (entry: SubmittedMonSilenced) =>
      typeof entry.selector === 'string' || entry.recurrence
        ? carryOut(MON_API.silence, { body: entry })
        : carryOut(own.silence, { body: entry }),
    clearSilenced: (target: SilenceReference) => isThere(own.clearSilenced, { body: target }),
    /**
     * Holds a silence as long as it is renewed. @throws MonError `conflict` if another silence exists on the same
     * target
     */
    holdSilence: (hold: HoldRequest) => carryOut(MON_API.holdSilence, { body: hold }),
    releaseSilence: (hold: ReleaseRequest) => isThere(MON_API.releaseSilence, { body: hold }),
    silencePolicy: () => call(MON_API.silencePolicy),
    /**
     * Executes many changes in one commit.
     *
     * @returns an outcome for each operation, in their order
     * @throws MonError `invalid` naming the operation that is invalid or violates the policy; `conflict` if all were
     *   expected and one cannot be executed
     */
    bulk: async (request: BulkRequest) => (await call(MON_API.bulk, { body: request })).results,
    clients: (page: PageOptions = {}): Promise<Client[]> =>
      isDefault
        ? call(V1_API.clients, { query: { ...page } })
        : call(FULL_CLIENTS, { query: { ...page, full: 'true' } }),
    async client(name: string): Promise<Client | undefined> {
      if (isDefault) return find(V1_API.client, { path: { client: name } });
      return (await find(MON_API.client, { path: { client: name } }))?.client;
    },
    /** Returns a client with all its checks. */
    clientDetail: (name: string) => find(MON_API.client, { path: { client: name } }),
    /** Returns the history by check; empty for an unknown client. */
    clientHistory: (name: string) => call(own.clientHistory, { path: { client: name } }),
    /** Replaces the client of that name completely. */
    saveClient: (client: Readonly<Record<string, unknown>>) => carryOut(own.saveClient, { body: client }),
    /** @throws MonError `not_found` if there is no such client */
    deleteClient(name: string, invalidation?: InvalidationOptions): Promise<{ issued: number }> {
      const query = invalidation && { invalidate: 'true', invalidate_expire: invalidation.expireSeconds };
      return call(own.deleteClient, { path: { client: name }, ...(query && { query }) });
    },
    /** Returns the number of clients that match a search, and the first names in order. */
    async findClients(search: string, limit: number): Promise<{ total: number; first: readonly string[] }> {
      const answer = await ask(requestOf(MON_API.clients, { query: { q: search, limit } }));
      const { total } = readAnswer({ ...answer, body: pageOf(answer) }, z.looseObject({ total: z.number() }), url);
      return { total, first: readAnswer(answer, namesAnswer, url).map(({ name }) => name) };
    },
    /** Deletes clients that match a search. If more remain, another call continues. */
    deleteClients: (search: string) => call(MON_API.deleteClients, { query: { q: search } }),
    /** Returns the checks that the backend publishes; standalone checks are known only to their clients. */
    checks: (page: PageOptions = {}) => call(MON_API.checks, { query: { ...page } }),
    check: (name: string) => find(MON_API.check, { path: { check: name } }),
    /** Returns the results of a check by client, the worst first; empty for an unknown check. */
    checkResults: (name: string, page: PageOptions = {}) =>
      call(MON_API.checkResults, { path: { check: name }, query: { ...page } }),
    /** Resolves the events of a check and deletes its results on all clients; the definition stays. */
    deleteCheck: (name: string) => call(own.deleteCheck, { path: { check: name } }),
    /** @throws MonError `not_found` if no such check is defined */
    requestCheck: (order: CheckRequestOrder) => call(own.requestCheck, { body: order }),
    /**
     * Renames a check in results, histories and events.
     *
     * @param isForced also if the old name is still defined, or a client has results under both names
     * @returns the number of clients whose record was moved
     * @throws MonError `conflict` if force is required
     */
    renameCheck: (name: string, to: string, isForced: boolean) =>
      call(MON_API.renameCheck, { path: { check: name }, body: { to, ...(isForced && { force: true }) } }),
    aggregates: (page: PageOptions = {}): Promise<{ name: string }[]> => call(own.aggregates, { query: { ...page } }),
    /** Returns the verdicts of the rules of an aggregate; none from a backend without such rules. */
    aggregateRules: async (name: string) => (await find(MON_API.aggregate, { path: { aggregate: name } }))?.rules ?? [],
    /** Returns all aggregates with their counts. */
    aggregateSummaries: (page: PageOptions = {}) => call(MON_API.aggregates, { query: { ...page } }),
    aggregate: (name: string, { maxAge }: MaxAge = {}) =>
      find(own.aggregate, { path: { aggregate: name }, query: { max_age: maxAge } }),
    aggregateClients: (name: string) => find(own.aggregateClients, { path: { aggregate: name } }),
    aggregateChecks: (name: string) => find(own.aggregateChecks, { path: { aggregate: name } }),
    aggregateResults: (name: string, severity: Severity, { maxAge }: MaxAge = {}) =>
      find(own.aggregateResults, { path: { aggregate: name, severity }, query: { max_age: maxAge } }),
    /** Deletes an aggregate; its members return with their next results. */
    deleteAggregate: (name: string) => isThere(own.deleteAggregate, { path: { aggregate: name } }),
    stashes: (page: PageOptions = {}) => call(own.stashes, { query: { ...page } }),
    /** Returns the content of a stash. */
    stash: (path: string) => find(own.stash, { path: { path, '*': path } }),
    /** Creates or replaces the stash at that path. */
    saveStash: (stash: SubmittedStash) => carryOut(own.saveStash, { body: stash }),
    deleteStash: (path: string) => isThere(own.deleteStash, { path: { path, '*': path } }),
    /** Returns audit records, newest first, at most a thousand at once. */
    audit: ({ who, action, ...query }: AuditQuery = {}) =>
      call(MON_API.audit, { query: { ...query, 'filter.who': who, 'filter.action': action } }),
    auditHead: () => call(MON_API.auditHead),
    /** Returns the current groups of events of all handlers. */
    handlerGroups: () => call(MON_API.handlerGroups),
    /** Returns the inhibition rules. */
    inhibitions: () => call(MON_API.inhibitions),
    /** Returns transitions of checks and silences, newest first. */
    timeline: (query: TimelineQuery = {}) => call(MON_API.timeline, { query: { ...query } }),
    /** Returns the history of one check; default span: the last day. */
    checkPast: ({ client, check }: CheckOnClient, query: Omit<PastSpan, 'limit'> = {}) =>
      call(MON_API.checkPast, { path: { client, check }, query: { ...query } }),
    /** Returns the availability of checks, the worst first. */
    availability: (query: AvailabilityQuery) => call(MON_API.availability, { query: { ...query } }),
    /** Returns the handover report. */
    report: (query: PastSpan = {}) => call(MON_API.report, { query: { ...query } }),
    /** Returns a page of the lists at a past moment. */
    pastState: (query: PastQuery) => call(MON_API.pastState, { query: { ...query } }),
    /** Returns the differences between two moments; undefined from a backend without this feature. */
    pastChanges: (query: { readonly from: number; readonly at: number }) =>
      find(MON_API.pastChanges, { query: { ...query } }),
    overview: () => call(MON_API.overview),
    /** Returns the namespaces that the credentials may read, by name. */
    async namespaces(): Promise<{ name: string }[]> {
      return readAnswer(await ask(requestOf(V2_API.namespaces.listAll)), namesAnswer, url);
    },
    /** Returns handlers by name. */
    handlers: () => call(MON_API.handlers),
    /** @throws MonError `not_found` if there is no such handler, or no such event */
    testHandler: (handler: string, body: HandlerTestRequest) => call(MON_API.testHandler, { path: { handler }, body }),
    /** Returns dead letters, in the order in which they failed. */
    deadLetters: ({ handler }: { readonly handler?: string } = {}) =>
      call(MON_API.deadLetters, { query: { 'filter.handler': handler } }),
    /** Returns a dead letter with its event. */
    deadLetter: (id: number) => find(MON_API.deadLetter, { path: { id } }),
    /** @throws MonError `not_found` if there is no dead letter of this id */
    retryDeadLetters: (which: { readonly id: number } | DeadLetterSelection) =>
      'id' in which
        ? call(MON_API.retryDeadLetter, { path: { id: which.id }, body: {} })
        : call(MON_API.retryDeadLetters, { body: which }),
    dropDeadLetter: (id: number) => isThere(MON_API.dropDeadLetter, { path: { id } }),
    dropDeadLetters: (which: DeadLetterSelection) => call(MON_API.dropDeadLetters, { body: which }),
    info: () => call(V1_API.info),
    /** Returns the versions of backend and agents, and the contents of the store. */
    versions: () => call(MON_API.versions),
    /** Returns the identity and rights of the credentials. */
    access: () => call(MON_API.access),
    /** Returns the cluster; undefined from a backend whose version does not support clusters. */
    cluster: () => find(MON_API.cluster),
    /**
     * Hands the leader role over to another member, and waits until that member is leader.
     *
     * @param to id or name of the member; default: any other one
     */
    handOver: (to?: string) => call(MON_API.handOver, { body: { to } }),
    /** Returns the effective configuration, without secrets. */
    settings: () => call(V1_API.settings),
    /** @param limits minimum consumers and maximum waiting messages that count as healthy */
    async health(limits: { readonly consumers?: number; readonly messages?: number } = {}): Promise<Health> {
      const answer = await ask({ ...requestOf(V1_API.health, { query: { ...limits } }), accept: [412] });
      if (answer.status !== 412) return { isHealthy: true, problems: [] };
      return { isHealthy: false, problems: readAnswer(answer, texts, url) };
    },
    /** Runs the deep health checks of the backend. */
    async deepHealth(): Promise<Health & { readonly report: Readonly<Record<string, unknown>> }> {
      const answer = await ask({ ...requestOf(V1_API.health, { query: { deep: 1 } }), accept: [412] });
      if (answer.status === 412 && Array.isArray(answer.body)) {
        return { isHealthy: false, problems: readAnswer(answer, texts, url), report: {} };
      }
      // An older backend ignores the parameter and responds as to any other probe.
      const report = answer.body === undefined ? {} : readAnswer(answer, objectAnswer, url);
      return { isHealthy: answer.status !== 412, problems: [], report };
    },
  };
}

/**
 * A client of a backend over HTTP. `undefined` and `false` mean that an object does not exist. Every method throws
 * MonError: with the code for the backend's status and the backend's own message, or `unavailable` if the backend could
 * not be reached.
 */
export type ApiClient = Readonly<ReturnType<typeof clientOver>>;

/** Creates the client over any requester, such as one that only records requests. */
export const apiClientOver: (...args: Parameters<typeof clientOver>) => ApiClient = clientOver;

/** Endpoints of lists of rows with which whole objects are requested. */
const FULL_EVENTS = { ...V1_API.events, path: MON_API.events.path };
const RECOVERING_EVENTS = { ...MON_API.events, answer: z.array(eventRowSchema) };
const FULL_CLIENTS = { ...V1_API.clients, path: MON_API.clients.path };

/** Returns the content of the `X-Pagination` header; undefined if it is missing or unreadable. */
function pageOf({ headers }: Answer): unknown {
  const text = headers?.['x-pagination'];
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

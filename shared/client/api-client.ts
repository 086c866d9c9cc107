import { z } from 'zod';
import { MON_API } from '../api/mon.ts';
import { V1_API } from '../api/v1.ts';
import { V2_API } from '../api/v2.ts';
import type { Severity } from '../domain/severity.ts';
import { MonError } from '../errors.ts';
import { namesResponse, objectResponse, textsSchema } from '../schemas/response.ts';
import type { newOverrideSchema, newSwapSchema } from '../schemas/on-call.ts';
import type { acknowledgeMatchingSchema, acknowledgeSchema } from '../schemas/acknowledgement.ts';
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
import { openRequester, readResponse, type ApiResponse, type Requester } from './request.ts';

/** Filters for a list of results or events: by client, by check, or by both. Without a filter, all are listed. */
export interface ClientOrCheckFilter extends PageOptions {
  readonly client?: string;
  readonly check?: string;
}

/** The page of a list to return. Without `limit`, the whole list is returned. */
export interface PageOptions {
  readonly limit?: number;
  readonly offset?: number;
}

export interface CheckOnClient {
  readonly client: string;
  readonly check: string;
}

/**
 * Identifies a silence by its id, or by the check and subscription that form its id. A missing check or subscription
 * stands for all of them.
 */
export type SilenceReference = { readonly id: string } | { readonly check?: string; readonly subscription?: string };

/** Filters for a list of silences: by check, by subscription, or by both. */
interface SilenceFilter {
  readonly check?: string | undefined;
  readonly subscription?: string | undefined;
}

/** A request to run a check now, outside its schedule. */
export interface CheckRequestOrder {
  readonly check: string;
  /** Subscriptions whose clients run the check. Default: the subscribers in the check definition. */
  readonly subscribers?: readonly string[];
  readonly reason?: string;
  readonly creator?: string;
}

/**
 * Options for deleting a client. During the `expireSeconds` after the deletion, all data of the client is rejected.
 * Without `expireSeconds`, the client's next keepalive can create the client again.
 */
export interface InvalidationOptions {
  readonly expireSeconds?: number;
}

/** Maximum age of a result in seconds. An older result counts as stale. */
export interface MaxAge {
  readonly maxAge?: number;
}

export interface SubmittedStash {
  readonly path: string;
  readonly content: Readonly<Record<string, unknown>>;
  /** Time to live in seconds. Default: unlimited. */
  readonly expire?: number;
}

/** A query for audit records; all conditions must match. */
export interface AuditQuery extends PageOptions {
  /** Start of the time range, in epoch milliseconds. */
  readonly since?: number;
  /** Only records whose id is greater than this one. */
  readonly after?: number;
  /** Only records whose id is smaller than this one. */
  readonly before?: number;
  readonly who?: string;
  readonly action?: string;
}

/** A time range in the past (epoch milliseconds), and the maximum number of items to return. */
interface PastSpan {
  readonly since?: number;
  readonly until?: number;
  readonly limit?: number;
}

/** A query for transitions; all conditions must match. */
export interface TimelineQuery extends PastSpan {
  readonly client?: string;
  readonly check?: string;
  /** A search that selects transitions, in the search language of `mon`. */
  readonly q?: string;
  /** Cursor: the `next` of the previous page. Absent for the first page. */
  readonly after?: number;
}

/** A query for the availability of checks. */
export interface AvailabilityQuery extends PastSpan {
  readonly client?: string;
  readonly check?: string;
  readonly aggregate?: string;
}

/** A query for the events, and optionally the silences and clients, at a past moment. `at` is in epoch milliseconds. */
export interface PastQuery {
  readonly at: number;
  readonly limit?: number;
  readonly offset?: number;
  /** If `silenced` is present, the response includes the silences. If `clients` is present, it includes the clients. */
  readonly silenced?: '';
  readonly clients?: '';
}

export interface Health {
  readonly isHealthy: boolean;
  /** One sentence per problem. */
  readonly problems: readonly string[];
}

export interface ApiClientOptions {
  /** `http://host:port`, optionally with `user:password@` before the host. */
  readonly backend: string;
  /** Headers sent with every request; they override those of the credentials. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Timeout for sending a request and receiving the whole response, in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number;
  /** Environment variables from which credentials are read if the URL has none. Default: `process.env`. */
  readonly env?: CredentialsEnv;
  /**
   * The namespace of all requests. With `*`, lists contain the items of all namespaces that the credentials may read,
   * and each item has a `namespace`. Default: `default`, which also works with a backend without namespaces.
   */
  readonly namespace?: string | undefined;
}

/**
 * Creates an API client for a backend. The client connects with its first request.
 *
 * @throws MonError `invalid` if `backend` is not a URL
 */
export function openApiClient(options: ApiClientOptions): ApiClient {
  const { backend, headers = {}, timeoutMs = 30_000, env, namespace } = options;
  const address = backendAddress(backend, { env, headers });
  const { url } = address;
  return buildApiClient(url, openRequester(address, timeoutMs), namespace);
}

function buildClient(url: string, requester: Requester, namespace: string = DEFAULT_NAMESPACE) {
  // The parameter `namespace` is omitted for `default`, because older backends do not know it.
  const isDefault = namespace === DEFAULT_NAMESPACE;
  const ask: Requester = (request) =>
    requester(isDefault ? request : { ...request, query: { ...request.query, namespace } });
  const { call, find, send: carryOut, sendIfFound: isThere } = endpointCaller(url, ask);
  /** The API for endpoints that the v1 API and the mon API both have: v1 for the namespace `default`, otherwise mon. */
  const own = isDefault ? V1_API : MON_API;

  const silencedDetails = ({ check, subscription }: SilenceFilter = {}) =>
    call(MON_API.silenced, { query: { 'filter.check': check, 'filter.subscription': subscription } });
  const silencedDetail = (id: string) => find(MON_API.silencedEntry, { path: { id } });

  return {
    /** The URL of the backend, without credentials. */
    url,
    /** Returns events ordered by client, then check. */
    events({ client, check, ...page }: ClientOrCheckFilter = {}): Promise<Event[]> {
      const query = { ...page, 'filter.check.name': check };
      if (client !== undefined && isDefault) return call(V1_API.eventsOfClient, { path: { client }, query });
      if (isDefault) return call(V1_API.events, { query });
      return call(FULL_EVENTS, { query: { ...query, full: 'true', 'filter.client.name': client } });
    },
    /** Returns the events that match a search, as table rows. */
    searchEvents: (search: string): Promise<EventRow[]> => call(EVENT_ROWS, { query: { q: search } }),
    /**
     * Returns the events that are recovering or have escalated, as table rows. The v1 API does not show these states.
     * The list is empty if the backend does not support recovery.
     */
    async recoveringOrEscalated(): Promise<EventRow[]> {
      try {
        return (await find(EVENT_ROWS, { query: { q: 'recovering or escalation~*' } })) ?? [];
      } catch (error) {
        // An older backend does not know the search field `recovering`.
        if (error instanceof MonError && error.code === 'invalid') return [];
        throw error;
      }
    },
    event: (client: string, check: string) => find(own.event, { path: { client, check } }),
    /**
     * Explains for each handler why it runs or does not run for an event; undefined if there is neither an event nor a
     * result.
     */
    explainEvent: (client: string, check: string) => find(MON_API.explainEvent, { path: { client, check } }),
    /** Returns the effects that a result would have, without submitting the result. */
    simulate: (result: SubmittedResult) => call(MON_API.simulate, { body: result }),
    /**
     * Resolves an event.
     *
     * @throws MonError `not_found` if there is no such event
     */
    async resolve({ client, check }: CheckOnClient): Promise<{ issued: number }> {
      if (!isDefault) return call(MON_API.resolveEvent, { path: { client, check } });
      const issued = await find(V1_API.resolve, { body: { client, check } });
      // The v1 API sends this 404 without a body (reference 4.4).
      if (issued === undefined) throw new MonError('not_found', `there is no event ${client}/${check}`);
      return issued;
    },
    results({ client, check, ...page }: ClientOrCheckFilter = {}): Promise<StoredResult[]> {
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
    /** Submits up to `BATCH_MAX` results at once. A rejected result does not affect the others. */
    submitResults: (results: readonly SubmittedResult[]) => call(MON_API.submitResults, { body: results }),
    /** Deletes a result and its history. An open event of the check stays open. */
    deleteResult: (client: string, check: string) => isThere(own.deleteResult, { path: { client, check } }),
    /**
     * Returns the silences whose target has exactly this check or this subscription. Without a parameter, returns all
     * silences.
     */
    silenced(which?: { readonly check: string } | { readonly subscription: string }): Promise<SilencedView[]> {
      if (!isDefault) return silencedDetails(which);
      if (which === undefined) return call(V1_API.silenced);
      return 'check' in which
        ? call(V1_API.silencedOfCheck, { path: which })
        : call(V1_API.silencedOfSubscription, { path: which });
    },
    silencedEntry: (id: string): Promise<SilencedView | undefined> =>
      isDefault ? find(V1_API.silencedEntry, { path: { id } }) : silencedDetail(id),
    /**
     * Returns silences, filtered by check and subscription, with the number of notifications that each one suppressed.
     */
    silencedDetails,
    silencedDetail,
    /**
     * Returns the events that the requested silences would silence now or would have silenced recently. It creates no
     * silence.
     */
    silencePreview: (request: SilencePreviewRequest) => call(MON_API.silencePreview, { body: request }),
    /** Creates a silence, or replaces the one with the same subscription and check. */
    // The v1 API supports neither selectors nor recurrence, so such a silence goes to the mon API.
    silence: (entry: SubmittedMonSilenced) =>
      typeof entry.selector === 'string' || entry.recurrence
        ? carryOut(MON_API.silence, { body: entry })
        : carryOut(own.silence, { body: entry }),
    clearSilenced: (target: SilenceReference) => isThere(own.clearSilenced, { body: target }),
    /**
     * Creates a maintenance silence that ends unless it is renewed, or renews it.
     *
     * @throws MonError `conflict` if another silence has the same target
     */
    holdSilence: (hold: HoldRequest) => carryOut(MON_API.holdSilence, { body: hold }),
    releaseSilence: (hold: ReleaseRequest) => isThere(MON_API.releaseSilence, { body: hold }),
    silencePolicy: () => call(MON_API.silencePolicy),
    acknowledge: (body: z.input<typeof acknowledgeSchema>) => call(MON_API.acknowledge, { body }),
    /** Acknowledges all open events that match a search now. */
    acknowledgeMatching: (body: z.input<typeof acknowledgeMatchingSchema>) =>
      call(MON_API.acknowledgeMatching, { body }),
    /** Removes the acknowledgement of an event; false if there is none. */
    unacknowledge: (client: string, check: string) => isThere(MON_API.unacknowledge, { path: { client, check } }),
    /**
     * Applies many changes in one commit.
     *
     * @returns the outcome of each operation, in the order of the request
     * @throws MonError `invalid` if an operation is invalid or violates the silence policy; `conflict` if the request
     *   expects all operations to succeed and one cannot. The message names that operation.
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
    /** Returns a client with all its checks; undefined if there is no such client. */
    clientDetail: (name: string) => find(MON_API.client, { path: { client: name } }),
    /** Returns the recent statuses of each check of a client; an empty list for an unknown client. */
    clientHistory: (name: string) => call(own.clientHistory, { path: { client: name } }),
    /** Creates a client, or replaces all attributes of the client with this name. */
    saveClient: (client: Readonly<Record<string, unknown>>) => carryOut(own.saveClient, { body: client }),
    /**
     * Deletes a client with its results, and resolves its events.
     *
     * @throws MonError `not_found` if there is no such client
     */
    deleteClient(name: string, invalidation?: InvalidationOptions): Promise<{ issued: number }> {
      const query = invalidation && { invalidate: 'true', invalidate_expire: invalidation.expireSeconds };
      return call(own.deleteClient, { path: { client: name }, ...(query && { query }) });
    },
    /** Returns the number of clients that match a search, and the first `limit` of their names. */
    async findClients(search: string, limit: number): Promise<{ total: number; first: readonly string[] }> {
      const answer = await ask(requestOf(MON_API.clients, { query: { q: search, limit } }));
      const { total } = readResponse({ ...answer, body: pageOf(answer) }, z.looseObject({ total: z.number() }), url);
      return { total, first: readResponse(answer, namesResponse, url).map(({ name }) => name) };
    },
    /** Deletes clients that match a search, up to a maximum per call. If the response has `more`, call it again. */
    deleteClients: (search: string) => call(MON_API.deleteClients, { query: { q: search } }),
    /**
     * Returns the checks that are defined on the backend. Standalone checks are defined only on their clients, so they
     * are not listed.
     */
    checks: (page: PageOptions = {}) => call(MON_API.checks, { query: { ...page } }),
    check: (name: string) => find(MON_API.check, { path: { check: name } }),
    /** Returns the last result of a check on each client, the worst first; an empty list for an unknown check. */
    checkResults: (name: string, page: PageOptions = {}) =>
      call(MON_API.checkResults, { path: { check: name }, query: { ...page } }),
    /** Resolves the events of a check and deletes its results on all clients. The check definition stays. */
    deleteCheck: (name: string) => call(own.deleteCheck, { path: { check: name } }),
    /**
     * Requests a run of a check on the clients with its subscriptions.
     *
     * @throws MonError `not_found` if no such check is defined
     */
    requestCheck: (order: CheckRequestOrder) => call(own.requestCheck, { body: order }),
    /**
     * Renames a check in results, histories and events.
     *
     * @param isForced true to rename even if the old name is still defined, or a client has results under both names
     * @returns the number of clients on which the check was renamed
     * @throws MonError `conflict` if the rename requires `isForced`
     */
    renameCheck: (name: string, to: string, isForced: boolean) =>
      call(MON_API.renameCheck, { path: { check: name }, body: { to, ...(isForced && { force: true }) } }),
    aggregates: (page: PageOptions = {}): Promise<{ name: string }[]> => call(own.aggregates, { query: { ...page } }),
    /**
     * Returns the current status of each rule of an aggregate; an empty list if the backend does not support aggregate
     * rules.
     */
    aggregateRules: async (name: string) => (await find(MON_API.aggregate, { path: { aggregate: name } }))?.rules ?? [],
    /** Returns all aggregates with their counts. */
    aggregateSummaries: (page: PageOptions = {}) => call(MON_API.aggregates, { query: { ...page } }),
    aggregate: (name: string, { maxAge }: MaxAge = {}) =>
      find(own.aggregate, { path: { aggregate: name }, query: { max_age: maxAge } }),
    aggregateClients: (name: string) => find(own.aggregateClients, { path: { aggregate: name } }),
    aggregateChecks: (name: string) => find(own.aggregateChecks, { path: { aggregate: name } }),
    aggregateResults: (name: string, severity: Severity, { maxAge }: MaxAge = {}) =>
      find(own.aggregateResults, { path: { aggregate: name, severity }, query: { max_age: maxAge } }),
    /** Deletes an aggregate. It is created again by the next result that names it. */
    deleteAggregate: (name: string) => isThere(own.deleteAggregate, { path: { aggregate: name } }),
    /**
     * Returns the schedules with the person on call.
     *
     * @param atMs epoch milliseconds; default: now
     * @param days number of days of shifts and gaps; default: none
     */
    schedules: (atMs?: number, days?: number) => call(MON_API.schedules, { query: { at: atMs, days } }),
    schedule: (name: string, days?: number) => call(MON_API.schedule, { path: { schedule: name }, query: { days } }),
    createOverride: (schedule: string, body: z.input<typeof newOverrideSchema>) =>
      call(MON_API.createOverride, { path: { schedule }, body }),
    /** Exchanges a shift of two people by two overrides. */
    swapShifts: (schedule: string, body: z.input<typeof newSwapSchema>) =>
      call(MON_API.swapShifts, { path: { schedule }, body }),
    /** Deletes an override of a schedule; false if there is none. */
    deleteOverride: (schedule: string, id: string) => isThere(MON_API.deleteOverride, { path: { schedule, id } }),
    stashes: (page: PageOptions = {}) => call(own.stashes, { query: { ...page } }),
    /** Returns the content of a stash. */
    stash: (path: string) => find(own.stash, { path: { path, '*': path } }),
    /** Creates or replaces the stash with this path. */
    saveStash: (stash: SubmittedStash) => carryOut(own.saveStash, { body: stash }),
    deleteStash: (path: string) => isThere(own.deleteStash, { path: { path, '*': path } }),
    /** Returns audit records, newest first, at most 1,000 per call. */
    audit: ({ who, action, ...query }: AuditQuery = {}) =>
      call(MON_API.audit, { query: { ...query, 'filter.who': who, 'filter.action': action } }),
    auditHead: () => call(MON_API.auditHead),
    /** Returns the current groups of events of all handlers with `group_by`. */
    handlerGroups: () => call(MON_API.handlerGroups),
    /** Returns the inhibition rules. */
    inhibitions: () => call(MON_API.inhibitions),
    /** Returns transitions of checks and silences, newest first. */
    timeline: (query: TimelineQuery = {}) => call(MON_API.timeline, { query: { ...query } }),
    /** Returns the history of one check in a time range; default: the last day. */
    checkPast: ({ client, check }: CheckOnClient, query: Omit<PastSpan, 'limit'> = {}) =>
      call(MON_API.checkPast, { path: { client, check }, query: { ...query } }),
    /** Returns the durations and metrics of a check over the last 24 hours. */
    series: ({ client, check }: CheckOnClient) => call(MON_API.series, { path: { client, check } }),
    /** Returns the availability of checks, the worst first. */
    availability: (query: AvailabilityQuery) => call(MON_API.availability, { query: { ...query } }),
    /** Returns the handover report: problems and operator actions in a time range. */
    report: (query: PastSpan = {}) => call(MON_API.report, { query: { ...query } }),
    /** Returns a page of the events at a past moment, with the silences and clients if requested. */
    pastState: (query: PastQuery) => call(MON_API.pastState, { query: { ...query } }),
    /**
     * Returns the differences in events, silences and clients between two moments; undefined if the backend does not
     * support this.
     */
    pastChanges: (query: { readonly from: number; readonly at: number }) =>
      find(MON_API.pastChanges, { query: { ...query } }),
    overview: () => call(MON_API.overview),
    /** Returns the namespaces that the credentials may read, sorted by name. */
    async namespaces(): Promise<{ name: string }[]> {
      return readResponse(await ask(requestOf(V2_API.namespaces.listAll)), namesResponse, url);
    },
    /** Returns the handlers and their delivery status, sorted by name. */
    handlers: () => call(MON_API.handlers),
    /**
     * Sends a test event to a handler, or returns what would be sent.
     *
     * @throws MonError `not_found` if there is no such handler, or no such event
     */
    testHandler: (handler: string, body: HandlerTestRequest) => call(MON_API.testHandler, { path: { handler }, body }),
    /** Returns the dead letters (failed notifications), oldest failure first. */
    deadLetters: ({ handler }: { readonly handler?: string } = {}) =>
      call(MON_API.deadLetters, { query: { 'filter.handler': handler } }),
    /** Returns a dead letter with its event; undefined if there is no such dead letter. */
    deadLetter: (id: number) => find(MON_API.deadLetter, { path: { id } }),
    /**
     * Retries one dead letter, or all dead letters of a selection.
     *
     * @throws MonError `not_found` if there is no dead letter with this id
     */
    retryDeadLetters: (which: { readonly id: number } | DeadLetterSelection) =>
      'id' in which
        ? call(MON_API.retryDeadLetter, { path: { id: which.id }, body: {} })
        : call(MON_API.retryDeadLetters, { body: which }),
    dropDeadLetter: (id: number) => isThere(MON_API.dropDeadLetter, { path: { id } }),
    dropDeadLetters: (which: DeadLetterSelection) => call(MON_API.dropDeadLetters, { body: which }),
    info: () => call(V1_API.info),
    /** Returns the versions of backend and agents, and the contents of the store. */
    versions: () => call(MON_API.versions),
    /** Returns the identity and the rights of the caller. */
    access: () => call(MON_API.access),
    /** Returns the state of the cluster and its members; undefined if the backend does not support clusters. */
    cluster: () => find(MON_API.cluster),
    /**
     * Hands the leader role over to another member, and waits until that member leads.
     *
     * @param to id or name of the next leader; default: any other member
     */
    handOver: (to?: string) => call(MON_API.handOver, { body: { to } }),
    /** Removes a lost member from the list of members. @param member id or name of the member */
    removeMember: (member: string) => call(MON_API.removeMember, { path: { id: member } }),
    /** Returns the effective configuration, without secrets. */
    settings: () => call(V1_API.settings),
    /**
     * Checks the health of the backend.
     *
     * @param limits minimum number of consumers and maximum number of waiting messages; beyond them the backend is
     *   unhealthy
     */
    async health(limits: { readonly consumers?: number; readonly messages?: number } = {}): Promise<Health> {
      const answer = await ask({ ...requestOf(V1_API.health, { query: { ...limits } }), accept: [412] });
      if (answer.status !== 412) return { isHealthy: true, problems: [] };
      return { isHealthy: false, problems: readResponse(answer, textsSchema, url) };
    },
    /** Returns the health of the backend with its detailed report; the report is empty for an older backend. */
    async deepHealth(): Promise<Health & { readonly report: Readonly<Record<string, unknown>> }> {
      const answer = await ask({ ...requestOf(V1_API.health, { query: { deep: 1 } }), accept: [412] });
      if (answer.status === 412 && Array.isArray(answer.body)) {
        return { isHealthy: false, problems: readResponse(answer, textsSchema, url), report: {} };
      }
      // An older backend ignores the parameter `deep`, so its response has no report.
      const report = answer.body === undefined ? {} : readResponse(answer, objectResponse, url);
      return { isHealthy: answer.status !== 412, problems: [], report };
    },
  };
}

/**
 * A client of a backend over HTTP. If a method returns `undefined` or `false`, the object does not exist. Every method
 * throws MonError: with the code for the backend's status and the backend's own message, or `unavailable` if the
 * backend could not be reached.
 */
export type ApiClient = Readonly<ReturnType<typeof buildClient>>;

/** Creates an API client that sends its requests with the given requester, for example one that only records them. */
export const buildApiClient: (...args: Parameters<typeof buildClient>) => ApiClient = buildClient;

/** The list of events in the mon API. With `full=true` it returns whole events instead of rows. */
const FULL_EVENTS = { ...V1_API.events, path: MON_API.events.path };
const EVENT_ROWS = { ...MON_API.events, response: z.array(eventRowSchema) };
const FULL_CLIENTS = { ...V1_API.clients, path: MON_API.clients.path };

/** Parses the header `X-Pagination`; undefined if it is missing or not JSON. */
function pageOf({ headers }: ApiResponse): unknown {
  const text = headers?.['x-pagination'];
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

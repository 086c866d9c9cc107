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

/** What silenced entries are about. */
interface SilencedOf {
  readonly check?: string | undefined;
  readonly subscription?: string | undefined;
}

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

/** A part of the past, epoch milliseconds. */
interface PastSpan {
  readonly since?: number;
  readonly until?: number;
  readonly limit?: number;
}

/** Which transitions; all conditions must hold. */
export interface TimelineQuery extends PastSpan {
  readonly client?: string;
  readonly check?: string;
  /** A search, as people type it. */
  readonly q?: string;
  /** Where the page before ended. */
  readonly after?: number;
}

/** The checks whose availability is asked for. */
export interface AvailabilityQuery extends PastSpan {
  readonly client?: string;
  readonly check?: string;
  readonly aggregate?: string;
}

/** The lists as they were at a moment, epoch milliseconds. */
export interface PastQuery {
  readonly at: number;
  readonly limit?: number;
  readonly offset?: number;
  /** Given: as well. */
  readonly silenced?: '';
  readonly clients?: '';
}

export interface Health {
  readonly isHealthy: boolean;
  /** One sentence for each thing that is wrong. */
  readonly problems: readonly string[];
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
   * say in `namespace` where they are. Default: `default`, also of backends that know no others.
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

function clientOver(url: string, requester: Requester, namespace: string = DEFAULT_NAMESPACE) {
  // `default` is asked for as ever: older services know nothing else.
  const isDefault = namespace === DEFAULT_NAMESPACE;
  const ask: Requester = (request) =>
    requester(isDefault ? request : { ...request, query: { ...request.query, namespace } });
  const { call, find, carryOut, isThere } = endpointCaller(url, ask);
  /** What both tables have. */
  const own = isDefault ? V1_API : MON_API;

  const silencedDetails = ({ check, subscription }: SilencedOf = {}) =>
    call(MON_API.silenced, { query: { 'filter.check': check, 'filter.subscription': subscription } });
  const silencedDetail = (id: string) => find(MON_API.silencedEntry, { path: { id } });

  return {
    /** Where the requests go, without credentials. */
    url,
    /** By client name, then check name. */
    events({ client, check, ...page }: OfClientOrCheck = {}): Promise<Event[]> {
      const query = { ...page, 'filter.check.name': check };
      if (client !== undefined && isDefault) return call(V1_API.eventsOfClient, { path: { client }, query });
      if (isDefault) return call(V1_API.events, { query });
      return call(WHOLE_EVENTS, { query: { ...query, full: 'true', 'filter.client.name': client } });
    },
    /** Events that wait for more OK before they end, as tables show them; none at a service that does not know that. */
    async recovering(): Promise<EventRow[]> {
      try {
        return (await find(RECOVERING_EVENTS, { query: { q: 'recovering' } })) ?? [];
      } catch (error) {
        // A search for what it does not know.
        if (error instanceof MonError && error.code === 'invalid') return [];
        throw error;
      }
    },
    event: (client: string, check: string) => find(own.event, { path: { client, check } }),
    /** What becomes of an event at each handler, and why; undefined when there is neither an event nor a result. */
    explainEvent: (client: string, check: string) => find(MON_API.explainEvent, { path: { client, check } }),
    /** What a result would do; nothing is changed. */
    simulate: (result: SubmittedResult) => call(MON_API.simulate, { body: result }),
    /** @throws MonError `not_found` when there is no such event */
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
    /** Up to `BATCH_MAX` at once; a rejected one does not hold up the others. */
    submitResults: (results: readonly SubmittedResult[]) => call(MON_API.submitResults, { body: results }),
    /** With its history; its event stays. */
    deleteResult: (client: string, check: string) => isThere(own.deleteResult, { path: { client, check } }),
    /** Entries that name this check, that name exactly this subscription, or all. */
    silenced(which?: { readonly check: string } | { readonly subscription: string }): Promise<SilencedView[]> {
      if (!isDefault) return silencedDetails(which);
      if (which === undefined) return call(V1_API.silenced);
      return 'check' in which
        ? call(V1_API.silencedOfCheck, { path: which })
        : call(V1_API.silencedOfSubscription, { path: which });
    },
    silencedEntry: (id: string): Promise<SilencedView | undefined> =>
      isDefault ? find(V1_API.silencedEntry, { path: { id } }) : silencedDetail(id),
    /** With what they kept back: entries that name this check and exactly this subscription, where given. */
    silencedDetails,
    silencedDetail,
    /** What entries would have covered of late beside what they cover now; nothing is made. */
    silencePreview: (request: SilencePreviewRequest) => call(MON_API.silencePreview, { body: request }),
    /** Replaces the entry with the same subscription and check. */
    // Older scripts and services know subscriptions and checks only, that are in force once.
    silence: (entry: SubmittedMonSilenced) =>
      typeof entry.selector === 'string' || entry.recurrence
        ? carryOut(MON_API.silence, { body: entry })
        : carryOut(own.silence, { body: entry }),
    clearSilenced: (target: SilencedTarget) => isThere(own.clearSilenced, { body: target }),
    /** For as long as it is renewed. @throws MonError `conflict`: somebody else has one there */
    holdSilence: (hold: HoldRequest) => carryOut(MON_API.holdSilence, { body: hold }),
    releaseSilence: (hold: ReleaseRequest) => isThere(MON_API.releaseSilence, { body: hold }),
    silencePolicy: () => call(MON_API.silencePolicy),
    /**
     * Many changes as one commit.
     *
     * @returns an outcome for each operation, in their order
     * @throws MonError `invalid` naming the operation that is wrong, or against the policy; `conflict` when all were expected
     * and one cannot be done
     */
    bulk: async (request: BulkRequest) => (await call(MON_API.bulk, { body: request })).results,
    clients: (page: Page = {}): Promise<Client[]> =>
      isDefault
        ? call(V1_API.clients, { query: { ...page } })
        : call(WHOLE_CLIENTS, { query: { ...page, full: 'true' } }),
    async client(name: string): Promise<Client | undefined> {
      if (isDefault) return find(V1_API.client, { path: { client: name } });
      return (await find(MON_API.client, { path: { client: name } }))?.client;
    },
    /** With all its checks. */
    clientDetail: (name: string) => find(MON_API.client, { path: { client: name } }),
    /** By check; empty for an unknown client. */
    clientHistory: (name: string) => call(own.clientHistory, { path: { client: name } }),
    /** Replaces the client of that name as a whole. */
    saveClient: (client: Readonly<Record<string, unknown>>) => carryOut(own.saveClient, { body: client }),
    /** @throws MonError `not_found` when there is no such client */
    deleteClient(name: string, invalidation?: Invalidation): Promise<{ issued: number }> {
      const query = invalidation && { invalidate: 'true', invalidate_expire: invalidation.expireSeconds };
      return call(own.deleteClient, { path: { client: name }, ...(query && { query }) });
    },
    /** The clients that a search finds: how many there are, and the first of them by name. */
    async findClients(search: string, limit: number): Promise<{ total: number; first: readonly string[] }> {
      const answer = await ask(requestOf(MON_API.clients, { query: { q: search, limit } }));
      const { total } = readAnswer({ ...answer, body: pageOf(answer) }, z.looseObject({ total: z.number() }), url);
      return { total, first: readAnswer(answer, namesAnswer, url).map(({ name }) => name) };
    },
    /** Deletes clients that a search finds; while there are more, asking again goes on with them. */
    deleteClients: (search: string) => call(MON_API.deleteClients, { query: { q: search } }),
    /** Checks that the backend publishes: standalone ones are known to their clients alone. */
    checks: (page: Page = {}) => call(MON_API.checks, { query: { ...page } }),
    check: (name: string) => find(MON_API.check, { path: { check: name } }),
    /** What each client says of a check, the worst first; empty for an unknown one. */
    checkResults: (name: string, page: Page = {}) =>
      call(MON_API.checkResults, { path: { check: name }, query: { ...page } }),
    /** Resolves its events and deletes its results of all clients; the definition stays. */
    deleteCheck: (name: string) => call(own.deleteCheck, { path: { check: name } }),
    /** @throws MonError `not_found` when no such check is defined */
    requestCheck: (order: CheckRequestOrder) => call(own.requestCheck, { body: order }),
    /**
     * Gives results, histories and events of a check another name.
     *
     * @param isForced although the old name is still defined, and where a client has results under both names
     * @returns the number of clients whose record was moved
     * @throws MonError `conflict` when that takes force
     */
    renameCheck: (name: string, to: string, isForced: boolean) =>
      call(MON_API.renameCheck, { path: { check: name }, body: { to, ...(isForced && { force: true }) } }),
    aggregates: (page: Page = {}): Promise<{ name: string }[]> => call(own.aggregates, { query: { ...page } }),
    /** All of them with their counters. */
    /** What rules say of it; none at a service that does not know them. */
    aggregateRules: async (name: string) => (await find(MON_API.aggregate, { path: { aggregate: name } }))?.rules ?? [],
    aggregateSummaries: (page: Page = {}) => call(MON_API.aggregates, { query: { ...page } }),
    aggregate: (name: string, { maxAge }: MaxAge = {}) =>
      find(own.aggregate, { path: { aggregate: name }, query: { max_age: maxAge } }),
    aggregateClients: (name: string) => find(own.aggregateClients, { path: { aggregate: name } }),
    aggregateChecks: (name: string) => find(own.aggregateChecks, { path: { aggregate: name } }),
    aggregateResults: (name: string, severity: Severity, { maxAge }: MaxAge = {}) =>
      find(own.aggregateResults, { path: { aggregate: name, severity }, query: { max_age: maxAge } }),
    /** Its members come back with their next results. */
    deleteAggregate: (name: string) => isThere(own.deleteAggregate, { path: { aggregate: name } }),
    stashes: (page: Page = {}) => call(own.stashes, { query: { ...page } }),
    /** The content. */
    stash: (path: string) => find(own.stash, { path: { path, '*': path } }),
    /** Replaces the stash at that path. */
    saveStash: (stash: SubmittedStash) => carryOut(own.saveStash, { body: stash }),
    deleteStash: (path: string) => isThere(own.deleteStash, { path: { path, '*': path } }),
    /** Records of the audit trail, the newest first, at most a thousand at once. */
    audit: ({ who, action, ...query }: AuditQuery = {}) =>
      call(MON_API.audit, { query: { ...query, 'filter.who': who, 'filter.action': action } }),
    auditHead: () => call(MON_API.auditHead),
    /** The groups of events that handlers have. */
    handlerGroups: () => call(MON_API.handlerGroups),
    /** Rules that keep events quiet. */
    inhibitions: () => call(MON_API.inhibitions),
    /** What became of checks and silences, the newest first. */
    timeline: (query: TimelineQuery = {}) => call(MON_API.timeline, { query: { ...query } }),
    /** How one check was, the last day unless told. */
    checkPast: ({ client, check }: CheckOnClient, query: Omit<PastSpan, 'limit'> = {}) =>
      call(MON_API.checkPast, { path: { client, check }, query: { ...query } }),
    /** For how long checks were well, the worst first. */
    availability: (query: AvailabilityQuery) => call(MON_API.availability, { query: { ...query } }),
    /** What there is to hand over. */
    report: (query: PastSpan = {}) => call(MON_API.report, { query: { ...query } }),
    /** A page of the lists as they were. */
    pastState: (query: PastQuery) => call(MON_API.pastState, { query: { ...query } }),
    /** What is different at a moment from another; undefined: the service does not tell. */
    pastChanges: (query: { readonly from: number; readonly at: number }) =>
      find(MON_API.pastChanges, { query: { ...query } }),
    overview: () => call(MON_API.overview),
    /** Namespaces that the credentials may see, by name. */
    async namespaces(): Promise<{ name: string }[]> {
      return readAnswer(await ask(requestOf(V2_API.namespaces.listAll)), namesAnswer, url);
    },
    /** By name. */
    handlers: () => call(MON_API.handlers),
    /** @throws MonError `not_found` when there is no such handler, or no such event */
    testHandler: (handler: string, body: HandlerTestRequest) => call(MON_API.testHandler, { path: { handler }, body }),
    /** Runs of handlers that failed for good, in the order in which they failed. */
    deadLetters: ({ handler }: { readonly handler?: string } = {}) =>
      call(MON_API.deadLetters, { query: { 'filter.handler': handler } }),
    /** With its event. */
    deadLetter: (id: number) => find(MON_API.deadLetter, { path: { id } }),
    /** @throws MonError `not_found` when there is none of this id */
    retryDeadLetters: (which: { readonly id: number } | DeadLetterSelection) =>
      'id' in which
        ? call(MON_API.retryDeadLetter, { path: { id: which.id }, body: {} })
        : call(MON_API.retryDeadLetters, { body: which }),
    dropDeadLetter: (id: number) => isThere(MON_API.dropDeadLetter, { path: { id } }),
    dropDeadLetters: (which: DeadLetterSelection) => call(MON_API.dropDeadLetters, { body: which }),
    info: () => call(V1_API.info),
    /** What runs where, and what the store holds. */
    versions: () => call(MON_API.versions),
    /** Who the credentials are of, and what they may do. */
    access: () => call(MON_API.access),
    /** The backends that share a store; undefined: this one is of a version that knows of no others. */
    cluster: () => find(MON_API.cluster),
    /**
     * Has another backend write, and waits until it does.
     *
     * @param to its id or name; default: any other one
     */
    handOver: (to?: string) => call(MON_API.handOver, { body: { to } }),
    /** The configuration in force, without secrets. */
    settings: () => call(V1_API.settings),
    /** @param limits fewest consumers and most waiting messages that count as healthy */
    async health(limits: { readonly consumers?: number; readonly messages?: number } = {}): Promise<Health> {
      const answer = await ask({ ...requestOf(V1_API.health, { query: { ...limits } }), accept: [412] });
      if (answer.status !== 412) return { isHealthy: true, problems: [] };
      return { isHealthy: false, problems: readAnswer(answer, texts, url) };
    },
    /** What the backend finds when it looks into itself. */
    async deepHealth(): Promise<Health & { readonly report: Readonly<Record<string, unknown>> }> {
      const answer = await ask({ ...requestOf(V1_API.health, { query: { deep: 1 } }), accept: [412] });
      if (answer.status === 412 && Array.isArray(answer.body)) {
        return { isHealthy: false, problems: readAnswer(answer, texts, url), report: {} };
      }
      // A backend that does not know the question answers as to any other probe.
      const report = answer.body === undefined ? {} : readAnswer(answer, objectAnswer, url);
      return { isHealthy: answer.status !== 412, problems: [], report };
    },
  };
}

/**
 * A backend over HTTP. `undefined` and `false` say that something is not there. Every method throws MonError: the code
 * that the backend's status stands for with the backend's own text, or `unavailable` when it could not be reached.
 */
export type ApiClient = Readonly<ReturnType<typeof clientOver>>;

/** The client over any way to ask, such as one that only notes what would be asked. */
export const apiClientOver: (...given: Parameters<typeof clientOver>) => ApiClient = clientOver;

/** Lists of rows that are asked for whole objects. */
const WHOLE_EVENTS = { ...V1_API.events, path: MON_API.events.path };
const RECOVERING_EVENTS = { ...MON_API.events, answer: z.array(eventRowSchema) };
const WHOLE_CLIENTS = { ...V1_API.clients, path: MON_API.clients.path };

/** What a list says of its page; undefined: nothing that can be read. */
function pageOf({ headers }: Answer): unknown {
  const text = headers?.['x-pagination'];
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

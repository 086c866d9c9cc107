import { z } from 'zod';
import { acknowledgeMatchingSchema, acknowledgementRowSchema, acknowledgeSchema } from '../schemas/acknowledgement.ts';
import { versionsResponse } from '../schemas/versions.ts';
import { holdSchema, releaseSchema } from '../schemas/maintenance.ts';
import { silencePolicyResponse } from '../schemas/silence-policy.ts';
import { definedCheckResponse } from '../schemas/scheduled-check.ts';
import { overviewResponse } from '../schemas/overview.ts';
import { listedClientResponse } from '../schemas/listed-client.ts';
import { eventRowSchema } from '../schemas/feed.ts';
import { explanationResponse, simulationResponse } from '../schemas/explain.ts';
import { eventResponse } from '../schemas/event.ts';
import { checkOfClientResponse, clientDetailResponse } from '../schemas/check-summary.ts';
import { auditRecordResponse, auditHeadResponse } from '../schemas/audit.ts';
import {
  listedScheduleResponse,
  newOverrideSchema,
  newSwapSchema,
  overrideResponse,
  scheduleDetailResponse,
  swapResponse,
} from '../schemas/on-call.ts';
import { objectResponse, issuedResponse } from '../schemas/response.ts';
import {
  aggregateResponse,
  aggregateResultsResponse,
  aggregateClientsResponse,
  aggregateChecksResponse,
} from '../schemas/aggregate.ts';
import { accessResponse } from '../schemas/access.ts';
import { EVENT_SORT_COLUMNS } from '../domain/event-order.ts';
import { bulkSchema, bulkResponse } from '../schemas/bulk.ts';
import { clusterResponse, handOverSchema } from '../schemas/cluster.ts';
import { checkRenameSchema, renamedResponse } from '../schemas/check-rename.ts';
import { clientSchema, clientResponse, clientHistoryResponse, deletedClientsResponse } from '../schemas/client.ts';
import { deadLetterSelectionSchema, deadLetterResponse, handlerResponse } from '../schemas/dead-letter.ts';
import { handlerTestResponse, handlerTestSchema } from '../schemas/handler-test.ts';
import { newPlanSchema, planResponse, planOrderSchema, plansResponse } from '../schemas/plan-run.ts';
import { upgradeFactsSchema } from '../schemas/plan.ts';
import {
  loginMethodsResponse,
  loginPollResponse,
  loginPollSchema,
  deviceAuthorizationSchema,
} from '../schemas/oidc.ts';
import { requestSchema } from '../schemas/request.ts';
import { restoreSchema, dumpPageResponse, restoredResponse } from '../schemas/restore.ts';
import { BATCH_MAX, resultSchema, resultResponse, batchResponse } from '../schemas/result.ts';
import { groupResponse } from '../schemas/grouping.ts';
import { inhibitionResponse } from '../schemas/inhibition.ts';
import { silencePreviewSchema, recentProblemsResponse } from '../schemas/silence-preview.ts';
import { clearSilencedSchema, monSilencedSchema, silencedDetailResponse } from '../schemas/silenced.ts';
import { storeUpgradeRequestSchema, storeUpgradeResponse } from '../schemas/store-upgrade.ts';
import { stashResponse, stashSchema } from '../schemas/stash.ts';
import { availabilityResponse, checkPastResponse } from '../schemas/availability.ts';
import { seriesResponse } from '../schemas/series.ts';
import { reportResponse } from '../schemas/report.ts';
import { pastChangesResponse, pastStateResponse, timelineResponse } from '../schemas/timeline.ts';
import { endpointBuilder } from './endpoint.ts';
import { presenceFlag, cursorParameter, textParameter, booleanFlag, numberParameter } from './query.ts';

/** The path prefix of the mon API. */
const MON_PREFIX = '/api/mon/v1';

const monEndpoint = endpointBuilder(MON_PREFIX);

/** Maximum size in bytes of a request body with many objects. */
const LARGE_BYTES = 16 * 1024 * 1024;

/** Maximum size in bytes of a callback of a chat. Slack sends the whole message with each click. */
const CALLBACK_BYTES = 256 * 1024;

/** Query parameters for pagination. The response header `X-Pagination` contains the range and the total number. */
const PAGE_PARAMETERS = {
  limit: numberParameter.describe('maximum number'),
  offset: numberParameter.describe('number of entries to skip'),
};

/**
 * Query parameters for a namespace. `NAMESPACE_PARAMETER` is for routes about one namespace. `ANY_NAMESPACE_PARAMETER`
 * is for routes that also accept `*` for all namespaces.
 */
const NAMESPACE_PARAMETER = { namespace: textParameter.describe('the namespace; default `default`') };
const ANY_NAMESPACE_PARAMETER = {
  namespace: textParameter.describe('the namespace, or `*` for all; default `default`'),
};
const MAX_AGE = { max_age: numberParameter.describe('seconds after which a result counts as stale') };

/** Query parameters for a time range in the past. */
const SPAN_PARAMETERS = {
  since: numberParameter.describe('start, epoch milliseconds'),
  until: numberParameter.describe('end, epoch milliseconds; default now'),
};

const SEARCH_PARAMETERS = { ...PAGE_PARAMETERS, q: textParameter.describe('a search, as in the console') };
const LIST_PARAMETERS = { ...ANY_NAMESPACE_PARAMETER, ...SEARCH_PARAMETERS };
const SORT_PARAMETER = textParameter.describe(
  `${EVENT_SORT_COLUMNS.join(', ')}, or an attribute such as client.rack; a leading "-" reverses the order`,
);
const FULL_PARAMETER = { full: presenceFlag.describe('if set: in the format of `/events` and `/clients`') };

/** Returns the schema of a query parameter that selects entries by an exact value of an attribute. */
const exactValueParameter = (attribute: string): typeof textParameter =>
  textParameter.describe(`only entries with this ${attribute}`);

/** Error message if a request to delete clients does not contain a search that selects them. */
export const SELECT_CLIENTS_MESSAGE = 'select clients, for example q=keepalive>30d result>30d';

/** The routes of the mon API, except the feed of changes (docs/feed.md), which is a WebSocket. */
export const MON_API = {
  access: monEndpoint('GET /access', 'The identity and rights of the caller, and what each route requires', {
    scope: 'authenticated',
    response: accessResponse,
  }),
  loginMethods: monEndpoint('GET /login', 'How users log in by single sign-on', {
    scope: 'public',
    isOfItself: true,
    response: loginMethodsResponse,
  }),
  startLogin: monEndpoint('POST /login', 'Begins a login that the user confirms in a browser', {
    scope: 'public',
    response: deviceAuthorizationSchema,
    errors: ['not_found'],
  }),
  pollLogin: monEndpoint('POST /login/token', 'Issues tokens when the user has confirmed the login', {
    scope: 'public',
    body: loginPollSchema,
    response: loginPollResponse,
    errors: ['invalid', 'not_found', 'conflict', 'too_large'],
  }),
  openApi: monEndpoint('GET /openapi.json', 'The API as an OpenAPI 3.1 document', {
    scope: 'authenticated',
    response: objectResponse,
  }),

  events: monEndpoint('GET /events', 'Open events as table rows, filtered and sorted', {
    query: { ...LIST_PARAMETERS, ...FULL_PARAMETER, sort: SORT_PARAMETER },
    response: z.union([z.array(eventRowSchema.loose()), z.array(eventResponse)]),
  }),
  event: monEndpoint('GET /events/:client/:check', 'One event in full', {
    query: NAMESPACE_PARAMETER,
    response: eventResponse,
  }),
  resolveEvent: monEndpoint('DELETE /events/:client/:check', 'Resolves an event', {
    scope: 'resolve',
    query: NAMESPACE_PARAMETER,
    status: 202,
    response: issuedResponse,
  }),
  explainEvent: monEndpoint(
    'GET /events/:client/:check/explain',
    'Explains for each handler whether it runs for an event',
    {
      isForLeader: true,
      query: NAMESPACE_PARAMETER,
      response: explanationResponse,
    },
  ),
  timeline: monEndpoint('GET /timeline', 'Transitions of checks and silences, newest first, up to 1,000 at once', {
    query: {
      ...ANY_NAMESPACE_PARAMETER,
      client: textParameter.describe('only this client, with its silences'),
      check: textParameter.describe('only this check'),
      q: textParameter.describe('a search, as in the console'),
      ...SPAN_PARAMETERS,
      limit: numberParameter.describe('maximum number; default 100'),
      after: cursorParameter.describe('position of the next page, from the previous page'),
    },
    response: timelineResponse,
  }),
  checkPast: monEndpoint('GET /timeline/:client/:check', 'The history of one check and its silences in a time range', {
    query: { ...NAMESPACE_PARAMETER, ...SPAN_PARAMETERS },
    response: checkPastResponse,
  }),
  pastState: monEndpoint('GET /timeline/state', 'Events, silences and clients at a time in the past', {
    query: {
      ...ANY_NAMESPACE_PARAMETER,
      at: numberParameter.describe('the time, epoch milliseconds; default now'),
      q: textParameter.describe('a search for events, as in the console; ages are relative to the moment'),
      sort: SORT_PARAMETER,
      limit: numberParameter.describe('maximum number of events, up to 10,000; default 100'),
      offset: PAGE_PARAMETERS.offset,
      silenced: presenceFlag.describe('if set: include silences'),
      clients: presenceFlag.describe('if set: include clients'),
    },
    response: pastStateResponse,
    errors: ['invalid', 'not_found'],
  }),
  pastChanges: monEndpoint('GET /timeline/changes', 'Differences between two times in the past', {
    query: {
      ...ANY_NAMESPACE_PARAMETER,
      from: numberParameter.describe('the first time, epoch milliseconds; default now'),
      at: numberParameter.describe('the second time; default now'),
    },
    response: pastChangesResponse,
    errors: ['invalid', 'not_found'],
  }),
  availability: monEndpoint('GET /availability', 'Availability of checks in a time range, worst first', {
    query: {
      ...NAMESPACE_PARAMETER,
      client: textParameter.describe('checks of this client'),
      check: textParameter.describe('this check'),
      aggregate: textParameter.describe('current members of this aggregate'),
      ...SPAN_PARAMETERS,
      limit: numberParameter.describe('maximum number of checks, up to 1,000; default 100'),
    },
    response: availabilityResponse,
    errors: ['invalid', 'not_found'],
  }),
  report: monEndpoint('GET /report', 'Shift report: outages, open events, operator actions, noisy checks', {
    query: {
      ...ANY_NAMESPACE_PARAMETER,
      since: numberParameter.describe('start, epoch milliseconds; default 12 hours before the end'),
      until: SPAN_PARAMETERS.until,
      limit: numberParameter.describe('maximum length of each list, up to 1,000; default 100'),
    },
    response: reportResponse,
  }),
  overview: monEndpoint('GET /overview', 'Summary of the backend, and of the clients and checks of a namespace', {
    isForLeader: true,
    query: ANY_NAMESPACE_PARAMETER,
    response: overviewResponse,
    errors: ['not_found'],
  }),

  series: monEndpoint('GET /results/:client/:check/series', 'Durations and metrics of a check over the last 24 hours', {
    query: NAMESPACE_PARAMETER,
    response: seriesResponse,
    errors: ['not_found'],
  }),
  results: monEndpoint('GET /results', 'The latest result of each client and check', {
    query: LIST_PARAMETERS,
    response: z.array(resultResponse),
  }),
  result: monEndpoint('GET /results/:client/:check', 'The latest result of a client and check', {
    query: NAMESPACE_PARAMETER,
    response: resultResponse,
  }),
  deleteResult: monEndpoint('DELETE /results/:client/:check', 'Deletes a result with its history; keeps its event', {
    scope: 'resolve',
    query: NAMESPACE_PARAMETER,
    status: 204,
  }),
  submitResults: monEndpoint('POST /results', 'Stores many results; invalid ones are listed by index', {
    scope: 'submit',
    query: NAMESPACE_PARAMETER,
    bodyBytesMax: LARGE_BYTES,
    body: z.array(resultSchema).max(BATCH_MAX),
    status: 202,
    response: batchResponse,
    errors: ['invalid', 'too_large', 'no_memory'],
  }),
  simulate: monEndpoint('POST /simulate', 'Shows what a result would do, without changing anything', {
    scope: 'read',
    isForLeader: false,
    query: NAMESPACE_PARAMETER,
    body: resultSchema,
    response: simulationResponse,
  }),

  acknowledgements: monEndpoint('GET /acknowledgements', 'Acknowledged events with their owners', {
    query: { ...LIST_PARAMETERS },
    response: z.array(acknowledgementRowSchema),
  }),
  acknowledge: monEndpoint(
    'POST /acknowledgements',
    'Acknowledges an open event: handlers get no further notification of it',
    {
      scope: 'silence',
      query: NAMESPACE_PARAMETER,
      body: acknowledgeSchema,
      status: 201,
      response: acknowledgementRowSchema,
      errors: ['invalid', 'not_found', 'too_large'],
    },
  ),
  acknowledgeMatching: monEndpoint(
    'POST /acknowledgements/matching',
    'Acknowledges all open events that match a search now',
    {
      scope: 'silence',
      query: NAMESPACE_PARAMETER,
      body: acknowledgeMatchingSchema,
      status: 201,
      response: z.array(acknowledgementRowSchema),
      errors: ['invalid', 'not_found', 'too_large'],
    },
  ),
  unacknowledge: monEndpoint('DELETE /acknowledgements/:client/:check', 'Removes the acknowledgement of an event', {
    scope: 'silence',
    query: NAMESPACE_PARAMETER,
    status: 204,
    errors: ['not_found'],
  }),

  schedules: monEndpoint('GET /schedules', 'Schedules with the person on call', {
    query: {
      ...NAMESPACE_PARAMETER,
      ...PAGE_PARAMETERS,
      at: numberParameter.describe('the time, epoch milliseconds; default now'),
      days: numberParameter.describe('number of days of shifts and gaps after this time, 1 to 92; default none'),
    },
    response: z.array(listedScheduleResponse),
  }),
  schedule: monEndpoint('GET /schedules/:schedule', 'A schedule with its next shifts, its gaps and its overrides', {
    query: { ...NAMESPACE_PARAMETER, days: numberParameter.describe('number of days, 1 to 92; default 14') },
    response: scheduleDetailResponse,
  }),
  scheduleCalendar: monEndpoint(
    'GET /schedules/:schedule/calendar.ics',
    'The shifts of a schedule as iCalendar (RFC 5545)',
    {
      query: NAMESPACE_PARAMETER,
      response: z.string(),
    },
  ),
  createOverride: monEndpoint('POST /schedules/:schedule/overrides', 'Puts a person on call in place of the layers', {
    scope: 'silence',
    query: NAMESPACE_PARAMETER,
    body: newOverrideSchema,
    status: 201,
    response: overrideResponse,
    errors: ['invalid', 'not_found', 'conflict', 'too_large'],
  }),
  swapShifts: monEndpoint('POST /schedules/:schedule/swaps', 'Exchanges a shift of two people by two overrides', {
    scope: 'silence',
    query: NAMESPACE_PARAMETER,
    body: newSwapSchema,
    status: 201,
    response: swapResponse,
    errors: ['invalid', 'not_found', 'conflict', 'too_large'],
  }),
  deleteOverride: monEndpoint('DELETE /schedules/:schedule/overrides/:id', 'Deletes an override of a schedule', {
    scope: 'silence',
    query: NAMESPACE_PARAMETER,
    status: 204,
    errors: ['not_found'],
  }),

  chatCallback: monEndpoint(
    'POST /hooks/:preset/:token',
    'Takes the clicks on buttons of chat messages; the service signs the request',
    {
      scope: 'public',
      bodyBytesMax: CALLBACK_BYTES,
      hasRawBody: true,
      response: objectResponse,
      errors: ['invalid', 'unauthenticated', 'not_found', 'conflict', 'too_large'],
    },
  ),

  silenced: monEndpoint('GET /silenced', 'Silences with their counts of suppressed notifications', {
    query: {
      ...LIST_PARAMETERS,
      'filter.check': exactValueParameter('check'),
      'filter.subscription': exactValueParameter('subscription'),
    },
    response: z.array(silencedDetailResponse),
  }),
  silencedEntry: monEndpoint('GET /silenced/:id', 'One silence with its count of suppressed notifications', {
    query: NAMESPACE_PARAMETER,
    response: silencedDetailResponse,
  }),
  silence: monEndpoint('POST /silenced', 'Creates or replaces a silence', {
    scope: 'silence',
    query: NAMESPACE_PARAMETER,
    body: monSilencedSchema,
    status: 201,
    errors: ['invalid', 'threshold', 'too_large', 'no_memory'],
  }),
  clearSilenced: monEndpoint('POST /silenced/clear', 'Ends a silence', {
    scope: 'silence',
    query: NAMESPACE_PARAMETER,
    body: clearSilencedSchema,
    status: 204,
    errors: ['invalid', 'not_found', 'too_large'],
  }),
  holdSilence: monEndpoint('POST /silenced/hold', 'Creates or renews a silence of one minute, for a running command', {
    scope: 'silence',
    query: NAMESPACE_PARAMETER,
    body: holdSchema,
    status: 204,
    errors: ['invalid', 'not_found', 'conflict', 'threshold', 'too_large', 'no_memory'],
  }),
  releaseSilence: monEndpoint('POST /silenced/release', 'Ends the silence of a command', {
    scope: 'silence',
    query: NAMESPACE_PARAMETER,
    body: releaseSchema,
    status: 204,
    errors: ['invalid', 'not_found', 'conflict', 'too_large'],
  }),
  silencePreview: monEndpoint(
    'POST /silenced/preview',
    'Shows what silences would match now and would have matched recently, without creating them',
    {
      scope: 'read',
      query: NAMESPACE_PARAMETER,
      body: silencePreviewSchema,
      response: recentProblemsResponse,
      errors: ['invalid', 'threshold', 'too_large'],
    },
  ),
  silencePolicy: monEndpoint('GET /silence-policy', 'The silence policy', {
    query: NAMESPACE_PARAMETER,
    response: silencePolicyResponse,
    errors: [],
  }),
  bulk: monEndpoint(
    'POST /bulk',
    'Applies silences, clears, resolves and restores as one change, with undo operations',
    {
      scope: ['silence', 'resolve'],
      query: NAMESPACE_PARAMETER,
      bodyBytesMax: LARGE_BYTES,
      body: bulkSchema,
      response: bulkResponse,
      errors: ['invalid', 'threshold', 'conflict', 'too_large', 'no_memory'],
    },
  ),

  clients: monEndpoint('GET /clients', 'Clients with the number of their open events', {
    query: { ...LIST_PARAMETERS, ...FULL_PARAMETER },
    response: z.union([z.array(listedClientResponse), z.array(clientResponse)]),
  }),
  client: monEndpoint('GET /clients/:client', 'A client with all its checks', {
    query: NAMESPACE_PARAMETER,
    response: clientDetailResponse,
  }),
  clientHistory: monEndpoint('GET /clients/:client/history', 'The latest statuses of each check of a client', {
    query: NAMESPACE_PARAMETER,
    response: z.array(clientHistoryResponse),
    errors: ['invalid'],
  }),
  saveClient: monEndpoint('POST /clients', 'Creates or replaces a client', {
    scope: 'submit',
    query: NAMESPACE_PARAMETER,
    body: clientSchema,
    status: 201,
    response: z.object({ name: z.string() }),
    errors: ['invalid', 'too_large', 'no_memory'],
  }),
  deleteClient: monEndpoint('DELETE /clients/:client', 'Resolves the events of a client and deletes it', {
    scope: 'admin',
    isForAnonymous: true,
    query: {
      ...NAMESPACE_PARAMETER,
      invalidate: booleanFlag.describe('`true`: reject its data until it is deleted'),
      invalidate_expire: numberParameter.describe('seconds during which its data is rejected'),
    },
    status: 202,
    response: issuedResponse,
  }),
  deleteClients: monEndpoint('DELETE /clients', 'Deletes the clients that match a search, at most 10,000', {
    scope: 'admin',
    query: {
      ...NAMESPACE_PARAMETER,
      q: z.string({ error: SELECT_CLIENTS_MESSAGE }).describe('a search, as in the console; required'),
    },
    response: deletedClientsResponse,
  }),

  checks: monEndpoint('GET /checks', 'Check definitions with next run and result counts', {
    query: LIST_PARAMETERS,
    response: z.array(definedCheckResponse),
  }),
  check: monEndpoint('GET /checks/:check', 'One check definition with next run and result counts', {
    query: NAMESPACE_PARAMETER,
    response: definedCheckResponse,
  }),
  deleteCheck: monEndpoint(
    'DELETE /checks/:check',
    'Resolves the events of a check and deletes its results; keeps the definition',
    { scope: 'resolve', query: NAMESPACE_PARAMETER, status: 202, response: issuedResponse },
  ),
  requestCheck: monEndpoint('POST /request', 'Requests a run of a check now', {
    scope: 'resolve',
    query: NAMESPACE_PARAMETER,
    body: requestSchema,
    status: 202,
    response: issuedResponse,
    errors: ['invalid', 'not_found', 'too_large'],
  }),
  checkResults: monEndpoint('GET /checks/:check/results', 'The result of a check on each client, worst first', {
    query: { ...NAMESPACE_PARAMETER, ...PAGE_PARAMETERS },
    response: z.array(checkOfClientResponse),
    errors: ['invalid'],
  }),
  renameCheck: monEndpoint('POST /checks/:check/rename', 'Moves results, history and events of a check to a new name', {
    scope: 'admin',
    query: NAMESPACE_PARAMETER,
    body: checkRenameSchema,
    response: renamedResponse,
    errors: ['invalid', 'conflict', 'too_large'],
  }),

  aggregates: monEndpoint('GET /aggregates', 'All aggregates with their counters', {
    query: LIST_PARAMETERS,
    response: z.array(aggregateResponse.extend({ name: z.string() })),
  }),
  aggregate: monEndpoint('GET /aggregates/:aggregate', 'The counters of an aggregate', {
    query: { ...NAMESPACE_PARAMETER, ...MAX_AGE },
    response: aggregateResponse,
  }),
  aggregateClients: monEndpoint(
    'GET /aggregates/:aggregate/clients',
    'The clients of an aggregate, each with its checks; a 404 has an empty list',
    { query: NAMESPACE_PARAMETER, response: aggregateClientsResponse },
  ),
  aggregateChecks: monEndpoint(
    'GET /aggregates/:aggregate/checks',
    'The checks of an aggregate, each with its clients; a 404 has an empty list',
    { query: NAMESPACE_PARAMETER, response: aggregateChecksResponse },
  ),
  aggregateResults: monEndpoint(
    'GET /aggregates/:aggregate/results/:severity',
    'Outputs of an aggregate with a severity, most frequent first',
    { query: { ...NAMESPACE_PARAMETER, ...MAX_AGE }, response: z.array(aggregateResultsResponse) },
  ),
  deleteAggregate: monEndpoint(
    'DELETE /aggregates/:aggregate',
    'Deletes an aggregate; members reappear with their next results',
    { scope: 'admin', isForAnonymous: true, query: NAMESPACE_PARAMETER, status: 204 },
  ),

  stashes: monEndpoint('GET /stashes', 'Stashes', {
    query: { ...ANY_NAMESPACE_PARAMETER, ...PAGE_PARAMETERS },
    response: z.array(stashResponse),
  }),
  stash: monEndpoint('GET /stashes/:path', 'The content of a stash', {
    query: NAMESPACE_PARAMETER,
    response: objectResponse,
  }),
  saveStash: monEndpoint('POST /stashes', 'Creates or replaces a stash', {
    scope: 'admin',
    isForAnonymous: true,
    query: NAMESPACE_PARAMETER,
    body: stashSchema,
    status: 201,
    response: z.object({ path: z.string() }),
    errors: ['invalid', 'too_large', 'no_memory'],
  }),
  deleteStash: monEndpoint('DELETE /stashes/:path', 'Deletes a stash', {
    scope: 'admin',
    isForAnonymous: true,
    query: NAMESPACE_PARAMETER,
    status: 204,
  }),

  handlers: monEndpoint('GET /handlers', 'Handlers with their queues and counters', {
    isForLeader: true,
    query: PAGE_PARAMETERS,
    response: z.array(handlerResponse),
    errors: [],
  }),
  handlerGroups: monEndpoint('GET /handler-groups', 'Notification groups of handlers, and when each is flushed', {
    query: PAGE_PARAMETERS,
    response: z.array(groupResponse),
    errors: [],
  }),
  inhibitions: monEndpoint('GET /inhibitions', 'Inhibition rules and the events that trigger them now', {
    query: PAGE_PARAMETERS,
    response: z.array(inhibitionResponse),
    errors: [],
  }),
  testHandler: monEndpoint(
    'POST /handlers/:handler/test',
    'Sends one event to a handler, or shows what would be sent',
    {
      scope: 'resolve',
      query: NAMESPACE_PARAMETER,
      body: handlerTestSchema,
      response: handlerTestResponse,
    },
  ),
  deadLetters: monEndpoint('GET /dead-letters', 'Dead letters, oldest first', {
    isOfAllNamespaces: true,
    isForLeader: true,
    query: { ...SEARCH_PARAMETERS, 'filter.handler': exactValueParameter('handler') },
    response: z.array(deadLetterResponse),
  }),
  deadLetter: monEndpoint('GET /dead-letters/:id', 'One dead letter with its event', {
    isOfAllNamespaces: true,
    isForLeader: true,
    response: deadLetterResponse.extend({ event: objectResponse, events: z.array(objectResponse).optional() }),
  }),
  retryDeadLetter: monEndpoint('POST /dead-letters/:id/retry', 'Retries a dead letter', {
    scope: 'resolve',
    isOfAllNamespaces: true,
    response: z.object({ retried: z.number() }),
  }),
  retryDeadLetters: monEndpoint('POST /dead-letters/retry', 'Retries several dead letters', {
    scope: 'resolve',
    isOfAllNamespaces: true,
    body: deadLetterSelectionSchema,
    response: z.object({ retried: z.number() }),
  }),
  dropDeadLetter: monEndpoint('DELETE /dead-letters/:id', 'Drops a dead letter', {
    scope: 'resolve',
    isOfAllNamespaces: true,
    status: 204,
  }),
  dropDeadLetters: monEndpoint('POST /dead-letters/drop', 'Drops several dead letters', {
    scope: 'resolve',
    isOfAllNamespaces: true,
    body: deadLetterSelectionSchema,
    response: z.object({ dropped: z.number() }),
  }),

  audit: monEndpoint('GET /audit', 'Audit records, newest first, at most 1000 at once', {
    isOfAllNamespaces: true,
    query: {
      ...PAGE_PARAMETERS,
      since: numberParameter.describe('start, epoch milliseconds'),
      after: numberParameter.describe('only records with a greater id'),
      before: numberParameter.describe('only records with a smaller id'),
      'filter.who': exactValueParameter('who'),
      'filter.action': exactValueParameter('action'),
    },
    response: z.array(auditRecordResponse),
  }),
  auditHead: monEndpoint('GET /audit/head', 'The first and the last record of the audit trail', {
    isOfAllNamespaces: true,
    response: auditHeadResponse,
  }),

  dump: monEndpoint('GET /dump/:type', 'A page of an exact dump of one type, with secrets', {
    scope: 'admin',
    isOfAllNamespaces: true,
    isForLeader: true,
    query: {
      namespace: textParameter.describe('only this namespace'),
      limit: numberParameter.describe('maximum number, up to 100'),
      continue: textParameter.describe('position of the next page, from the previous page'),
    },
    response: dumpPageResponse,
  }),
  restore: monEndpoint('POST /restore', 'Restores objects of a dump', {
    scope: 'admin',
    isOfAllNamespaces: true,
    bodyBytesMax: LARGE_BYTES,
    body: restoreSchema,
    response: restoredResponse,
    errors: ['invalid', 'too_large', 'no_memory'],
  }),

  versions: monEndpoint('GET /versions', 'Installed versions and the contents of the store', {
    response: versionsResponse,
  }),
  cluster: monEndpoint('GET /cluster', 'Cluster members, the leader, and the lag of the followers', {
    isOfItself: true,
    response: clusterResponse,
    errors: [],
  }),
  handOver: monEndpoint(
    'POST /cluster/hand-over',
    'Hands over leadership to another member; responds when it is done',
    {
      scope: 'admin',
      isOfAllNamespaces: true,
      body: handOverSchema,
      response: clusterResponse,
      errors: ['invalid', 'not_found', 'conflict', 'too_large'],
    },
  ),
  removeMember: monEndpoint('DELETE /cluster/members/:id', 'Removes a lost member, by its id or name, from the list', {
    scope: 'admin',
    isOfAllNamespaces: true,
    response: clusterResponse,
    errors: ['invalid', 'not_found', 'conflict'],
  }),
  storeUpgrade: monEndpoint('GET /store/upgrade', 'The schema of the store and the progress of its upgrade', {
    isOfAllNamespaces: true,
    isForLeader: true,
    response: storeUpgradeResponse,
  }),
  startStoreUpgrade: monEndpoint('POST /store/upgrade', 'Upgrades the schema of the store while the backend serves', {
    scope: 'admin',
    isOfAllNamespaces: true,
    body: storeUpgradeRequestSchema,
    status: 202,
    response: storeUpgradeResponse,
    errors: ['invalid', 'conflict', 'precondition', 'too_large'],
  }),
  plans: monEndpoint('GET /upgrades', 'Upgrade plans without logs', {
    isOfAllNamespaces: true,
    response: plansResponse,
  }),
  plan: monEndpoint('GET /upgrades/:id', 'One upgrade plan', { isOfAllNamespaces: true, response: planResponse }),
  planFacts: monEndpoint('GET /upgrades/facts', 'Facts about the backend for a plan', {
    isOfAllNamespaces: true,
    isForLeader: true,
    response: upgradeFactsSchema,
  }),
  createPlan: monEndpoint('POST /upgrades', 'Creates an upgrade plan', {
    scope: 'admin',
    isOfAllNamespaces: true,
    body: newPlanSchema,
    status: 201,
    response: planResponse,
    errors: ['invalid', 'conflict', 'too_large'],
  }),
  orderPlan: monEndpoint(
    'POST /upgrades/:id',
    'Runs, confirms or skips a step of a plan, or takes, releases or closes the plan',
    {
      scope: 'admin',
      isOfAllNamespaces: true,
      body: planOrderSchema,
      response: planResponse,
      errors: ['invalid', 'not_found', 'conflict', 'too_large'],
    },
  ),
};

import { z } from 'zod';
import { acknowledgementRowSchema, acknowledgeSchema } from '../schemas/acknowledgement.ts';
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
import { newOverrideSchema, overrideResponse, scheduleDetailResponse, scheduleResponse } from '../schemas/on-call.ts';
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
import { endpointsBelow } from './endpoint.ts';
import { presenceFlag, cursor, text, booleanFlag, integer } from './query.ts';

/** The path prefix of the mon API. */
const MON = '/api/mon/v1';

const mon = endpointsBelow(MON);

/** Maximum size in bytes of a request body with many objects. */
const LARGE_BYTES = 16 * 1024 * 1024;

/** Query parameters for pagination. The response header `X-Pagination` contains the range and the total number. */
const PAGE = {
  limit: integer.describe('maximum number'),
  offset: integer.describe('number of entries to skip'),
};

/**
 * Query parameters for a namespace. `IN` is for routes about one namespace. `IN_ANY` is for routes that also accept `*`
 * for all namespaces.
 */
const IN = { namespace: text.describe('the namespace; default `default`') };
const IN_ANY = { namespace: text.describe('the namespace, or `*` for all; default `default`') };
const MAX_AGE = { max_age: integer.describe('seconds after which a result counts as stale') };

/** Query parameters for a time range in the past. */
const SPAN = {
  since: integer.describe('start, epoch milliseconds'),
  until: integer.describe('end, epoch milliseconds; default now'),
};

const SEARCHED = { ...PAGE, q: text.describe('a search, as in the console') };
const LIST = { ...IN_ANY, ...SEARCHED };
const SORTED = text.describe(
  `${EVENT_SORT_COLUMNS.join(', ')}, or an attribute such as client.rack; a leading "-" reverses the order`,
);
const FULL = { full: presenceFlag.describe('if set: in the format of `/events` and `/clients`') };

/** Returns the schema of a query parameter that selects entries by an exact value of an attribute. */
const exactly = (attribute: string): typeof text => text.describe(`only entries with this ${attribute}`);

/** Error message if a request to delete clients does not contain a search that selects them. */
export const SELECT_CLIENTS_MESSAGE = 'select clients, for example q=keepalive>30d result>30d';

/** The routes of the mon API, except the feed of changes (docs/feed.md), which is a WebSocket. */
export const MON_API = {
  access: mon('GET /access', 'The identity and rights of the caller, and what each route requires', {
    scope: 'authenticated',
    response: accessResponse,
  }),
  openApi: mon('GET /openapi.json', 'The API as an OpenAPI 3.1 document', {
    scope: 'authenticated',
    response: objectResponse,
  }),

  events: mon('GET /events', 'Open events as table rows, filtered and sorted', {
    query: { ...LIST, ...FULL, sort: SORTED },
    response: z.union([z.array(eventRowSchema.loose()), z.array(eventResponse)]),
  }),
  event: mon('GET /events/:client/:check', 'One event in full', { query: IN, response: eventResponse }),
  resolveEvent: mon('DELETE /events/:client/:check', 'Resolves an event', {
    scope: 'resolve',
    query: IN,
    status: 202,
    response: issuedResponse,
  }),
  explainEvent: mon('GET /events/:client/:check/explain', 'Explains for each handler whether it runs for an event', {
    isForLeader: true,
    query: IN,
    response: explanationResponse,
  }),
  timeline: mon('GET /timeline', 'Transitions of checks and silences, newest first, up to 1,000 at once', {
    query: {
      ...IN_ANY,
      client: text.describe('only this client, with its silences'),
      check: text.describe('only this check'),
      q: text.describe('a search, as in the console'),
      ...SPAN,
      limit: integer.describe('maximum number; default 100'),
      after: cursor.describe('position of the next page, from the previous page'),
    },
    response: timelineResponse,
  }),
  checkPast: mon('GET /timeline/:client/:check', 'The history of one check and its silences in a time range', {
    query: { ...IN, ...SPAN },
    response: checkPastResponse,
  }),
  pastState: mon('GET /timeline/state', 'Events, silences and clients at a time in the past', {
    query: {
      ...IN_ANY,
      at: integer.describe('the time, epoch milliseconds; default now'),
      q: text.describe('a search for events, as in the console; ages are relative to the moment'),
      sort: SORTED,
      limit: integer.describe('maximum number of events, up to 10,000; default 100'),
      offset: PAGE.offset,
      silenced: presenceFlag.describe('if set: include silences'),
      clients: presenceFlag.describe('if set: include clients'),
    },
    response: pastStateResponse,
    errors: ['invalid', 'not_found'],
  }),
  pastChanges: mon('GET /timeline/changes', 'Differences between two times in the past', {
    query: {
      ...IN_ANY,
      from: integer.describe('the first time, epoch milliseconds; default now'),
      at: integer.describe('the second time; default now'),
    },
    response: pastChangesResponse,
    errors: ['invalid', 'not_found'],
  }),
  availability: mon('GET /availability', 'Availability of checks in a time range, worst first', {
    query: {
      ...IN,
      client: text.describe('checks of this client'),
      check: text.describe('this check'),
      aggregate: text.describe('current members of this aggregate'),
      ...SPAN,
      limit: integer.describe('maximum number of checks, up to 1,000; default 100'),
    },
    response: availabilityResponse,
    errors: ['invalid', 'not_found'],
  }),
  report: mon('GET /report', 'Shift report: outages, open events, operator actions, noisy checks', {
    query: {
      ...IN_ANY,
      since: integer.describe('start, epoch milliseconds; default 12 hours before the end'),
      until: SPAN.until,
      limit: integer.describe('maximum length of each list, up to 1,000; default 100'),
    },
    response: reportResponse,
  }),
  overview: mon('GET /overview', 'Summary of the backend, and of the clients and checks of a namespace', {
    isForLeader: true,
    query: IN_ANY,
    response: overviewResponse,
    errors: ['not_found'],
  }),

  series: mon('GET /results/:client/:check/series', 'Durations and metrics of a check over the last 24 hours', {
    query: IN,
    response: seriesResponse,
    errors: ['not_found'],
  }),
  results: mon('GET /results', 'The latest result of each client and check', {
    query: LIST,
    response: z.array(resultResponse),
  }),
  result: mon('GET /results/:client/:check', 'The latest result of a client and check', {
    query: IN,
    response: resultResponse,
  }),
  deleteResult: mon('DELETE /results/:client/:check', 'Deletes a result with its history; keeps its event', {
    scope: 'resolve',
    query: IN,
    status: 204,
  }),
  submitResults: mon('POST /results', 'Stores many results; invalid ones are listed by index', {
    scope: 'submit',
    query: IN,
    bodyBytesMax: LARGE_BYTES,
    body: z.array(resultSchema).max(BATCH_MAX),
    status: 202,
    response: batchResponse,
    errors: ['invalid', 'too_large', 'no_memory'],
  }),
  simulate: mon('POST /simulate', 'Shows what a result would do, without changing anything', {
    scope: 'read',
    isForLeader: false,
    query: IN,
    body: resultSchema,
    response: simulationResponse,
  }),

  acknowledgements: mon('GET /acknowledgements', 'Acknowledged events with their owners', {
    query: { ...LIST },
    response: z.array(acknowledgementRowSchema),
  }),
  acknowledge: mon('POST /acknowledgements', 'Acknowledges an open event: handlers get no further notification of it', {
    scope: 'silence',
    query: IN,
    body: acknowledgeSchema,
    status: 201,
    response: acknowledgementRowSchema,
    errors: ['invalid', 'not_found', 'too_large'],
  }),
  unacknowledge: mon('DELETE /acknowledgements/:client/:check', 'Removes the acknowledgement of an event', {
    scope: 'silence',
    query: IN,
    status: 204,
    errors: ['not_found'],
  }),

  schedules: mon('GET /schedules', 'Schedules with the person on call', {
    query: { ...IN, ...PAGE, at: integer.describe('the time, epoch milliseconds; default now') },
    response: z.array(scheduleResponse),
  }),
  schedule: mon('GET /schedules/:schedule', 'A schedule with its next shifts, its gaps and its overrides', {
    query: { ...IN, days: integer.describe('number of days, 1 to 92; default 14') },
    response: scheduleDetailResponse,
  }),
  scheduleCalendar: mon('GET /schedules/:schedule/calendar.ics', 'The shifts of a schedule as iCalendar (RFC 5545)', {
    query: IN,
    response: z.string(),
  }),
  createOverride: mon('POST /schedules/:schedule/overrides', 'Puts a person on call in place of the layers', {
    scope: 'silence',
    query: IN,
    body: newOverrideSchema,
    status: 201,
    response: overrideResponse,
    errors: ['invalid', 'not_found', 'conflict', 'too_large'],
  }),
  deleteOverride: mon('DELETE /schedules/:schedule/overrides/:id', 'Deletes an override of a schedule', {
    scope: 'silence',
    query: IN,
    status: 204,
    errors: ['not_found'],
  }),

  silenced: mon('GET /silenced', 'Silences with their counts of suppressed notifications', {
    query: { ...LIST, 'filter.check': exactly('check'), 'filter.subscription': exactly('subscription') },
    response: z.array(silencedDetailResponse),
  }),
  silencedEntry: mon('GET /silenced/:id', 'One silence with its count of suppressed notifications', {
    query: IN,
    response: silencedDetailResponse,
  }),
  silence: mon('POST /silenced', 'Creates or replaces a silence', {
    scope: 'silence',
    query: IN,
    body: monSilencedSchema,
    status: 201,
    errors: ['invalid', 'threshold', 'too_large', 'no_memory'],
  }),
  clearSilenced: mon('POST /silenced/clear', 'Ends a silence', {
    scope: 'silence',
    query: IN,
    body: clearSilencedSchema,
    status: 204,
    errors: ['invalid', 'not_found', 'too_large'],
  }),
  holdSilence: mon('POST /silenced/hold', 'Creates or renews a silence of one minute, for a running command', {
    scope: 'silence',
    query: IN,
    body: holdSchema,
    status: 204,
    errors: ['invalid', 'not_found', 'conflict', 'threshold', 'too_large', 'no_memory'],
  }),
  releaseSilence: mon('POST /silenced/release', 'Ends the silence of a command', {
    scope: 'silence',
    query: IN,
    body: releaseSchema,
    status: 204,
    errors: ['invalid', 'not_found', 'conflict', 'too_large'],
  }),
  silencePreview: mon(
    'POST /silenced/preview',
    'Shows what silences would match now and would have matched recently, without creating them',
    {
      scope: 'read',
      query: IN,
      body: silencePreviewSchema,
      response: recentProblemsResponse,
      errors: ['invalid', 'threshold', 'too_large'],
    },
  ),
  silencePolicy: mon('GET /silence-policy', 'The silence policy', {
    query: IN,
    response: silencePolicyResponse,
    errors: [],
  }),
  bulk: mon('POST /bulk', 'Applies silences, clears, resolves and restores as one change, with undo operations', {
    scope: ['silence', 'resolve'],
    query: IN,
    bodyBytesMax: LARGE_BYTES,
    body: bulkSchema,
    response: bulkResponse,
    errors: ['invalid', 'threshold', 'conflict', 'too_large', 'no_memory'],
  }),

  clients: mon('GET /clients', 'Clients with the number of their open events', {
    query: { ...LIST, ...FULL },
    response: z.union([z.array(listedClientResponse), z.array(clientResponse)]),
  }),
  client: mon('GET /clients/:client', 'A client with all its checks', { query: IN, response: clientDetailResponse }),
  clientHistory: mon('GET /clients/:client/history', 'The latest statuses of each check of a client', {
    query: IN,
    response: z.array(clientHistoryResponse),
    errors: ['invalid'],
  }),
  saveClient: mon('POST /clients', 'Creates or replaces a client', {
    scope: 'submit',
    query: IN,
    body: clientSchema,
    status: 201,
    response: z.object({ name: z.string() }),
    errors: ['invalid', 'too_large', 'no_memory'],
  }),
  deleteClient: mon('DELETE /clients/:client', 'Resolves the events of a client and deletes it', {
    scope: 'admin',
    isForAnonymous: true,
    query: {
      ...IN,
      invalidate: booleanFlag.describe('`true`: reject its data until it is deleted'),
      invalidate_expire: integer.describe('seconds during which its data is rejected'),
    },
    status: 202,
    response: issuedResponse,
  }),
  deleteClients: mon('DELETE /clients', 'Deletes the clients that match a search, at most 10,000', {
    scope: 'admin',
    query: {
      ...IN,
      q: z.string({ error: SELECT_CLIENTS_MESSAGE }).describe('a search, as in the console; required'),
    },
    response: deletedClientsResponse,
  }),

  checks: mon('GET /checks', 'Check definitions with next run and result counts', {
    query: LIST,
    response: z.array(definedCheckResponse),
  }),
  check: mon('GET /checks/:check', 'One check definition with next run and result counts', {
    query: IN,
    response: definedCheckResponse,
  }),
  deleteCheck: mon(
    'DELETE /checks/:check',
    'Resolves the events of a check and deletes its results; keeps the definition',
    { scope: 'resolve', query: IN, status: 202, response: issuedResponse },
  ),
  requestCheck: mon('POST /request', 'Requests a run of a check now', {
    scope: 'resolve',
    query: IN,
    body: requestSchema,
    status: 202,
    response: issuedResponse,
    errors: ['invalid', 'not_found', 'too_large'],
  }),
  checkResults: mon('GET /checks/:check/results', 'The result of a check on each client, worst first', {
    query: { ...IN, ...PAGE },
    response: z.array(checkOfClientResponse),
    errors: ['invalid'],
  }),
  renameCheck: mon('POST /checks/:check/rename', 'Moves results, history and events of a check to a new name', {
    scope: 'admin',
    query: IN,
    body: checkRenameSchema,
    response: renamedResponse,
    errors: ['invalid', 'conflict', 'too_large'],
  }),

  aggregates: mon('GET /aggregates', 'All aggregates with their counters', {
    query: LIST,
    response: z.array(aggregateResponse.extend({ name: z.string() })),
  }),
  aggregate: mon('GET /aggregates/:aggregate', 'The counters of an aggregate', {
    query: { ...IN, ...MAX_AGE },
    response: aggregateResponse,
  }),
  aggregateClients: mon(
    'GET /aggregates/:aggregate/clients',
    'The clients of an aggregate, each with its checks; a 404 has an empty list',
    { query: IN, response: aggregateClientsResponse },
  ),
  aggregateChecks: mon(
    'GET /aggregates/:aggregate/checks',
    'The checks of an aggregate, each with its clients; a 404 has an empty list',
    { query: IN, response: aggregateChecksResponse },
  ),
  aggregateResults: mon(
    'GET /aggregates/:aggregate/results/:severity',
    'Outputs of an aggregate with a severity, most frequent first',
    { query: { ...IN, ...MAX_AGE }, response: z.array(aggregateResultsResponse) },
  ),
  deleteAggregate: mon(
    'DELETE /aggregates/:aggregate',
    'Deletes an aggregate; members reappear with their next results',
    { scope: 'admin', isForAnonymous: true, query: IN, status: 204 },
  ),

  stashes: mon('GET /stashes', 'Stashes', { query: { ...IN_ANY, ...PAGE }, response: z.array(stashResponse) }),
  stash: mon('GET /stashes/:path', 'The content of a stash', { query: IN, response: objectResponse }),
  saveStash: mon('POST /stashes', 'Creates or replaces a stash', {
    scope: 'admin',
    isForAnonymous: true,
    query: IN,
    body: stashSchema,
    status: 201,
    response: z.object({ path: z.string() }),
    errors: ['invalid', 'too_large', 'no_memory'],
  }),
  deleteStash: mon('DELETE /stashes/:path', 'Deletes a stash', {
    scope: 'admin',
    isForAnonymous: true,
    query: IN,
    status: 204,
  }),

  handlers: mon('GET /handlers', 'Handlers with their queues and counters', {
    isForLeader: true,
    query: PAGE,
    response: z.array(handlerResponse),
    errors: [],
  }),
  handlerGroups: mon('GET /handler-groups', 'Notification groups of handlers, and when each is flushed', {
    query: PAGE,
    response: z.array(groupResponse),
    errors: [],
  }),
  inhibitions: mon('GET /inhibitions', 'Inhibition rules and the events that trigger them now', {
    query: PAGE,
    response: z.array(inhibitionResponse),
    errors: [],
  }),
  testHandler: mon('POST /handlers/:handler/test', 'Sends one event to a handler, or shows what would be sent', {
    scope: 'resolve',
    query: IN,
    body: handlerTestSchema,
    response: handlerTestResponse,
  }),
  deadLetters: mon('GET /dead-letters', 'Dead letters, oldest first', {
    isOfAllNamespaces: true,
    isForLeader: true,
    query: { ...SEARCHED, 'filter.handler': exactly('handler') },
    response: z.array(deadLetterResponse),
  }),
  deadLetter: mon('GET /dead-letters/:id', 'One dead letter with its event', {
    isOfAllNamespaces: true,
    isForLeader: true,
    response: deadLetterResponse.extend({ event: objectResponse, events: z.array(objectResponse).optional() }),
  }),
  retryDeadLetter: mon('POST /dead-letters/:id/retry', 'Retries a dead letter', {
    scope: 'resolve',
    isOfAllNamespaces: true,
    response: z.object({ retried: z.number() }),
  }),
  retryDeadLetters: mon('POST /dead-letters/retry', 'Retries several dead letters', {
    scope: 'resolve',
    isOfAllNamespaces: true,
    body: deadLetterSelectionSchema,
    response: z.object({ retried: z.number() }),
  }),
  dropDeadLetter: mon('DELETE /dead-letters/:id', 'Drops a dead letter', {
    scope: 'resolve',
    isOfAllNamespaces: true,
    status: 204,
  }),
  dropDeadLetters: mon('POST /dead-letters/drop', 'Drops several dead letters', {
    scope: 'resolve',
    isOfAllNamespaces: true,
    body: deadLetterSelectionSchema,
    response: z.object({ dropped: z.number() }),
  }),

  audit: mon('GET /audit', 'Audit records, newest first, at most 1000 at once', {
    isOfAllNamespaces: true,
    query: {
      ...PAGE,
      since: integer.describe('start, epoch milliseconds'),
      after: integer.describe('only records with a greater id'),
      before: integer.describe('only records with a smaller id'),
      'filter.who': exactly('who'),
      'filter.action': exactly('action'),
    },
    response: z.array(auditRecordResponse),
  }),
  auditHead: mon('GET /audit/head', 'The first and the last record of the audit trail', {
    isOfAllNamespaces: true,
    response: auditHeadResponse,
  }),

  dump: mon('GET /dump/:type', 'A page of an exact dump of one type, with secrets', {
    scope: 'admin',
    isOfAllNamespaces: true,
    isForLeader: true,
    query: {
      namespace: text.describe('only this namespace'),
      limit: integer.describe('maximum number, up to 100'),
      continue: text.describe('position of the next page, from the previous page'),
    },
    response: dumpPageResponse,
  }),
  restore: mon('POST /restore', 'Restores objects of a dump', {
    scope: 'admin',
    isOfAllNamespaces: true,
    bodyBytesMax: LARGE_BYTES,
    body: restoreSchema,
    response: restoredResponse,
    errors: ['invalid', 'too_large', 'no_memory'],
  }),

  versions: mon('GET /versions', 'Installed versions and the contents of the store', { response: versionsResponse }),
  cluster: mon('GET /cluster', 'Cluster members, the leader, and the lag of the followers', {
    isOfItself: true,
    response: clusterResponse,
    errors: [],
  }),
  handOver: mon('POST /cluster/hand-over', 'Hands over leadership to another member; responds when it is done', {
    scope: 'admin',
    isOfAllNamespaces: true,
    body: handOverSchema,
    response: clusterResponse,
    errors: ['invalid', 'not_found', 'conflict', 'too_large'],
  }),
  storeUpgrade: mon('GET /store/upgrade', 'The schema of the store and the progress of its upgrade', {
    isOfAllNamespaces: true,
    isForLeader: true,
    response: storeUpgradeResponse,
  }),
  startStoreUpgrade: mon('POST /store/upgrade', 'Upgrades the schema of the store while the backend serves', {
    scope: 'admin',
    isOfAllNamespaces: true,
    body: storeUpgradeRequestSchema,
    status: 202,
    response: storeUpgradeResponse,
    errors: ['invalid', 'conflict', 'precondition', 'too_large'],
  }),
  plans: mon('GET /upgrades', 'Upgrade plans without logs', {
    isOfAllNamespaces: true,
    response: plansResponse,
  }),
  plan: mon('GET /upgrades/:id', 'One upgrade plan', { isOfAllNamespaces: true, response: planResponse }),
  planFacts: mon('GET /upgrades/facts', 'Facts about the backend for a plan', {
    isOfAllNamespaces: true,
    isForLeader: true,
    response: upgradeFactsSchema,
  }),
  createPlan: mon('POST /upgrades', 'Creates an upgrade plan', {
    scope: 'admin',
    isOfAllNamespaces: true,
    body: newPlanSchema,
    status: 201,
    response: planResponse,
    errors: ['invalid', 'conflict', 'too_large'],
  }),
  orderPlan: mon(
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

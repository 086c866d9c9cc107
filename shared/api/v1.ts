import { z } from 'zod';
import { definedCheckResponse } from '../schemas/scheduled-check.ts';
import { infoResponse } from '../schemas/info.ts';
import { objectResponse, issuedResponse, namesResponse } from '../schemas/response.ts';
import {
  aggregateResponse,
  aggregateResultsResponse,
  aggregateClientsResponse,
  aggregateChecksResponse,
} from '../schemas/aggregate.ts';
import { clientSchema, clientResponse, clientHistoryResponse } from '../schemas/client.ts';
import { resolveSchema, eventResponse } from '../schemas/event.ts';
import { requestSchema } from '../schemas/request.ts';
import { v1ResultSchema, resultResponse } from '../schemas/result.ts';
import { clearSilencedSchema, silencedSchema, silencedResponse } from '../schemas/silenced.ts';
import { stashContentSchema, stashSchema, stashResponse } from '../schemas/stash.ts';
import { endpointsBelow, type Endpoint, type EndpointQuery } from './endpoint.ts';
import { count, text, booleanFlag } from './query.ts';

/** Query parameters for pagination. Lists also accept conditions on attributes, such as `filter.PATH=VALUE`. */
const PAGE = {
  limit: count.describe('maximum number; the header `X-Pagination` has the range and the total'),
  offset: count.describe('number of entries to skip'),
};
const MAX_AGE = { max_age: count.describe('seconds after which a result counts as stale') };
const LIMITS = {
  consumers: count.describe('minimum healthy number of consumers'),
  messages: count.describe('maximum healthy number of waiting results'),
  deep: count.describe('1: run the deep checks; responds 200 or 412 with the findings'),
};
type NoQuery = Record<string, never>;
type Definition<Body, ResponseBody, Query extends EndpointQuery> = Omit<
  Endpoint<Body, ResponseBody, Query>,
  'method' | 'path' | 'summary'
>;

const v1 = endpointsBelow('');

const readWith = <ResponseBody, Query extends EndpointQuery>(
  response: z.ZodType<ResponseBody>,
  query: Query,
): Definition<undefined, ResponseBody, Query> => ({ scope: 'read', status: 200, response, query, errors: [] });
const read = <ResponseBody>(response: z.ZodType<ResponseBody>): Definition<undefined, ResponseBody, NoQuery> =>
  readWith(response, {});
const list = <ResponseBody>(response: z.ZodType<ResponseBody>): Definition<undefined, ResponseBody, typeof PAGE> =>
  readWith(response, PAGE);
const one = <ResponseBody>(response: z.ZodType<ResponseBody>): Definition<undefined, ResponseBody, NoQuery> => ({
  ...read(response),
  errors: ['invalid', 'not_found'],
});
const oneOfAge = <ResponseBody>(
  response: z.ZodType<ResponseBody>,
): Definition<undefined, ResponseBody, typeof MAX_AGE> => ({
  ...readWith(response, MAX_AGE),
  errors: ['invalid', 'not_found'],
});
const accepted = <Body>(
  body: z.ZodType<Body>,
  overrides: Partial<Pick<Endpoint, 'scope' | 'errors'>> = {},
): Definition<Body, { issued: number }, NoQuery> => ({
  scope: 'resolve',
  body,
  status: 202,
  response: issuedResponse,
  errors: ['invalid', 'too_large'],
  ...overrides,
});
const GONE = { scope: 'resolve', status: 204, errors: ['invalid', 'not_found'] } as const;
const ACCEPTED = { ...GONE, status: 202, response: issuedResponse } as const;
const STASHED = {
  scope: 'admin',
  isForAnonymous: true,
  status: 201,
  response: z.object({ path: z.string() }),
  body: stashContentSchema,
  errors: ['invalid', 'too_large', 'no_memory'],
} as const;

/** The routes of the v1 API, which has no path prefix. They give access only to the namespace `default`. */
export const V1_API = {
  events: v1('GET /events', 'Open events', list(z.array(eventResponse))),
  eventsOfClient: v1('GET /events/:client', 'Open events of a client', list(z.array(eventResponse))),
  event: v1('GET /events/:client/:check', 'One event', one(eventResponse)),
  resolveEvent: v1('DELETE /events/:client/:check', 'Resolves an event', ACCEPTED),
  incidents: v1('GET /incidents', 'As `/events`', list(z.array(eventResponse))),
  incidentsOfClient: v1('GET /incidents/:client', 'As `/events/:client`', list(z.array(eventResponse))),
  incident: v1('GET /incidents/:client/:check', 'As `/events/:client/:check`', one(eventResponse)),
  resolveIncident: v1('DELETE /incidents/:client/:check', 'As `/events/:client/:check`', ACCEPTED),
  resolve: v1(
    'POST /resolve',
    'Resolves an event; 404 without a body if there is none',
    accepted(resolveSchema, { errors: ['invalid', 'not_found', 'too_large'] }),
  ),

  results: v1('GET /results', 'The latest result of each client and check', list(z.array(resultResponse))),
  resultsOfClient: v1('GET /results/:client', 'The latest results of a client', list(z.array(resultResponse))),
  result: v1('GET /results/:client/:check', 'The latest result of a client and check', one(resultResponse)),
  submitResult: v1(
    'POST /results',
    'Submits a result',
    accepted(v1ResultSchema, { scope: 'submit', errors: ['invalid', 'too_large', 'no_memory'] }),
  ),
  deleteResult: v1('DELETE /results/:client/:check', 'Deletes a result with its history; keeps its event', GONE),

  silenced: v1('GET /silenced', 'Silences', list(z.array(silencedResponse))),
  silencedOfCheck: v1('GET /silenced/checks/:check', 'Silences of a check', list(z.array(silencedResponse))),
  silencedOfSubscription: v1(
    'GET /silenced/subscriptions/:subscription',
    'Silences of a subscription',
    readWith(z.array(silencedResponse), { ...PAGE, prefix: text.describe('`true`: subscriptions with this prefix') }),
  ),
  silencedEntry: v1('GET /silenced/ids/:id', 'One silence', one(silencedResponse)),
  silence: v1('POST /silenced', 'Creates a silence, or replaces the one with the same subscription and check', {
    scope: 'silence',
    body: silencedSchema,
    status: 201,
    errors: ['invalid', 'threshold', 'too_large', 'no_memory'],
  }),
  clearSilenced: v1('POST /silenced/clear', 'Ends a silence', {
    ...GONE,
    scope: 'silence',
    body: clearSilencedSchema,
  }),
  deleteSilenced: v1('DELETE /silenced/ids/:id', 'Ends a silence', { ...GONE, scope: 'silence' }),

  clients: v1('GET /clients', 'Clients', list(z.array(clientResponse))),
  client: v1('GET /clients/:client', 'One client', one(clientResponse)),
  clientHistory: v1(
    'GET /clients/:client/history',
    'The latest statuses of each check of a client',
    read(z.array(clientHistoryResponse)),
  ),
  saveClient: v1('POST /clients', 'Creates or replaces a client', {
    scope: 'submit',
    body: clientSchema,
    status: 201,
    response: z.object({ name: z.string() }),
    errors: ['invalid', 'too_large', 'no_memory'],
  }),
  deleteClient: v1('DELETE /clients/:client', 'Resolves the events of a client and deletes it', {
    ...ACCEPTED,
    scope: 'admin',
    isForAnonymous: true,
    query: {
      invalidate: booleanFlag.describe('`true`: reject its data until it is deleted'),
      invalidate_expire: count.describe('seconds during which its data is rejected'),
    },
  }),

  checks: v1('GET /checks', 'Definitions of checks that the backend schedules', list(z.array(definedCheckResponse))),
  check: v1('GET /checks/:check', 'One definition of a check', one(definedCheckResponse)),
  deleteCheck: v1(
    'DELETE /checks/:check',
    'Resolves the events of a check and deletes its results; keeps the definition',
    { ...ACCEPTED, errors: ['invalid'] },
  ),
  requestCheck: v1(
    'POST /request',
    'Requests a run of a check now',
    accepted(requestSchema, { errors: ['invalid', 'not_found', 'too_large'] }),
  ),

  aggregates: v1('GET /aggregates', 'Names of aggregates', list(namesResponse)),
  aggregate: v1('GET /aggregates/:aggregate', 'The counters of an aggregate', oneOfAge(aggregateResponse)),
  aggregateClients: v1(
    'GET /aggregates/:aggregate/clients',
    'Its clients, each with its checks; a 404 has an empty list',
    one(aggregateClientsResponse),
  ),
  aggregateChecks: v1(
    'GET /aggregates/:aggregate/checks',
    'Its checks, each with its clients; a 404 has an empty list',
    one(aggregateChecksResponse),
  ),
  aggregateResults: v1(
    'GET /aggregates/:aggregate/results/:severity',
    'Outputs with a severity, most frequent first',
    oneOfAge(z.array(aggregateResultsResponse)),
  ),
  deleteAggregate: v1(
    'DELETE /aggregates/:aggregate',
    'Deletes an aggregate; members reappear with their next results',
    { ...GONE, scope: 'admin', isForAnonymous: true },
  ),

  stashes: v1('GET /stashes', 'Stashes', list(z.array(stashResponse))),
  stash: v1('GET /stashes/*', 'The content of a stash', one(objectResponse)),
  stashAgain: v1('GET /stash/*', 'As `/stashes/*`', one(objectResponse)),
  saveStash: v1('POST /stashes', 'Creates or replaces a stash', { ...STASHED, body: stashSchema }),
  saveStashAt: v1('POST /stashes/*', 'Creates or replaces a stash with the body', STASHED),
  saveStashAgain: v1('POST /stash/*', 'As `/stashes/*`', STASHED),
  deleteStash: v1('DELETE /stashes/*', 'Deletes a stash', { ...GONE, scope: 'admin', isForAnonymous: true }),
  deleteStashAgain: v1('DELETE /stash/*', 'As `/stashes/*`', { ...GONE, scope: 'admin', isForAnonymous: true }),

  info: v1('GET /info', 'Version and state of the backend', { ...read(infoResponse), isOfItself: true }),
  health: v1('GET /health', '204, or 412 with a sentence for each problem', {
    scope: 'read',
    isOfItself: true,
    query: LIMITS,
    status: 204,
    errors: [],
  }),
  settings: v1(
    'GET /settings',
    'The effective configuration; secrets only for administrators on request',
    // The leader must handle the request, because reading secrets writes an audit record.
    {
      ...readWith(objectResponse, { redacted: text.describe('`false`: include secrets; administrators only') }),
      isForLeader: true,
    },
  ),
  resultMetrics: v1('GET /metrics/checks', 'Metrics of check results in the Prometheus text format', {
    ...read(z.string()),
    isForLeader: true,
  }),
  metrics: v1('GET /metrics', 'Metrics of the backend in the Prometheus text format', {
    ...read(z.string()),
    isOfItself: true,
  }),
};

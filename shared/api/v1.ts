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
import { endpointBuilder, type Endpoint, type EndpointQuery } from './endpoint.ts';
import { countParameter, textParameter, booleanFlag } from './query.ts';

/** Query parameters for pagination. Lists also accept conditions on attributes, such as `filter.PATH=VALUE`. */
const PAGE_PARAMETERS = {
  limit: countParameter.describe('maximum number; the header `X-Pagination` has the range and the total'),
  offset: countParameter.describe('number of entries to skip'),
};
const MAX_AGE = { max_age: countParameter.describe('seconds after which a result counts as stale') };
const HEALTH_PARAMETERS = {
  consumers: countParameter.describe('minimum healthy number of consumers'),
  messages: countParameter.describe('maximum healthy number of waiting results'),
  deep: countParameter.describe('1: run the deep checks; responds 200 or 412 with the findings'),
};
type NoQuery = Record<string, never>;
type Definition<Body, ResponseBody, Query extends EndpointQuery> = Omit<
  Endpoint<Body, ResponseBody, Query>,
  'method' | 'path' | 'summary'
>;

const v1Endpoint = endpointBuilder('');

const readOptionsWithQuery = <ResponseBody, Query extends EndpointQuery>(
  response: z.ZodType<ResponseBody>,
  query: Query,
): Definition<undefined, ResponseBody, Query> => ({ scope: 'read', status: 200, response, query, errors: [] });
const readOptions = <ResponseBody>(response: z.ZodType<ResponseBody>): Definition<undefined, ResponseBody, NoQuery> =>
  readOptionsWithQuery(response, {});
const listOptions = <ResponseBody>(
  response: z.ZodType<ResponseBody>,
): Definition<undefined, ResponseBody, typeof PAGE_PARAMETERS> => readOptionsWithQuery(response, PAGE_PARAMETERS);
const singleOptions = <ResponseBody>(
  response: z.ZodType<ResponseBody>,
): Definition<undefined, ResponseBody, NoQuery> => ({
  ...readOptions(response),
  errors: ['invalid', 'not_found'],
});
const singleOptionsWithAge = <ResponseBody>(
  response: z.ZodType<ResponseBody>,
): Definition<undefined, ResponseBody, typeof MAX_AGE> => ({
  ...readOptionsWithQuery(response, MAX_AGE),
  errors: ['invalid', 'not_found'],
});
const acceptedOptions = <Body>(
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
const DELETED_OPTIONS = { scope: 'resolve', status: 204, errors: ['invalid', 'not_found'] } as const;
const ACCEPTED_OPTIONS = { ...DELETED_OPTIONS, status: 202, response: issuedResponse } as const;
const STASH_OPTIONS = {
  scope: 'admin',
  isForAnonymous: true,
  status: 201,
  response: z.object({ path: z.string() }),
  body: stashContentSchema,
  errors: ['invalid', 'too_large', 'no_memory'],
} as const;

/** The routes of the v1 API, which has no path prefix. They give access only to the namespace `default`. */
export const V1_API = {
  events: v1Endpoint('GET /events', 'Open events', listOptions(z.array(eventResponse))),
  eventsOfClient: v1Endpoint('GET /events/:client', 'Open events of a client', listOptions(z.array(eventResponse))),
  event: v1Endpoint('GET /events/:client/:check', 'One event', singleOptions(eventResponse)),
  resolveEvent: v1Endpoint('DELETE /events/:client/:check', 'Resolves an event', ACCEPTED_OPTIONS),
  incidents: v1Endpoint('GET /incidents', 'As `/events`', listOptions(z.array(eventResponse))),
  incidentsOfClient: v1Endpoint('GET /incidents/:client', 'As `/events/:client`', listOptions(z.array(eventResponse))),
  incident: v1Endpoint('GET /incidents/:client/:check', 'As `/events/:client/:check`', singleOptions(eventResponse)),
  resolveIncident: v1Endpoint('DELETE /incidents/:client/:check', 'As `/events/:client/:check`', ACCEPTED_OPTIONS),
  resolve: v1Endpoint(
    'POST /resolve',
    'Resolves an event; 404 without a body if there is none',
    acceptedOptions(resolveSchema, { errors: ['invalid', 'not_found', 'too_large'] }),
  ),

  results: v1Endpoint(
    'GET /results',
    'The latest result of each client and check',
    listOptions(z.array(resultResponse)),
  ),
  resultsOfClient: v1Endpoint(
    'GET /results/:client',
    'The latest results of a client',
    listOptions(z.array(resultResponse)),
  ),
  result: v1Endpoint(
    'GET /results/:client/:check',
    'The latest result of a client and check',
    singleOptions(resultResponse),
  ),
  submitResult: v1Endpoint(
    'POST /results',
    'Submits a result',
    acceptedOptions(v1ResultSchema, { scope: 'submit', errors: ['invalid', 'too_large', 'no_memory'] }),
  ),
  deleteResult: v1Endpoint(
    'DELETE /results/:client/:check',
    'Deletes a result with its history; keeps its event',
    DELETED_OPTIONS,
  ),

  silenced: v1Endpoint('GET /silenced', 'Silences', listOptions(z.array(silencedResponse))),
  silencedOfCheck: v1Endpoint(
    'GET /silenced/checks/:check',
    'Silences of a check',
    listOptions(z.array(silencedResponse)),
  ),
  silencedOfSubscription: v1Endpoint(
    'GET /silenced/subscriptions/:subscription',
    'Silences of a subscription',
    readOptionsWithQuery(z.array(silencedResponse), {
      ...PAGE_PARAMETERS,
      prefix: textParameter.describe('`true`: subscriptions with this prefix'),
    }),
  ),
  silencedEntry: v1Endpoint('GET /silenced/ids/:id', 'One silence', singleOptions(silencedResponse)),
  silence: v1Endpoint('POST /silenced', 'Creates a silence, or replaces the one with the same subscription and check', {
    scope: 'silence',
    body: silencedSchema,
    status: 201,
    errors: ['invalid', 'threshold', 'too_large', 'no_memory'],
  }),
  clearSilenced: v1Endpoint('POST /silenced/clear', 'Ends a silence', {
    ...DELETED_OPTIONS,
    scope: 'silence',
    body: clearSilencedSchema,
  }),
  deleteSilenced: v1Endpoint('DELETE /silenced/ids/:id', 'Ends a silence', { ...DELETED_OPTIONS, scope: 'silence' }),

  clients: v1Endpoint('GET /clients', 'Clients', listOptions(z.array(clientResponse))),
  client: v1Endpoint('GET /clients/:client', 'One client', singleOptions(clientResponse)),
  clientHistory: v1Endpoint(
    'GET /clients/:client/history',
    'The latest statuses of each check of a client',
    readOptions(z.array(clientHistoryResponse)),
  ),
  saveClient: v1Endpoint('POST /clients', 'Creates or replaces a client', {
    scope: 'submit',
    body: clientSchema,
    status: 201,
    response: z.object({ name: z.string() }),
    errors: ['invalid', 'too_large', 'no_memory'],
  }),
  deleteClient: v1Endpoint('DELETE /clients/:client', 'Resolves the events of a client and deletes it', {
    ...ACCEPTED_OPTIONS,
    scope: 'admin',
    isForAnonymous: true,
    query: {
      invalidate: booleanFlag.describe('`true`: reject its data until it is deleted'),
      invalidate_expire: countParameter.describe('seconds during which its data is rejected'),
    },
  }),

  checks: v1Endpoint(
    'GET /checks',
    'Definitions of checks that the backend schedules',
    listOptions(z.array(definedCheckResponse)),
  ),
  check: v1Endpoint('GET /checks/:check', 'One definition of a check', singleOptions(definedCheckResponse)),
  deleteCheck: v1Endpoint(
    'DELETE /checks/:check',
    'Resolves the events of a check and deletes its results; keeps the definition',
    { ...ACCEPTED_OPTIONS, errors: ['invalid'] },
  ),
  requestCheck: v1Endpoint(
    'POST /request',
    'Requests a run of a check now',
    acceptedOptions(requestSchema, { errors: ['invalid', 'not_found', 'too_large'] }),
  ),

  aggregates: v1Endpoint('GET /aggregates', 'Names of aggregates', listOptions(namesResponse)),
  aggregate: v1Endpoint(
    'GET /aggregates/:aggregate',
    'The counters of an aggregate',
    singleOptionsWithAge(aggregateResponse),
  ),
  aggregateClients: v1Endpoint(
    'GET /aggregates/:aggregate/clients',
    'Its clients, each with its checks; a 404 has an empty list',
    singleOptions(aggregateClientsResponse),
  ),
  aggregateChecks: v1Endpoint(
    'GET /aggregates/:aggregate/checks',
    'Its checks, each with its clients; a 404 has an empty list',
    singleOptions(aggregateChecksResponse),
  ),
  aggregateResults: v1Endpoint(
    'GET /aggregates/:aggregate/results/:severity',
    'Outputs with a severity, most frequent first',
    singleOptionsWithAge(z.array(aggregateResultsResponse)),
  ),
  deleteAggregate: v1Endpoint(
    'DELETE /aggregates/:aggregate',
    'Deletes an aggregate; members reappear with their next results',
    { ...DELETED_OPTIONS, scope: 'admin', isForAnonymous: true },
  ),

  stashes: v1Endpoint('GET /stashes', 'Stashes', listOptions(z.array(stashResponse))),
  stash: v1Endpoint('GET /stashes/*', 'The content of a stash', singleOptions(objectResponse)),
  stashAgain: v1Endpoint('GET /stash/*', 'As `/stashes/*`', singleOptions(objectResponse)),
  saveStash: v1Endpoint('POST /stashes', 'Creates or replaces a stash', { ...STASH_OPTIONS, body: stashSchema }),
  saveStashAt: v1Endpoint('POST /stashes/*', 'Creates or replaces a stash with the body', STASH_OPTIONS),
  saveStashAgain: v1Endpoint('POST /stash/*', 'As `/stashes/*`', STASH_OPTIONS),
  deleteStash: v1Endpoint('DELETE /stashes/*', 'Deletes a stash', {
    ...DELETED_OPTIONS,
    scope: 'admin',
    isForAnonymous: true,
  }),
  deleteStashAgain: v1Endpoint('DELETE /stash/*', 'As `/stashes/*`', {
    ...DELETED_OPTIONS,
    scope: 'admin',
    isForAnonymous: true,
  }),

  info: v1Endpoint('GET /info', 'Version and state of the backend', { ...readOptions(infoResponse), isOfItself: true }),
  health: v1Endpoint('GET /health', '204, or 412 with a sentence for each problem', {
    scope: 'read',
    isOfItself: true,
    query: HEALTH_PARAMETERS,
    status: 204,
    errors: [],
  }),
  settings: v1Endpoint(
    'GET /settings',
    'The effective configuration; secrets only for administrators on request',
    // The leader must handle the request, because reading secrets writes an audit record.
    {
      ...readOptionsWithQuery(objectResponse, {
        redacted: textParameter.describe('`false`: include secrets; administrators only'),
      }),
      isForLeader: true,
    },
  ),
  resultMetrics: v1Endpoint('GET /metrics/checks', 'Metrics of check results in the Prometheus text format', {
    ...readOptions(z.string()),
    isForLeader: true,
  }),
  metrics: v1Endpoint('GET /metrics', 'Metrics of the backend in the Prometheus text format', {
    ...readOptions(z.string()),
    isOfItself: true,
  }),
};

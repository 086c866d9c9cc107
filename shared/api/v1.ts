import { z } from 'zod';
import { definedCheckAnswer } from '../schemas/scheduled-check.ts';
import { infoAnswer } from '../schemas/info.ts';
import { objectAnswer, issuedAnswer, namesAnswer } from '../schemas/answer.ts';
import {
  aggregateAnswer,
  aggregateResultsAnswer,
  aggregateClientsAnswer,
  aggregateChecksAnswer,
} from '../schemas/aggregate.ts';
import { clientSchema, clientAnswer, clientHistoryAnswer } from '../schemas/client.ts';
import { resolveSchema, eventAnswer } from '../schemas/event.ts';
import { requestSchema } from '../schemas/request.ts';
import { v1ResultSchema, resultAnswer } from '../schemas/result.ts';
import { clearSilencedSchema, silencedSchema, silencedAnswer } from '../schemas/silenced.ts';
import { stashContentSchema, stashSchema, stashAnswer } from '../schemas/stash.ts';
import { endpointsBelow, type Endpoint, type EndpointQuery } from './endpoint.ts';
import { count, text, wanted } from './query.ts';

/** A part of a list, and exact conditions as `filter.PATH=VALUE`. */
const PAGE = {
  limit: count.describe('how many at most; the header `X-Pagination` tells the part and the total'),
  offset: count.describe('how many to leave out before them'),
};
const MAX_AGE = { max_age: count.describe('seconds after which a result counts as stale') };
const LIMITS = {
  consumers: count.describe('fewest consumers of results that are healthy'),
  messages: count.describe('most waiting results that are healthy'),
  deep: count.describe('1: the backend looks into itself, and answers 200 or 412 with what it found'),
};
type NoQuery = Record<string, never>;
type About<Body, Answer, Query extends EndpointQuery> = Omit<
  Endpoint<Body, Answer, Query>,
  'method' | 'path' | 'summary'
>;

const v1 = endpointsBelow('');

const readWith = <Answer, Query extends EndpointQuery>(
  answer: z.ZodType<Answer>,
  query: Query,
): About<undefined, Answer, Query> => ({ scope: 'read', status: 200, answer, query, errors: [] });
const read = <Answer>(answer: z.ZodType<Answer>): About<undefined, Answer, NoQuery> => readWith(answer, {});
const list = <Answer>(answer: z.ZodType<Answer>): About<undefined, Answer, typeof PAGE> => readWith(answer, PAGE);
const one = <Answer>(answer: z.ZodType<Answer>): About<undefined, Answer, NoQuery> => ({
  ...read(answer),
  errors: ['invalid', 'not_found'],
});
const oneOfAge = <Answer>(answer: z.ZodType<Answer>): About<undefined, Answer, typeof MAX_AGE> => ({
  ...readWith(answer, MAX_AGE),
  errors: ['invalid', 'not_found'],
});
const asked = <Body>(
  body: z.ZodType<Body>,
  about: Partial<Pick<Endpoint, 'scope' | 'errors'>> = {},
): About<Body, { issued: number }, NoQuery> => ({
  scope: 'resolve',
  body,
  status: 202,
  answer: issuedAnswer,
  errors: ['invalid', 'too_large'],
  ...about,
});
const GONE = { scope: 'resolve', status: 204, errors: ['invalid', 'not_found'] } as const;
const ACCEPTED = { ...GONE, status: 202, answer: issuedAnswer } as const;
const STASHED = {
  scope: 'admin',
  isForAnonymous: true,
  status: 201,
  answer: z.object({ path: z.string() }),
  body: stashContentSchema,
  errors: ['invalid', 'too_large', 'no_memory'],
} as const;

/** Version 1, at `/`: it is about the namespace `default` alone. */
export const V1_API = {
  events: v1('GET /events', 'Open events', list(z.array(eventAnswer))),
  eventsOfClient: v1('GET /events/:client', 'Open events of a client', list(z.array(eventAnswer))),
  event: v1('GET /events/:client/:check', 'One event', one(eventAnswer)),
  resolveEvent: v1('DELETE /events/:client/:check', 'Resolves an event', ACCEPTED),
  incidents: v1('GET /incidents', 'As `/events`', list(z.array(eventAnswer))),
  incidentsOfClient: v1('GET /incidents/:client', 'As `/events/:client`', list(z.array(eventAnswer))),
  incident: v1('GET /incidents/:client/:check', 'As `/events/:client/:check`', one(eventAnswer)),
  resolveIncident: v1('DELETE /incidents/:client/:check', 'As `/events/:client/:check`', ACCEPTED),
  resolve: v1(
    'POST /resolve',
    'Resolves an event; 404 without a body where there is none',
    asked(resolveSchema, { errors: ['invalid', 'not_found', 'too_large'] }),
  ),

  results: v1('GET /results', 'The last result of each client and check', list(z.array(resultAnswer))),
  resultsOfClient: v1('GET /results/:client', 'The last results of a client', list(z.array(resultAnswer))),
  result: v1('GET /results/:client/:check', 'The last result of a client and check', one(resultAnswer)),
  submitResult: v1(
    'POST /results',
    'Takes a result',
    asked(v1ResultSchema, { scope: 'submit', errors: ['invalid', 'too_large', 'no_memory'] }),
  ),
  deleteResult: v1('DELETE /results/:client/:check', 'Deletes a result with its history; its event stays', GONE),

  silenced: v1('GET /silenced', 'Silenced entries', list(z.array(silencedAnswer))),
  silencedOfCheck: v1('GET /silenced/checks/:check', 'Entries that name a check', list(z.array(silencedAnswer))),
  silencedOfSubscription: v1(
    'GET /silenced/subscriptions/:subscription',
    'Entries that name a subscription',
    readWith(z.array(silencedAnswer), { ...PAGE, prefix: text.describe('`true`: those whose subscription begins so') }),
  ),
  silencedEntry: v1('GET /silenced/ids/:id', 'One silenced entry', one(silencedAnswer)),
  silence: v1('POST /silenced', 'Makes a silenced entry, in place of the one with the same subscription and check', {
    scope: 'silence',
    body: silencedSchema,
    status: 201,
    errors: ['invalid', 'threshold', 'too_large', 'no_memory'],
  }),
  clearSilenced: v1('POST /silenced/clear', 'Ends one silenced entry', {
    ...GONE,
    scope: 'silence',
    body: clearSilencedSchema,
  }),
  deleteSilenced: v1('DELETE /silenced/ids/:id', 'Ends one silenced entry', { ...GONE, scope: 'silence' }),

  clients: v1('GET /clients', 'Clients', list(z.array(clientAnswer))),
  client: v1('GET /clients/:client', 'One client', one(clientAnswer)),
  clientHistory: v1(
    'GET /clients/:client/history',
    'The last statuses of each check of a client',
    read(z.array(clientHistoryAnswer)),
  ),
  saveClient: v1('POST /clients', 'Makes a client, in place of the one of that name', {
    scope: 'submit',
    body: clientSchema,
    status: 201,
    answer: z.object({ name: z.string() }),
    errors: ['invalid', 'too_large', 'no_memory'],
  }),
  deleteClient: v1('DELETE /clients/:client', 'Resolves the events of a client and deletes it', {
    ...ACCEPTED,
    scope: 'admin',
    isForAnonymous: true,
    query: {
      invalidate: wanted.describe('`true`: it may not come back before it was deleted'),
      invalidate_expire: count.describe('seconds for which it may not come back'),
    },
  }),

  checks: v1('GET /checks', 'Definitions of checks that the backend publishes', list(z.array(definedCheckAnswer))),
  check: v1('GET /checks/:check', 'One definition of a check', one(definedCheckAnswer)),
  deleteCheck: v1(
    'DELETE /checks/:check',
    'Resolves the events of a check and deletes its results; the definition stays',
    { ...ACCEPTED, errors: ['invalid'] },
  ),
  requestCheck: v1(
    'POST /request',
    'Asks for a run of a check now',
    asked(requestSchema, { errors: ['invalid', 'not_found', 'too_large'] }),
  ),

  aggregates: v1('GET /aggregates', 'Names of aggregates', list(namesAnswer)),
  aggregate: v1('GET /aggregates/:aggregate', 'The counters of an aggregate', oneOfAge(aggregateAnswer)),
  aggregateClients: v1(
    'GET /aggregates/:aggregate/clients',
    'Its clients, each with its checks; a 404 has an empty list',
    one(aggregateClientsAnswer),
  ),
  aggregateChecks: v1(
    'GET /aggregates/:aggregate/checks',
    'Its checks, each with its clients; a 404 has an empty list',
    one(aggregateChecksAnswer),
  ),
  aggregateResults: v1(
    'GET /aggregates/:aggregate/results/:severity',
    'What its checks say at a severity, the most frequent first',
    oneOfAge(z.array(aggregateResultsAnswer)),
  ),
  deleteAggregate: v1(
    'DELETE /aggregates/:aggregate',
    'Deletes an aggregate; its members come back with their next results',
    { ...GONE, scope: 'admin', isForAnonymous: true },
  ),

  stashes: v1('GET /stashes', 'Stashes', list(z.array(stashAnswer))),
  stash: v1('GET /stashes/*', 'The content of a stash', one(objectAnswer)),
  stashAgain: v1('GET /stash/*', 'As `/stashes/*`', one(objectAnswer)),
  saveStash: v1('POST /stashes', 'Makes a stash, in place of the one at that path', { ...STASHED, body: stashSchema }),
  saveStashAt: v1('POST /stashes/*', 'Makes a stash of the body, in place of the one at that path', STASHED),
  saveStashAgain: v1('POST /stash/*', 'As `/stashes/*`', STASHED),
  deleteStash: v1('DELETE /stashes/*', 'Deletes a stash', { ...GONE, scope: 'admin', isForAnonymous: true }),
  deleteStashAgain: v1('DELETE /stash/*', 'As `/stashes/*`', { ...GONE, scope: 'admin', isForAnonymous: true }),

  info: v1('GET /info', 'What runs here', { ...read(infoAnswer), isOfItself: true }),
  health: v1('GET /health', '204, or 412 with a sentence for each thing that is wrong', {
    scope: 'read',
    isOfItself: true,
    query: LIMITS,
    status: 204,
    errors: [],
  }),
  settings: v1(
    'GET /settings',
    'The configuration in force; secrets only for administrators who ask for them',
    // Who reads secrets is written down.
    { ...readWith(objectAnswer, { redacted: text.describe('`false`: whole, for administrators') }), onWriter: true },
  ),
  resultMetrics: v1('GET /metrics/checks', 'What results have measured last, in the text format of Prometheus', {
    ...read(z.string()),
    onWriter: true,
  }),
  metrics: v1('GET /metrics', 'Figures in the text format of Prometheus', { ...read(z.string()), isOfItself: true }),
};

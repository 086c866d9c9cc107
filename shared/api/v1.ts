import { z } from 'zod';
import { clientSchema } from '../schemas/client.ts';
import { resolveSchema } from '../schemas/event.ts';
import { requestSchema } from '../schemas/request.ts';
import { resultSchema } from '../schemas/result.ts';
import { clearSilencedSchema, silencedSchema } from '../schemas/silenced.ts';
import { stashContentSchema, stashSchema } from '../schemas/stash.ts';
import { answers } from './answers.ts';
import type { Endpoint } from './endpoint.ts';

const count = z.int().min(0).optional();
/** A part of a list, and exact conditions as `filter.PATH=VALUE`. */
const PAGE = {
  limit: count.describe('how many at most; the header `X-Pagination` tells the part and the total'),
  offset: count.describe('how many to leave out before them'),
};
const MAX_AGE = { max_age: count.describe('seconds after which a result counts as stale') };
const LIMITS = {
  consumers: count.describe('fewest consumers of results that are healthy'),
  messages: count.describe('most waiting results that are healthy'),
  deep: z
    .string()
    .optional()
    .describe('given: the backend looks into itself, and answers 200 or 412 with what it found'),
};
const path = z.object({ path: z.string() });

type About = Omit<Endpoint, 'method' | 'path' | 'summary'>;

/** `GET /events`, who may and what it is for, and what else is not as usual. */
function v1(route: `${Endpoint['method']} /${string}`, summary: string, about: About): Endpoint {
  const [method = '', pattern = ''] = route.split(' ');
  return { ...about, method: method as Endpoint['method'], path: pattern, summary };
}

const read = (answer: z.ZodType, about: Partial<About> = {}): About => ({
  scope: 'read',
  status: 200,
  answer,
  errors: [],
  ...about,
});
const list = (answer: z.ZodType): About => read(answer, { query: PAGE });
const one = (answer: z.ZodType): About => read(answer, { errors: ['invalid', 'not_found'] });
const asked = (body: z.ZodType, about: Partial<About> = {}): About => ({
  scope: 'resolve',
  body,
  status: 202,
  answer: answers.issued,
  errors: ['invalid', 'too_large'],
  ...about,
});
const gone: About = { scope: 'resolve', status: 204, errors: ['invalid', 'not_found'] };
const stashed: About = {
  scope: 'admin',
  isForAnonymous: true,
  status: 201,
  answer: path,
  body: stashContentSchema,
  errors: ['invalid', 'too_large', 'no_memory'],
};

/** The legacy API, at `/`: it is about the namespace `default` alone. */
export const V1_API = {
  events: v1('GET /events', 'Open events', list(answers.events)),
  eventsOfClient: v1('GET /events/:client', 'Open events of a client', list(answers.events)),
  event: v1('GET /events/:client/:check', 'One event', one(answers.event)),
  resolveEvent: v1('DELETE /events/:client/:check', 'Resolves an event', {
    ...gone,
    status: 202,
    answer: answers.issued,
  }),
  incidents: v1('GET /incidents', 'As `/events`', list(answers.events)),
  incidentsOfClient: v1('GET /incidents/:client', 'As `/events/:client`', list(answers.events)),
  incident: v1('GET /incidents/:client/:check', 'As `/events/:client/:check`', one(answers.event)),
  resolveIncident: v1('DELETE /incidents/:client/:check', 'As `/events/:client/:check`', {
    ...gone,
    status: 202,
    answer: answers.issued,
  }),
  resolve: v1(
    'POST /resolve',
    'Resolves an event; 404 without a body where there is none',
    asked(resolveSchema, { errors: ['invalid', 'not_found', 'too_large'] }),
  ),

  results: v1('GET /results', 'The last result of each client and check', list(answers.results)),
  resultsOfClient: v1('GET /results/:client', 'The last results of a client', list(answers.results)),
  result: v1('GET /results/:client/:check', 'The last result of a client and check', one(answers.result)),
  submitResult: v1(
    'POST /results',
    'Takes a result',
    asked(resultSchema, { scope: 'submit', errors: ['invalid', 'too_large', 'no_memory'] }),
  ),
  deleteResult: v1('DELETE /results/:client/:check', 'Deletes a result with its history; its event stays', gone),

  silenced: v1('GET /silenced', 'Silenced entries', list(answers.silenced)),
  silencedOfCheck: v1('GET /silenced/checks/:check', 'Entries that name a check', list(answers.silenced)),
  silencedOfSubscription: v1(
    'GET /silenced/subscriptions/:subscription',
    'Entries that name a subscription',
    read(answers.silenced, {
      query: { ...PAGE, prefix: z.string().optional().describe('`true`: those whose subscription begins so') },
    }),
  ),
  silencedEntry: v1('GET /silenced/ids/:id', 'One silenced entry', one(answers.silencedOne)),
  silence: v1('POST /silenced', 'Makes a silenced entry, in place of the one with the same subscription and check', {
    scope: 'silence',
    body: silencedSchema,
    status: 201,
    errors: ['invalid', 'threshold', 'too_large', 'no_memory'],
  }),
  clearSilenced: v1('POST /silenced/clear', 'Ends one silenced entry', {
    ...gone,
    scope: 'silence',
    body: clearSilencedSchema,
  }),
  deleteSilenced: v1('DELETE /silenced/ids/:id', 'Ends one silenced entry', { ...gone, scope: 'silence' }),

  clients: v1('GET /clients', 'Clients', list(answers.clients)),
  client: v1('GET /clients/:client', 'One client', one(answers.client)),
  clientHistory: v1(
    'GET /clients/:client/history',
    'The last statuses of each check of a client',
    read(answers.clientHistories),
  ),
  saveClient: v1('POST /clients', 'Makes a client, in place of the one of that name', {
    scope: 'submit',
    body: clientSchema,
    status: 201,
    answer: answers.name,
    errors: ['invalid', 'too_large', 'no_memory'],
  }),
  deleteClient: v1('DELETE /clients/:client', 'Resolves the events of a client and deletes it', {
    ...gone,
    scope: 'admin',
    isForAnonymous: true,
    query: {
      invalidate: z.string().optional().describe('`true`: it may not come back before it was deleted'),
      invalidate_expire: count.describe('seconds for which it may not come back'),
    },
    status: 202,
    answer: answers.issued,
  }),

  checks: v1('GET /checks', 'Definitions of checks that the backend publishes', list(answers.checks)),
  check: v1('GET /checks/:check', 'One definition of a check', one(answers.check)),
  deleteCheck: v1(
    'DELETE /checks/:check',
    'Resolves the events of a check and deletes its results; the definition stays',
    {
      ...gone,
      status: 202,
      answer: answers.issued,
      errors: ['invalid'],
    },
  ),
  requestCheck: v1(
    'POST /request',
    'Asks for a run of a check now',
    asked(requestSchema, { errors: ['invalid', 'not_found', 'too_large'] }),
  ),

  aggregates: v1('GET /aggregates', 'Names of aggregates', list(answers.named)),
  aggregate: v1('GET /aggregates/:aggregate', 'The counters of an aggregate', {
    ...one(answers.aggregate),
    query: MAX_AGE,
  }),
  aggregateClients: v1(
    'GET /aggregates/:aggregate/clients',
    'Its clients, each with its checks; a 404 has an empty list',
    one(answers.aggregateClients),
  ),
  aggregateChecks: v1(
    'GET /aggregates/:aggregate/checks',
    'Its checks, each with its clients; a 404 has an empty list',
    one(answers.aggregateChecks),
  ),
  aggregateResults: v1(
    'GET /aggregates/:aggregate/results/:severity',
    'What its checks say at a severity, the most frequent first',
    { ...one(answers.aggregateResults), query: MAX_AGE },
  ),
  deleteAggregate: v1(
    'DELETE /aggregates/:aggregate',
    'Deletes an aggregate; its members come back with their next results',
    { ...gone, scope: 'admin', isForAnonymous: true },
  ),

  stashes: v1('GET /stashes', 'Stashes', list(answers.stashes)),
  stash: v1('GET /stashes/*', 'The content of a stash', one(answers.object)),
  stashAgain: v1('GET /stash/*', 'As `/stashes/*`', one(answers.object)),
  saveStash: v1('POST /stashes', 'Makes a stash, in place of the one at that path', { ...stashed, body: stashSchema }),
  saveStashAt: v1('POST /stashes/*', 'Makes a stash of the body, in place of the one at that path', stashed),
  saveStashAgain: v1('POST /stash/*', 'As `/stashes/*`', stashed),
  deleteStash: v1('DELETE /stashes/*', 'Deletes a stash', { ...gone, scope: 'admin', isForAnonymous: true }),
  deleteStashAgain: v1('DELETE /stash/*', 'As `/stashes/*`', { ...gone, scope: 'admin', isForAnonymous: true }),

  info: v1('GET /info', 'What runs here', read(answers.info)),
  health: v1('GET /health', '204, or 412 with a sentence for each thing that is wrong', {
    scope: 'read',
    query: LIMITS,
    status: 204,
    errors: [],
  }),
  settings: v1(
    'GET /settings',
    'The configuration in force; secrets only for administrators who ask for them',
    read(answers.object),
  ),
  metrics: v1('GET /metrics', 'Figures in the text format of Prometheus', read(z.string())),
};

import { z } from 'zod';
import { versionsAnswer } from '../schemas/versions.ts';
import { holdSchema, releaseSchema } from '../schemas/maintenance.ts';
import { silencePolicyAnswer } from '../schemas/silence-policy.ts';
import { definedCheckAnswer } from '../schemas/scheduled-check.ts';
import { overviewAnswer } from '../schemas/overview.ts';
import { listedClientAnswer } from '../schemas/listed-client.ts';
import { eventRowSchema } from '../schemas/feed.ts';
import { explanationAnswer, simulationAnswer } from '../schemas/explain.ts';
import { eventAnswer } from '../schemas/event.ts';
import { checkOfClientAnswer, clientDetailAnswer } from '../schemas/check-summary.ts';
import { auditRecordAnswer, auditHeadAnswer } from '../schemas/audit.ts';
import { objectAnswer, issuedAnswer } from '../schemas/answer.ts';
import {
  aggregateAnswer,
  aggregateResultsAnswer,
  aggregateClientsAnswer,
  aggregateChecksAnswer,
} from '../schemas/aggregate.ts';
import { accessAnswer } from '../schemas/access.ts';
import { EVENT_SORT_COLUMNS } from '../domain/event-order.ts';
import { bulkSchema, bulkAnswer } from '../schemas/bulk.ts';
import { clusterAnswer, handOverSchema } from '../schemas/cluster.ts';
import { checkRenameSchema, renamedAnswer } from '../schemas/check-rename.ts';
import { clientSchema, clientAnswer, clientHistoryAnswer, deletedClientsAnswer } from '../schemas/client.ts';
import { deadLetterSelectionSchema, deadLetterAnswer, handlerAnswer } from '../schemas/dead-letter.ts';
import { handlerTestAnswer, handlerTestSchema } from '../schemas/handler-test.ts';
import { newPlanSchema, planAnswer, planOrderSchema, plansAnswer } from '../schemas/plan-run.ts';
import { upgradeFactsSchema } from '../schemas/plan.ts';
import { requestSchema } from '../schemas/request.ts';
import { restoreSchema, dumpPageAnswer, restoredAnswer } from '../schemas/restore.ts';
import { BATCH_MAX, resultSchema, resultAnswer, batchAnswer } from '../schemas/result.ts';
import { groupAnswer } from '../schemas/grouping.ts';
import { inhibitionAnswer } from '../schemas/inhibition.ts';
import { silencePreviewSchema, recentProblemsAnswer } from '../schemas/silence-preview.ts';
import { clearSilencedSchema, monSilencedSchema, silencedDetailAnswer } from '../schemas/silenced.ts';
import { storeUpgradeRequestSchema, storeUpgradeAnswer } from '../schemas/store-upgrade.ts';
import { stashAnswer, stashSchema } from '../schemas/stash.ts';
import { availabilityAnswer, checkPastAnswer } from '../schemas/availability.ts';
import { reportAnswer } from '../schemas/report.ts';
import { pastChangesAnswer, pastStateAnswer, timelineAnswer } from '../schemas/timeline.ts';
import { endpointsBelow } from './endpoint.ts';
import { given, place, text, wanted, whole } from './query.ts';

/** Where our own routes are. */
const MON = '/api/mon/v1';

const mon = endpointsBelow(MON);

/** Of what many objects may be sent with. */
const LARGE_BYTES = 16 * 1024 * 1024;

/** A part of a list; the header `X-Pagination` tells it, and the total. */
const PAGE = {
  limit: whole.describe('how many at most'),
  offset: whole.describe('how many to leave out before them'),
};

/** What the objects of one namespace are asked for with. */
const IN = { namespace: text.describe('the namespace; `default` unless told') };
const IN_ANY = { namespace: text.describe('the namespace, or `*` for all; `default` unless told') };
const MAX_AGE = { max_age: whole.describe('seconds after which a result counts as stale') };

/** A part of the past. */
const SPAN = {
  since: whole.describe('from this time on, epoch milliseconds'),
  until: whole.describe('up to this time, epoch milliseconds; now unless told'),
};

const SEARCHED = { ...PAGE, q: text.describe('a search, as people type it') };
const LIST = { ...IN_ANY, ...SEARCHED };
const SORTED = text.describe(`${EVENT_SORT_COLUMNS.join(', ')}; with - before it the other way round`);
const WHOLE = { whole: given.describe('given: as `/events` and `/clients` have them') };

/** An exact condition. */
const exactly = (attribute: string): typeof text => text.describe(`only those whose ${attribute} is this`);

/** What a deletion without a search is told. */
export const WHICH_CLIENTS = 'say which clients, as in q=keepalive>30d result>30d';

/** Every route below `/api/mon/v1`, but for the live feed (docs/feed.md), which is no exchange of HTTP. */
export const MON_API = {
  access: mon('GET /access', 'Who the caller is and may do, and what each route asks for', {
    scope: 'authenticated',
    answer: accessAnswer,
  }),
  openApi: mon('GET /openapi.json', 'This table as an OpenAPI 3.1 document', {
    scope: 'authenticated',
    answer: objectAnswer,
  }),

  events: mon('GET /events', 'Open events as tables show them, searched and sorted', {
    query: { ...LIST, ...WHOLE, sort: SORTED },
    answer: z.union([z.array(eventRowSchema.loose()), z.array(eventAnswer)]),
  }),
  event: mon('GET /events/:client/:check', 'One whole event', { query: IN, answer: eventAnswer }),
  resolveEvent: mon('DELETE /events/:client/:check', 'Resolves an event', {
    scope: 'resolve',
    query: IN,
    status: 202,
    answer: issuedAnswer,
  }),
  explainEvent: mon('GET /events/:client/:check/explain', 'What becomes of an event at each of its handlers, and why', {
    onWriter: true,
    query: IN,
    answer: explanationAnswer,
  }),
  timeline: mon('GET /timeline', 'What became of checks and silences, the newest first, up to 1,000 at once', {
    query: {
      ...IN_ANY,
      client: text.describe('only of this client, with the silences that name it'),
      check: text.describe('only of this check'),
      q: text.describe('a search, as people type it'),
      ...SPAN,
      limit: whole.describe('how many at most; 100 unless told'),
      after: place.describe('where to go on, as the page before says'),
    },
    answer: timelineAnswer,
  }),
  checkPast: mon('GET /timeline/:client/:check', 'How one check was in a span of the past, and when it was silenced', {
    query: { ...IN, ...SPAN },
    answer: checkPastAnswer,
  }),
  pastState: mon('GET /timeline/state', 'Events, silences and clients as they were at a moment of the past', {
    query: {
      ...IN_ANY,
      at: whole.describe('the moment, epoch milliseconds; now unless told'),
      q: text.describe('a search, as people type it: which events; its ages count up to the moment'),
      sort: SORTED,
      limit: whole.describe('how many events at most, up to 10,000; 100 unless told'),
      offset: PAGE.offset,
      silenced: given.describe('given: the silences as well'),
      clients: given.describe('given: the clients as well'),
    },
    answer: pastStateAnswer,
    errors: ['invalid', 'not_found'],
  }),
  pastChanges: mon('GET /timeline/changes', 'What is different at a moment of the past from another one', {
    query: {
      ...IN_ANY,
      from: whole.describe('the moment whose lists are known, epoch milliseconds; now unless told'),
      at: whole.describe('the other one; now unless told'),
    },
    answer: pastChangesAnswer,
    errors: ['invalid', 'not_found'],
  }),
  availability: mon('GET /availability', 'For how long checks were well in a span of the past, the worst first', {
    query: {
      ...IN,
      client: text.describe('of the checks of this client'),
      check: text.describe('of this check'),
      aggregate: text.describe('of what belongs to this aggregate now'),
      ...SPAN,
      limit: whole.describe('how many checks at most, up to 1,000; 100 unless told'),
    },
    answer: availabilityAnswer,
    errors: ['invalid', 'not_found'],
  }),
  report: mon('GET /report', 'What there is to hand over: what broke, what is open, who did what, what is noisy', {
    query: {
      ...IN_ANY,
      since: whole.describe('from this time on, epoch milliseconds; 12 hours before the end unless told'),
      until: SPAN.until,
      limit: whole.describe('how much of each list at most, up to 1,000; 100 unless told'),
    },
    answer: reportAnswer,
  }),
  overview: mon('GET /overview', 'Figures of the whole backend, and of the clients and checks of a namespace', {
    onWriter: true,
    query: IN_ANY,
    answer: overviewAnswer,
    errors: ['not_found'],
  }),

  results: mon('GET /results', 'The last result of each client and check', {
    query: LIST,
    answer: z.array(resultAnswer),
  }),
  result: mon('GET /results/:client/:check', 'The last result of a client and check', {
    query: IN,
    answer: resultAnswer,
  }),
  deleteResult: mon('DELETE /results/:client/:check', 'Deletes a result with its history; its event stays', {
    scope: 'resolve',
    query: IN,
    status: 204,
  }),
  submitResults: mon('POST /results', 'Many results at once: what is valid is stored, the rest is named by its index', {
    scope: 'submit',
    query: IN,
    bodyBytesMax: LARGE_BYTES,
    body: z.array(resultSchema).max(BATCH_MAX),
    status: 202,
    answer: batchAnswer,
    errors: ['invalid', 'too_large', 'no_memory'],
  }),
  simulate: mon('POST /simulate', 'What a result would do; nothing is changed', {
    scope: 'read',
    onWriter: false,
    query: IN,
    body: resultSchema,
    answer: simulationAnswer,
  }),

  silenced: mon('GET /silenced', 'Silenced entries with what they kept back', {
    query: { ...LIST, 'filter.check': exactly('check'), 'filter.subscription': exactly('subscription') },
    answer: z.array(silencedDetailAnswer),
  }),
  silencedEntry: mon('GET /silenced/:id', 'One silenced entry with what it kept back', {
    query: IN,
    answer: silencedDetailAnswer,
  }),
  silence: mon('POST /silenced', 'Makes a silenced entry, in place of the one that silences the same', {
    scope: 'silence',
    query: IN,
    body: monSilencedSchema,
    status: 201,
    errors: ['invalid', 'threshold', 'too_large', 'no_memory'],
  }),
  clearSilenced: mon('POST /silenced/clear', 'Ends one silenced entry', {
    scope: 'silence',
    query: IN,
    body: clearSilencedSchema,
    status: 204,
    errors: ['invalid', 'not_found', 'too_large'],
  }),
  holdSilence: mon('POST /silenced/hold', 'Silences while a command runs, for a minute unless it is renewed', {
    scope: 'silence',
    query: IN,
    body: holdSchema,
    status: 204,
    errors: ['invalid', 'not_found', 'conflict', 'threshold', 'too_large', 'no_memory'],
  }),
  releaseSilence: mon('POST /silenced/release', 'Ends the silence that a command held', {
    scope: 'silence',
    query: IN,
    body: releaseSchema,
    status: 204,
    errors: ['invalid', 'not_found', 'conflict', 'too_large'],
  }),
  silencePreview: mon(
    'POST /silenced/preview',
    'What entries would silence now, and would have of late; nothing is made',
    {
      scope: 'read',
      query: IN,
      body: silencePreviewSchema,
      answer: recentProblemsAnswer,
      errors: ['invalid', 'threshold', 'too_large'],
    },
  ),
  silencePolicy: mon('GET /silence-policy', 'What a silence must keep to', {
    query: IN,
    answer: silencePolicyAnswer,
    errors: [],
  }),
  bulk: mon('POST /bulk', 'Silences, clears, resolves and restores as one change, each with what takes it back', {
    scope: ['silence', 'resolve'],
    query: IN,
    bodyBytesMax: LARGE_BYTES,
    body: bulkSchema,
    answer: bulkAnswer,
    errors: ['invalid', 'threshold', 'conflict', 'too_large', 'no_memory'],
  }),

  clients: mon('GET /clients', 'Clients with the number of their open events', {
    query: { ...LIST, ...WHOLE },
    answer: z.union([z.array(listedClientAnswer), z.array(clientAnswer)]),
  }),
  client: mon('GET /clients/:client', 'A client with all its checks', { query: IN, answer: clientDetailAnswer }),
  clientHistory: mon('GET /clients/:client/history', 'The last statuses of each check of a client', {
    query: IN,
    answer: z.array(clientHistoryAnswer),
    errors: ['invalid'],
  }),
  saveClient: mon('POST /clients', 'Makes a client, in place of the one of that name', {
    scope: 'submit',
    query: IN,
    body: clientSchema,
    status: 201,
    answer: z.object({ name: z.string() }),
    errors: ['invalid', 'too_large', 'no_memory'],
  }),
  deleteClient: mon('DELETE /clients/:client', 'Resolves the events of a client and deletes it', {
    scope: 'admin',
    isForAnonymous: true,
    query: {
      ...IN,
      invalidate: wanted.describe('`true`: it may not come back before it was deleted'),
      invalidate_expire: whole.describe('seconds for which it may not come back'),
    },
    status: 202,
    answer: issuedAnswer,
  }),
  deleteClients: mon('DELETE /clients', 'Deletes the clients that a search finds, 10,000 at most', {
    scope: 'admin',
    query: {
      ...IN,
      q: z.string({ error: WHICH_CLIENTS }).describe('a search, as people type it; without one nothing is deleted'),
    },
    answer: deletedClientsAnswer,
  }),

  checks: mon('GET /checks', 'Definitions of checks, when each runs next, and how it is doing', {
    query: LIST,
    answer: z.array(definedCheckAnswer),
  }),
  check: mon('GET /checks/:check', 'One definition of a check, when it runs next, and how it is doing', {
    query: IN,
    answer: definedCheckAnswer,
  }),
  deleteCheck: mon(
    'DELETE /checks/:check',
    'Resolves the events of a check and deletes its results; the definition stays',
    { scope: 'resolve', query: IN, status: 202, answer: issuedAnswer },
  ),
  requestCheck: mon('POST /request', 'Asks for a run of a check now', {
    scope: 'resolve',
    query: IN,
    body: requestSchema,
    status: 202,
    answer: issuedAnswer,
    errors: ['invalid', 'not_found', 'too_large'],
  }),
  checkResults: mon('GET /checks/:check/results', 'What each client says of a check, the worst first', {
    query: { ...IN, ...PAGE },
    answer: z.array(checkOfClientAnswer),
    errors: ['invalid'],
  }),
  renameCheck: mon('POST /checks/:check/rename', 'Gives results, histories and events of a check another name', {
    scope: 'admin',
    query: IN,
    body: checkRenameSchema,
    answer: renamedAnswer,
    errors: ['invalid', 'conflict', 'too_large'],
  }),

  aggregates: mon('GET /aggregates', 'All aggregates with their counters', {
    query: LIST,
    answer: z.array(aggregateAnswer.extend({ name: z.string() })),
  }),
  aggregate: mon('GET /aggregates/:aggregate', 'The counters of an aggregate', {
    query: { ...IN, ...MAX_AGE },
    answer: aggregateAnswer,
  }),
  aggregateClients: mon(
    'GET /aggregates/:aggregate/clients',
    'The clients of an aggregate, each with its checks; a 404 has an empty list',
    { query: IN, answer: aggregateClientsAnswer },
  ),
  aggregateChecks: mon(
    'GET /aggregates/:aggregate/checks',
    'The checks of an aggregate, each with its clients; a 404 has an empty list',
    { query: IN, answer: aggregateChecksAnswer },
  ),
  aggregateResults: mon(
    'GET /aggregates/:aggregate/results/:severity',
    'What the checks of an aggregate say at a severity, the most frequent first',
    { query: { ...IN, ...MAX_AGE }, answer: z.array(aggregateResultsAnswer) },
  ),
  deleteAggregate: mon(
    'DELETE /aggregates/:aggregate',
    'Deletes an aggregate; its members come back with their next results',
    { scope: 'admin', isForAnonymous: true, query: IN, status: 204 },
  ),

  stashes: mon('GET /stashes', 'Stashes', { query: { ...IN_ANY, ...PAGE }, answer: z.array(stashAnswer) }),
  stash: mon('GET /stashes/:path', 'The content of a stash', { query: IN, answer: objectAnswer }),
  saveStash: mon('POST /stashes', 'Makes a stash, in place of the one at that path', {
    scope: 'admin',
    isForAnonymous: true,
    query: IN,
    body: stashSchema,
    status: 201,
    answer: z.object({ path: z.string() }),
    errors: ['invalid', 'too_large', 'no_memory'],
  }),
  deleteStash: mon('DELETE /stashes/:path', 'Deletes a stash', {
    scope: 'admin',
    isForAnonymous: true,
    query: IN,
    status: 204,
  }),

  handlers: mon('GET /handlers', 'What each handler does and has before it', {
    onWriter: true,
    query: PAGE,
    answer: z.array(handlerAnswer),
    errors: [],
  }),
  handlerGroups: mon('GET /handler-groups', 'The groups of events that handlers have, and when each is told', {
    query: PAGE,
    answer: z.array(groupAnswer),
    errors: [],
  }),
  inhibitions: mon('GET /inhibitions', 'Rules that keep events quiet, and because of which events they do now', {
    query: PAGE,
    answer: z.array(inhibitionAnswer),
    errors: [],
  }),
  testHandler: mon('POST /handlers/:handler/test', 'Tells a handler of one event, or shows what it would be told', {
    scope: 'resolve',
    query: IN,
    body: handlerTestSchema,
    answer: handlerTestAnswer,
  }),
  deadLetters: mon('GET /dead-letters', 'Runs of handlers that failed for good, in the order in which they failed', {
    isOfAllNamespaces: true,
    onWriter: true,
    query: { ...SEARCHED, 'filter.handler': exactly('handler') },
    answer: z.array(deadLetterAnswer),
  }),
  deadLetter: mon('GET /dead-letters/:id', 'One dead letter with its event', {
    isOfAllNamespaces: true,
    onWriter: true,
    answer: deadLetterAnswer.extend({ event: objectAnswer, events: z.array(objectAnswer).optional() }),
  }),
  retryDeadLetter: mon('POST /dead-letters/:id/retry', 'Runs the handler of a dead letter again', {
    scope: 'resolve',
    isOfAllNamespaces: true,
    answer: z.object({ retried: z.number() }),
  }),
  retryDeadLetters: mon('POST /dead-letters/retry', 'Runs the handlers of many dead letters again', {
    scope: 'resolve',
    isOfAllNamespaces: true,
    body: deadLetterSelectionSchema,
    answer: z.object({ retried: z.number() }),
  }),
  dropDeadLetter: mon('DELETE /dead-letters/:id', 'Forgets a dead letter', {
    scope: 'resolve',
    isOfAllNamespaces: true,
    status: 204,
  }),
  dropDeadLetters: mon('POST /dead-letters/drop', 'Forgets many dead letters', {
    scope: 'resolve',
    isOfAllNamespaces: true,
    body: deadLetterSelectionSchema,
    answer: z.object({ dropped: z.number() }),
  }),

  audit: mon('GET /audit', 'Records of the audit trail, the newest first, at most 1000 at once', {
    isOfAllNamespaces: true,
    query: {
      ...PAGE,
      since: whole.describe('from this time on, epoch milliseconds'),
      after: whole.describe('with a greater id'),
      before: whole.describe('with a smaller id'),
      'filter.who': exactly('who'),
      'filter.action': exactly('action'),
    },
    answer: z.array(auditRecordAnswer),
  }),
  auditHead: mon('GET /audit/head', 'Where the audit trail begins and ends', {
    isOfAllNamespaces: true,
    answer: auditHeadAnswer,
  }),

  dump: mon('GET /dump/:type', 'A page of the exact state of one type, with secrets', {
    scope: 'admin',
    isOfAllNamespaces: true,
    onWriter: true,
    query: {
      namespace: text.describe('only of this one'),
      limit: whole.describe('how many at most, up to 100'),
      continue: text.describe('where to go on, as the page before says'),
    },
    answer: dumpPageAnswer,
  }),
  restore: mon('POST /restore', 'Brings objects of a dump back', {
    scope: 'admin',
    isOfAllNamespaces: true,
    bodyBytesMax: LARGE_BYTES,
    body: restoreSchema,
    answer: restoredAnswer,
    errors: ['invalid', 'too_large', 'no_memory'],
  }),

  versions: mon('GET /versions', 'What runs where, and what the store holds', { answer: versionsAnswer }),
  cluster: mon('GET /cluster', 'The backends that share a store: which of them writes, and how far the others are', {
    isOfItself: true,
    answer: clusterAnswer,
    errors: [],
  }),
  handOver: mon('POST /cluster/hand-over', 'Has another backend write; answered once it does', {
    scope: 'admin',
    isOfAllNamespaces: true,
    body: handOverSchema,
    answer: clusterAnswer,
    errors: ['invalid', 'not_found', 'conflict', 'too_large'],
  }),
  storeUpgrade: mon('GET /store/upgrade', 'The schema of the store, and how far its upgrade is', {
    isOfAllNamespaces: true,
    onWriter: true,
    answer: storeUpgradeAnswer,
  }),
  startStoreUpgrade: mon('POST /store/upgrade', 'Upgrades the schema of the store while the backend serves', {
    scope: 'admin',
    isOfAllNamespaces: true,
    body: storeUpgradeRequestSchema,
    status: 202,
    answer: storeUpgradeAnswer,
    errors: ['invalid', 'conflict', 'precondition', 'too_large'],
  }),
  plans: mon('GET /upgrades', 'Plans for upgrades, without their logs', {
    isOfAllNamespaces: true,
    answer: plansAnswer,
  }),
  plan: mon('GET /upgrades/:id', 'One plan for an upgrade', { isOfAllNamespaces: true, answer: planAnswer }),
  planFacts: mon('GET /upgrades/facts', 'What the backend knows of itself for a plan', {
    isOfAllNamespaces: true,
    onWriter: true,
    answer: upgradeFactsSchema,
  }),
  createPlan: mon('POST /upgrades', 'Makes a plan for an upgrade', {
    scope: 'admin',
    isOfAllNamespaces: true,
    body: newPlanSchema,
    status: 201,
    answer: planAnswer,
    errors: ['invalid', 'conflict', 'too_large'],
  }),
  orderPlan: mon(
    'POST /upgrades/:id',
    'Carries out, confirms or skips a step of a plan, or takes, leaves or ends the plan',
    {
      scope: 'admin',
      isOfAllNamespaces: true,
      body: planOrderSchema,
      answer: planAnswer,
      errors: ['invalid', 'not_found', 'conflict', 'too_large'],
    },
  ),
};

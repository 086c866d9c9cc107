import { expect, test } from 'vitest';
import { buildApiClient, openApiClient } from '../../../shared/client/api-client.ts';
import type { ApiClient } from '../../../shared/client/api-client.ts';
import type { ApiRequest } from '../../../shared/client/request.ts';
import { startScriptedServer } from '../../support/scripted-server.ts';
import type { ScriptedResponse } from '../../support/scripted-server.ts';

const ISSUED = { status: 202, body: { issued: 7 } };
const GONE = { status: 404, body: { error: 'there is no such thing' } };
const DISK = { name: 'disk', command: 'df', subscribers: ['all'], interval: 60, team: 'ops', next_run: 1_700_000_000 };
const HISTORY = { check: 'disk', history: [0, 2], last_execution: 5, last_status: 2, last_result: {} };
const COUNTS = { ok: 1, warning: 0, critical: 1, unknown: 0, total: 2, stale: 0, silenced: 0, down: 1 };
const SUMMARY = { clients: 2, checks: 1, results: COUNTS };
const OUTPUTS = [{ check: 'disk', summary: [{ output: 'full', total: 1, clients: ['web-001'] }] }];
const STASH = { path: 'deploy/web', content: { version: 12 }, expire: -1 };
const VERDICT = {
  handler: 'mail',
  verdict: 'severity',
  reason: 'its severity is warning, and the handler accepts critical',
};
const EXPLANATION = {
  client: 'a',
  check: 'disk',
  event: { id: 'x', status: 1, action: 'create', occurrences: 1, silenced_by: [] },
  reason: 'no handler runs',
  handlers: [
    { ...VERDICT, delivery: null },
    { ...VERDICT, delivery: { state: 'failed', at: 7, attempts: 2, reason: 'refused' } },
  ],
};
const SIMULATION = {
  client: 'a',
  check: 'disk',
  transition: 'none',
  event: null,
  reason: 'nothing to handle',
  handlers: [VERDICT],
};
const KEPT_BACK = {
  id: 'client:a:*',
  subscription: 'client:a',
  check: null,
  reason: null,
  creator: null,
  begin: null,
  expire_on_resolve: false,
  timestamp: 7,
  expire: -1,
  expire_at: null,
  suppressed: 3,
  last_suppressed: 9,
};
const INFO = {
  sensu: { version: '1.9.0' },
  transport: {
    name: 'websocket',
    connected: true,
    keepalives: { messages: 0, consumers: 1 },
    results: { messages: 3, consumers: 1 },
  },
  redis: { connected: true },
  servers: [{ id: 'x', hostname: 'ops-1', address: '127.0.0.1', tasks: ['client_monitor'], timestamp: 7 }],
};

const LAST = { status: 2, executed: 5, history: [0, 2], output: 'full' };
const CHECK_OF_CLIENT = { client: 'web-001', ...LAST, silenced: true };
const CLIENT_DETAIL = {
  client: { name: 'web-001', address: 'a', subscriptions: ['web'], timestamp: 5, version: '1.9.0' },
  checks: [
    {
      name: 'disk',
      ...LAST,
      interval: 60,
      event: { id: 'x', action: 'create', status: 2, occurrences: 3, silenced_by: ['web:*'] },
      next_run: 65,
    },
    {
      name: 'swap',
      status: null,
      executed: null,
      history: [],
      output: '',
      interval: null,
      event: null,
      next_run: null,
    },
  ],
};
const OVERVIEW = {
  at: 5,
  noisiest: [{ check: 'disk', events: 9, clients: 2 }],
  results: { period: 10, rates: [1.5, 0] },
  clients: { registered: 3, stale: 2, lost: 1 },
  queue: { results: 0 },
  store: { write_p99_ms: 1.2 },
  api: { response_p99_ms: null },
  feed: { consumers: 1 },
};
const POLICY = {
  reason: 'required',
  reason_pattern: null,
  max_expire: 3600,
  warn_matches: 50,
  apply_to_v1: false,
};
const AUDITED = {
  id: 2,
  at: 5000,
  who: 'ada',
  from: '::1',
  how: 'POST /api/mon/v1/bulk',
  action: 'bulk',
  target: '2 operations',
  before: null,
  after: [{ action: 'silence.clear' }],
  reason: null,
  previous: 'aa',
  hash: 'ab',
  later: { zone: 'x' },
};

test.each<{
  name: string;
  call: (api: ApiClient) => Promise<unknown>;
  sent: string;
  body?: unknown;
  answer: ScriptedResponse;
  got: unknown;
}>([
  {
    name: 'results of a check',
    call: (api) => api.results({ check: 'disk' }),
    sent: 'GET /results?filter.check.name=disk',
    answer: { status: 200, body: [] },
    got: [],
  },
  {
    name: 'events of a client and a check',
    call: (api) => api.events({ client: 'a', check: 'disk', limit: 2 }),
    sent: 'GET /events/a?limit=2&filter.check.name=disk',
    answer: { status: 200, body: [] },
    got: [],
  },
  {
    name: 'delete a result',
    call: (api) => api.deleteResult('a', 'disk'),
    sent: 'DELETE /results/a/disk',
    answer: { status: 204 },
    got: true,
  },
  {
    name: 'delete a result that does not exist',
    call: (api) => api.deleteResult('a', 'disk'),
    sent: 'DELETE /results/a/disk',
    answer: GONE,
    got: false,
  },
  {
    name: 'silences with the number of suppressed notifications',
    call: (api) => api.silencedDetails({ check: 'disk', subscription: 'web' }),
    sent: 'GET /api/mon/v1/silenced?filter.check=disk&filter.subscription=web',
    answer: { status: 200, body: [] },
    got: [],
  },
  {
    name: 'one silence with the number of suppressed notifications',
    call: (api) => api.silencedDetail('client:a:*'),
    sent: 'GET /api/mon/v1/silenced/client%3Aa%3A*',
    answer: { status: 200, body: KEPT_BACK },
    got: KEPT_BACK,
  },
  {
    name: 'a silence that does not exist',
    call: (api) => api.silencedEntry('client:a:*'),
    sent: 'GET /silenced/ids/client%3Aa%3A*',
    answer: GONE,
    got: undefined,
  },
  {
    name: 'history of a client',
    call: (api) => api.clientHistory('a'),
    sent: 'GET /clients/a/history',
    answer: { status: 200, body: [HISTORY] },
    got: [HISTORY],
  },
  {
    name: 'save a client',
    call: (api) => api.saveClient({ name: 'a', address: '' }),
    sent: 'POST /clients',
    body: { name: 'a', address: '' },
    answer: { status: 201, body: { name: 'a' } },
    got: undefined,
  },
  {
    name: 'delete a client',
    call: (api) => api.deleteClient('a'),
    sent: 'DELETE /clients/a',
    answer: ISSUED,
    got: { issued: 7 },
  },
  {
    name: 'delete and invalidate a client',
    call: (api) => api.deleteClient('a', {}),
    sent: 'DELETE /clients/a?invalidate=true',
    answer: ISSUED,
    got: { issued: 7 },
  },
  {
    name: 'delete a client and prevent its return',
    call: (api) => api.deleteClient('a', { expireSeconds: 60 }),
    sent: 'DELETE /clients/a?invalidate=true&invalidate_expire=60',
    answer: ISSUED,
    got: { issued: 7 },
  },
  {
    name: 'checks',
    call: (api) => api.checks(),
    sent: 'GET /api/mon/v1/checks',
    answer: { status: 200, body: [DISK] },
    got: [DISK],
  },
  {
    name: 'one check as defined',
    call: (api) => api.check('disk'),
    sent: 'GET /api/mon/v1/checks/disk',
    answer: { status: 200, body: DISK },
    got: DISK,
  },
  {
    name: 'a check that does not exist',
    call: (api) => api.check('disk'),
    sent: 'GET /api/mon/v1/checks/disk',
    answer: GONE,
    got: undefined,
  },
  {
    name: 'delete a check',
    call: (api) => api.deleteCheck('disk'),
    sent: 'DELETE /checks/disk',
    answer: ISSUED,
    got: { issued: 7 },
  },
  {
    name: 'request a check',
    call: (api) => api.requestCheck({ check: 'disk', subscribers: ['web'] }),
    sent: 'POST /request',
    body: { check: 'disk', subscribers: ['web'] },
    answer: ISSUED,
    got: { issued: 7 },
  },
  {
    name: 'rename a check',
    call: (api) => api.renameCheck('disk', 'fs', false),
    sent: 'POST /api/mon/v1/checks/disk/rename',
    body: { to: 'fs' },
    answer: { status: 200, body: { moved: 3 } },
    got: { moved: 3 },
  },
  {
    name: 'rename a check by force',
    call: (api) => api.renameCheck('disk', 'fs', true),
    sent: 'POST /api/mon/v1/checks/disk/rename',
    body: { to: 'fs', force: true },
    answer: { status: 200, body: { moved: 3 } },
    got: { moved: 3 },
  },
  {
    name: 'explain an event',
    call: (api) => api.explainEvent('a', 'disk'),
    sent: 'GET /api/mon/v1/events/a/disk/explain',
    answer: { status: 200, body: EXPLANATION },
    got: EXPLANATION,
  },
  {
    name: 'explain an event that does not exist',
    call: (api) => api.explainEvent('a', 'disk'),
    sent: 'GET /api/mon/v1/events/a/disk/explain',
    answer: GONE,
    got: undefined,
  },
  {
    name: 'simulate a result',
    call: (api) => api.simulate({ name: 'disk', output: 'full', status: 2 }),
    sent: 'POST /api/mon/v1/simulate',
    body: { name: 'disk', output: 'full', status: 2 },
    answer: { status: 200, body: SIMULATION },
    got: SIMULATION,
  },
  {
    name: 'aggregates',
    call: (api) => api.aggregates({ limit: 5 }),
    sent: 'GET /aggregates?limit=5',
    answer: { status: 200, body: [{ name: 'a:b|c' }] },
    got: [{ name: 'a:b|c' }],
  },
  {
    name: 'an aggregate whose name contains special characters',
    call: (api) => api.aggregate('a:b|c', { maxAge: 60 }),
    sent: 'GET /aggregates/a%3Ab%7Cc?max_age=60',
    answer: { status: 200, body: SUMMARY },
    got: SUMMARY,
  },
  {
    name: 'clients of an aggregate that does not exist',
    call: (api) => api.aggregateClients('a'),
    sent: 'GET /aggregates/a/clients',
    answer: { status: 404, body: [] },
    got: undefined,
  },
  {
    name: 'checks of an aggregate',
    call: (api) => api.aggregateChecks('a'),
    sent: 'GET /aggregates/a/checks',
    answer: { status: 200, body: [{ name: 'disk', clients: ['b'] }] },
    got: [{ name: 'disk', clients: ['b'] }],
  },
  {
    name: 'results of an aggregate',
    call: (api) => api.aggregateResults('a', 'critical'),
    sent: 'GET /aggregates/a/results/critical',
    answer: { status: 200, body: OUTPUTS },
    got: OUTPUTS,
  },
  {
    name: 'delete an aggregate that does not exist',
    call: (api) => api.deleteAggregate('a'),
    sent: 'DELETE /aggregates/a',
    answer: GONE,
    got: false,
  },
  {
    name: 'stashes',
    call: (api) => api.stashes(),
    sent: 'GET /stashes',
    answer: { status: 200, body: [STASH] },
    got: [STASH],
  },
  {
    name: 'a stash whose path is encoded as one path segment',
    call: (api) => api.stash('deploy/web x'),
    sent: 'GET /stashes/deploy%2Fweb%20x',
    answer: { status: 200, body: { version: 12 } },
    got: { version: 12 },
  },
  {
    name: 'save a stash',
    call: (api) => api.saveStash({ path: 'a', content: {}, expire: 5 }),
    sent: 'POST /stashes',
    body: { path: 'a', content: {}, expire: 5 },
    answer: { status: 201, body: { path: 'a' } },
    got: undefined,
  },
  {
    name: 'delete a stash',
    call: (api) => api.deleteStash('deploy/web'),
    sent: 'DELETE /stashes/deploy%2Fweb',
    answer: { status: 204 },
    got: true,
  },
  {
    name: 'aggregates with their counters',
    call: (api) => api.aggregateSummaries({ limit: 5 }),
    sent: 'GET /api/mon/v1/aggregates?limit=5',
    answer: { status: 200, body: [{ name: 'web', ...SUMMARY }] },
    got: [{ name: 'web', ...SUMMARY }],
  },
  {
    name: 'the results of a check on its clients',
    call: (api) => api.checkResults('disk', { limit: 2, offset: 4 }),
    sent: 'GET /api/mon/v1/checks/disk/results?limit=2&offset=4',
    answer: { status: 200, body: [CHECK_OF_CLIENT] },
    got: [CHECK_OF_CLIENT],
  },
  {
    name: 'a client with its checks',
    call: (api) => api.clientDetail('web-001'),
    sent: 'GET /api/mon/v1/clients/web-001',
    answer: { status: 200, body: CLIENT_DETAIL },
    got: CLIENT_DETAIL,
  },
  {
    name: 'a client that does not exist, with its checks',
    call: (api) => api.clientDetail('web-001'),
    sent: 'GET /api/mon/v1/clients/web-001',
    answer: GONE,
    got: undefined,
  },
  {
    name: 'the overview',
    call: (api) => api.overview(),
    sent: 'GET /api/mon/v1/overview',
    answer: { status: 200, body: OVERVIEW },
    got: OVERVIEW,
  },
  {
    name: 'the silence policy',
    call: (api) => api.silencePolicy(),
    sent: 'GET /api/mon/v1/silence-policy',
    answer: { status: 200, body: POLICY },
    got: POLICY,
  },
  {
    name: 'a bulk change',
    call: (api) => api.bulk({ operations: [{ op: 'clear', id: '*:disk' }], expect: 'all', creator: 'ada' }),
    sent: 'POST /api/mon/v1/bulk',
    body: { operations: [{ op: 'clear', id: '*:disk' }], expect: 'all', creator: 'ada' },
    answer: { status: 200, body: { results: [{ ok: true, undo: { op: 'restore', later: 1 } }] } },
    got: [{ ok: true, undo: { op: 'restore', later: 1 } }],
  },
  {
    name: 'records of the audit trail with unknown attributes of a newer backend',
    call: (api) => api.audit({ since: 5, after: 1, before: 9, limit: 2, who: 'ada', action: 'bulk' }),
    sent: 'GET /api/mon/v1/audit?since=5&after=1&before=9&limit=2&filter.who=ada&filter.action=bulk',
    answer: { status: 200, body: [AUDITED] },
    got: [AUDITED],
  },
  {
    name: 'the end of the audit trail',
    call: (api) => api.auditHead(),
    sent: 'GET /api/mon/v1/audit/head',
    answer: { status: 200, body: { first: 1, last: 2, hash: 'ab', at: 5 } },
    got: { first: 1, last: 2, hash: 'ab', at: 5 },
  },
  { name: 'info', call: (api) => api.info(), sent: 'GET /info', answer: { status: 200, body: INFO }, got: INFO },
  {
    name: 'settings',
    call: (api) => api.settings(),
    sent: 'GET /settings',
    answer: { status: 200, body: { checks: {} } },
    got: { checks: {} },
  },
  {
    name: 'deep health',
    call: (api) => api.deepHealth(),
    sent: 'GET /health?deep=1',
    answer: { status: 200, body: { fsync_age: 1 } },
    got: { isHealthy: true, problems: [], report: { fsync_age: 1 } },
  },
  {
    name: 'deep health of a degraded backend',
    call: (api) => api.deepHealth(),
    sent: 'GET /health?deep=1',
    answer: { status: 412, body: { timer_lag: 9 } },
    got: { isHealthy: false, problems: [], report: { timer_lag: 9 } },
  },
  {
    name: 'deep health of an older backend',
    call: (api) => api.deepHealth(),
    sent: 'GET /health?deep=1',
    answer: { status: 412, body: ['not connected'] },
    got: { isHealthy: false, problems: ['not connected'], report: {} },
  },
])(
  'an API client method sends its request and parses the response: $name',
  async ({ call, sent, body, answer, got }) => {
    const { url, seen } = await startScriptedServer(() => answer);
    expect(await call(openApiClient({ backend: url, env: {} }))).toEqual(got);
    expect(seen.map((request) => ({ sent: `${request.method} ${request.path}`, body: request.body }))).toEqual([
      { sent, body },
    ]);
  },
);

test.each(['..', '.', ''])(
  'a stash under %j is rejected without a request, since its URL would name another path',
  async (path) => {
    await expect(openApiClient({ backend: 'http://127.0.0.1:1', env: {} }).stash(path)).rejects.toMatchObject({
      code: 'invalid',
    });
  },
);

test('an API client uses the request function that it is given, such as a function that only records requests', async () => {
  const noted: ApiRequest[] = [];
  const api = buildApiClient('http://mon', (request) => {
    noted.push(request);
    return Promise.resolve({ status: 204, body: undefined });
  });
  expect(await api.deleteStash('a')).toBe(true);
  expect(noted).toEqual([{ method: 'DELETE', path: ['stashes', 'a'], accept: [404] }]);
});

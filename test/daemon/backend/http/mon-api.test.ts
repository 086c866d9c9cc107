import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { COMMON_ERRORS, pathParameters, type Endpoint } from '../../../../shared/api/endpoint.ts';
import { errorResponse, HTTP_STATUS } from '../../../../shared/api/errors.ts';
import { MON_API } from '../../../../shared/api/mon.ts';
import { asking, basic, type Ask } from '../../../support/asking.ts';
import { aClusterView, aMember, SimulatedCluster } from '../../../support/simulated-cluster.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';

/** An example request to an endpoint: the parts of its path in order, its query and its body. */
interface Example {
  readonly path?: () => readonly string[];
  readonly query?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const BUTTONS = { callback_token: 'token-0123456789abcdef', secret: 'secret-0123456789abcdef', api_key: 'mk_0_0' };

const FAILING = {
  source: 'web-1',
  name: 'disk',
  output: 'full',
  status: 2,
  handlers: ['fail', 'batch'],
  aggregate: 'app',
};
const SESSION = 'console-1';

/** Ids of the dead letters, once they exist. */
let deadLetterIds: readonly number[] = [];
const nextDeadLetter =
  (at: number): (() => string[]) =>
  () => [String(deadLetterIds[at])];

/** Id of the override, once it exists. */
let overrideId = '';

/** The endpoints for a login need an identity provider: see `test/daemon/backend/access/oidc`. */
type MonEndpoint = Exclude<keyof typeof MON_API, 'startLogin' | 'pollLogin'>;

/** The time of an override that has not begun: in epoch seconds, at most a year ahead. */
const TOMORROW = Math.floor(Date.now() / 1000) + 86_400;

/** Examples in the order of the requests: changes come after the requests that read the same data. */
const EXAMPLES: Readonly<Record<MonEndpoint, Example>> = {
  access: {},
  loginMethods: {},
  openApi: {},
  submitResults: { body: [FAILING, { ...FAILING, source: 'web-2' }, { name: 'a b' }] },
  simulate: { body: { ...FAILING, source: 'web-3' } },
  events: { query: 'q=disk&sort=-age&limit=1' },
  event: { path: () => ['web-1', 'disk'] },
  explainEvent: { path: () => ['web-1', 'disk'] },
  overview: {},
  timeline: { query: 'client=web-1&q=disk' },
  checkPast: { path: () => ['web-1', 'disk'] },
  pastState: { query: 'q=disk&silenced&clients' },
  pastChanges: {},
  handlerGroups: {},
  inhibitions: {},
  availability: { query: 'client=web-1' },
  report: { query: 'limit=5' },
  result: { path: () => ['web-1', 'disk'] },
  series: { path: () => ['web-1', 'disk'] },
  results: { query: 'q=disk' },
  acknowledge: { body: { client: 'web-1', check: 'disk', note: 'looking into it', expire: 600 } },
  acknowledgeMatching: { body: { search: 'client=web-1', note: 'looking into it', expire: 600 } },
  acknowledgements: { query: 'q=note~looking' },
  unacknowledge: { path: () => ['web-1', 'disk'] },
  chatCallback: {
    path: () => ['telegram', BUTTONS.callback_token],
    body: { update_id: 1 },
    headers: { 'x-telegram-bot-api-secret-token': BUTTONS.secret },
  },
  schedules: { query: 'at=1767600000000' },
  schedule: { path: () => ['database'], query: 'days=7' },
  scheduleCalendar: { path: () => ['database'] },
  createOverride: { path: () => ['database'], body: { person: 'ada', from: TOMORROW, until: TOMORROW + 3600 } },
  swapShifts: { path: () => ['database'], body: { person: 'ada', other: 'bob' } },
  deleteOverride: { path: () => ['database', overrideId] },
  bulk: {
    body: {
      operations: [
        { op: 'silence', check: 'disk', expire: 60, reason: 'CHG-1' },
        { op: 'clear', id: 'no:entry' },
      ],
    },
  },
  silenced: { query: 'filter.check=disk' },
  silencedEntry: { path: () => ['*:disk'] },
  silence: { body: { check: 'load', reason: 'CHG-2' } },
  clearSilenced: { body: { id: '*:load' } },
  holdSilence: { body: { check: 'held', run: 'run-0001', seconds: 60, reason: 'CHG-3' } },
  releaseSilence: { body: { check: 'held', run: 'run-0001' } },
  silencePreview: { body: { entries: [{ check: 'disk' }] } },
  silencePolicy: {},
  clients: { query: 'q=web&limit=10' },
  client: { path: () => ['web-1'] },
  saveClient: { body: { name: 'own', address: '10.0.0.1' } },
  clientHistory: { path: () => ['web-1'] },
  checks: {},
  check: { path: () => ['load'] },
  checkResults: { path: () => ['disk'] },
  requestCheck: { body: { check: 'load' } },
  aggregates: {},
  aggregate: { path: () => ['app'], query: 'max_age=60' },
  aggregateClients: { path: () => ['app'] },
  aggregateChecks: { path: () => ['app'] },
  aggregateResults: { path: () => ['app', 'critical'] },
  saveStash: { body: { path: 'a/b', content: { x: 1 } } },
  stashes: {},
  stash: { path: () => ['a%2Fb'] },
  deleteStash: { path: () => ['a%2Fb'] },
  handlers: {},
  testHandler: { path: () => ['fail'], body: { client: 'web-1', check: 'disk', dry_run: true } },
  deadLetters: { query: 'filter.handler=fail' },
  deadLetter: { path: nextDeadLetter(0) },
  retryDeadLetter: { path: nextDeadLetter(0), body: {} },
  dropDeadLetter: { path: nextDeadLetter(1) },
  retryDeadLetters: { body: { handler: 'fail' } },
  dropDeadLetters: { body: { all: true } },
  renameCheck: { path: () => ['disk'], body: { to: 'space' } },
  deleteAggregate: { path: () => ['app'] },
  resolveEvent: { path: () => ['web-1', 'space'] },
  deleteResult: { path: () => ['web-1', 'space'] },
  deleteCheck: { path: () => ['space'] },
  deleteClient: { path: () => ['own'], query: 'invalidate=true' },
  audit: { query: 'limit=5&filter.who=local%20administrator' },
  auditHead: {},
  dump: { path: () => ['silenced'] },
  restore: {
    body: {
      objects: [
        { type: 'Namespace', api_version: 'core/v2', metadata: {}, spec: { name: 'shop' } },
        { type: 'Silenced', api_version: 'core/v2', metadata: {}, spec: {} },
      ],
    },
  },
  versions: {},
  cluster: {},
  handOver: { body: { to: 'web2:4567' } },
  removeMember: { path: () => ['web4:4567'] },
  storeUpgrade: {},
  startStoreUpgrade: { body: { backup: false } },
  planFacts: {},
  createPlan: { body: { from: '6.4.0', to: '6.5.0' } },
  plans: {},
  plan: { path: () => ['1'] },
  orderPlan: { path: () => ['1'], body: { order: 'take', session: SESSION } },
  deleteClients: { query: 'q=web' },
};

const endpointOf = (name: keyof typeof MON_API): Endpoint => MON_API[name];

function targetOf(name: MonEndpoint): string {
  const { path = () => [], query } = EXAMPLES[name];
  const parts = path();
  const endpoint = endpointOf(name);
  const parameters = pathParameters(endpoint);
  const target = parameters.reduce((url, part, at) => url.replace(`:${part}`, parts[at] ?? ''), endpoint.path);
  return query === undefined ? target : `${target}?${query}`;
}

let backend: RunningBackend;
let ask: Ask;
beforeAll(async () => {
  const view = aClusterView();
  backend = await startBackend({
    cluster: new SimulatedCluster({ ...view, members: [...view.members, aMember('web4', { state: 'lost' })] }),
    settings: {
      people: { ada: { notify: ['fail'] }, bob: { notify: ['fail'] } },
      schedules: { database: { layers: [{ people: ['ada', 'bob'] }] } },
      checks: { load: { command: 'true', interval: 60, subscribers: ['base'] } },
      inhibitions: { rack: { source: 'check=switch', target: 'check=disk' } },
      handlers: {
        fail: { type: 'pipe', command: 'cat >/dev/null; exit 3' },
        batch: { type: 'pipe', command: 'true', group_by: [] },
        chat: { type: 'webhook', preset: 'telegram', api_token: '1:bot', chat: 1, buttons: BUTTONS },
      },
    },
  });
  ask = asking(backend.url);
});
afterAll(() => backend[Symbol.asyncDispose]());

/** Waits until both failed runs are dead letters, and returns their ids. */
async function failedLetters(): Promise<readonly number[]> {
  return await vi.waitFor(async () => {
    const { body } = await ask('GET', targetOf('deadLetters'));
    const ids = (body as readonly { readonly id: number }[]).map(({ id }) => id);
    if (ids.length < 2) throw new Error(`only ${String(ids.length)} failed so far`);
    return ids;
  });
}

test('the endpoint table of the mon API contains exactly the registered routes', async () => {
  const { body } = await ask('GET', '/api/mon/v1/access');
  const { routes } = body as {
    routes: readonly { method: string; url: string; access: unknown; anonymous: boolean }[];
  };
  const registered = routes
    .filter(({ url }) => url.startsWith('/api/mon/'))
    .map(({ method, url, access, anonymous }) => [`${method} ${url}`, { access, anonymous }]);
  const table = (Object.values(MON_API) as Endpoint[]).map(
    ({ method, path, scope: access, isForAnonymous = false }) => [
      `${method} ${path}`,
      { access, anonymous: access !== 'admin' || isForAnonymous },
    ],
  );
  expect(Object.fromEntries(registered)).toEqual(Object.fromEntries(table));
  expect(registered).toHaveLength(table.length);
});

describe('the endpoints of the mon API', () => {
  test.each(Object.keys(EXAMPLES) as MonEndpoint[])(
    'the endpoint %s of the mon API responds as the endpoint table defines',
    async (name) => {
      const endpoint = endpointOf(name);
      if (name === 'deadLetters') deadLetterIds = await failedLetters();
      const example = EXAMPLES[name];
      const { status, body, text } = await ask(endpoint.method, targetOf(name), example.body, example.headers);
      expect({ status, text }).toEqual({ status: endpoint.status, text: endpoint.response === undefined ? '' : text });
      if (name === 'createOverride') overrideId = (body as { readonly id: string }).id;
      // A list must not be empty, because otherwise no item of it would be validated.
      expect(body).not.toEqual([]);
      expect(endpoint.response?.safeParse(body ?? text).error).toBeUndefined();
    },
  );
});

/** Requests that are rejected, with the expected error code. */
const REFUSED: readonly {
  readonly name: keyof typeof MON_API;
  readonly target: string;
  readonly body?: unknown;
  readonly code: string;
}[] = [
  { name: 'events', target: '/api/mon/v1/events?q=statsu=1', code: 'invalid' },
  { name: 'explainEvent', target: '/api/mon/v1/events/nobody/nothing/explain', code: 'not_found' },
  { name: 'silencedEntry', target: '/api/mon/v1/silenced/no:entry', code: 'not_found' },
  { name: 'bulk', target: '/api/mon/v1/bulk', body: {}, code: 'invalid' },
  { name: 'renameCheck', target: '/api/mon/v1/checks/load/rename', body: { to: 'other' }, code: 'conflict' },
  { name: 'deadLetter', target: '/api/mon/v1/dead-letters/x', code: 'not_found' },
  { name: 'chatCallback', target: '/api/mon/v1/hooks/slack/no-such-token', body: {}, code: 'not_found' },
  { name: 'createPlan', target: '/api/mon/v1/upgrades', body: { from: '6.4.0', to: '6.5.0' }, code: 'conflict' },
  { name: 'startLogin', target: '/api/mon/v1/login', body: {}, code: 'not_found' },
  { name: 'pollLogin', target: '/api/mon/v1/login/token', body: {}, code: 'invalid' },
  { name: 'pollLogin', target: '/api/mon/v1/login/token', body: { device_code: 'x' }, code: 'not_found' },
  { name: 'restore', target: '/api/mon/v1/restore', body: { objects: [] }, code: 'invalid' },
];

describe('the codes of rejections', () => {
  test.each(REFUSED)(
    'the endpoint $name rejects the request for $target with the code $code',
    async ({ name, target, body, code }) => {
      const endpoint = endpointOf(name);
      const answer = await ask(endpoint.method, target, body);
      const refusal = errorResponse.parse(answer.body);
      expect(refusal.code).toBe(code);
      expect(answer.status).toBe(HTTP_STATUS[refusal.code]);
      expect([...endpoint.errors, ...COMMON_ERRORS]).toContain(refusal.code);
    },
  );
});

describe('the OpenAPI document of the mon API', () => {
  const OPENAPI = '/api/mon/v1/openapi.json';

  test('the OpenAPI document requires credentials only if the backend requires them', async () => {
    expect(await asking(backend.url, null)('GET', OPENAPI)).toMatchObject({ status: 200, body: { openapi: '3.1.0' } });
    await using guarded = await startBackend({ settings: { api: { user: 'ada', password: 'let me in' } } });
    expect(await asking(guarded.url, null)('GET', OPENAPI)).toMatchObject({ status: 401 });
    expect(await asking(guarded.url, basic('ada', 'let me in'))('GET', OPENAPI)).toMatchObject({ status: 200 });
  });

  test('the OpenAPI document contains every endpoint with its parameters, its body and its responses', async () => {
    const { paths } = (await ask('GET', OPENAPI)).body as {
      paths: Readonly<Record<string, Readonly<Record<string, { operationId: string }>>>>;
    };
    const operations = Object.values(paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    );
    expect(operations.toSorted()).toEqual(Object.keys(MON_API).toSorted());
    expect(paths['/api/mon/v1/checks/{check}/rename']?.['post']).toMatchObject({
      operationId: 'renameCheck',
      summary: 'Moves results, history and events of a check to a new name',
      description: 'Needs admin.',
      security: [{ basic: [] }, { key: [] }, { token: [] }],
      parameters: [
        { name: 'check', in: 'path', required: true, schema: { type: 'string' } },
        { name: 'namespace', in: 'query', required: false, schema: { type: 'string' } },
      ],
      requestBody: { content: { 'application/json': { schema: { type: 'object', required: ['to'] } } } },
      responses: {
        200: { content: { 'application/json': { schema: { properties: { moved: { type: 'number' } } } } } },
        400: {
          description: 'invalid',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
        },
        401: { description: 'unauthenticated' },
        409: { description: 'conflict' },
      },
    });
    expect(paths['/api/mon/v1/clients']?.['delete']).toMatchObject({
      parameters: [{ name: 'namespace' }, { name: 'q', in: 'query', required: true, schema: { type: 'string' } }],
    });
  });
});

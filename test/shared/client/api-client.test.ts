import { once } from 'node:events';
import { createServer } from 'node:net';
import { inspect } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { openApiClient } from '../../../shared/client/api-client.ts';
import type { ApiClient } from '../../../shared/client/api-client.ts';
import { deadUrl, startScriptedServer } from '../../support/scripted-server.ts';
import type { ScriptedResponse, ScriptedServer } from '../../support/scripted-server.ts';

const EVENT = {
  id: '0b9b5b44-5f0a-4c59-9f67-5a9e0e5a8c3e',
  client: {
    name: 'web-001',
    address: '192.0.2.1',
    subscriptions: ['web', 'client:web-001'],
    timestamp: 1_795_176_200,
    version: '1.0.0',
  },
  check: {
    name: 'http-frontend',
    output: 'timeout',
    status: 2,
    executed: 1_795_176_201,
    issued: 1_795_176_201,
    team: 'edge',
    history: ['0', '2'],
    total_state_change: 0,
  },
  occurrences: 1,
  occurrences_watermark: 1,
  last_ok: null,
  action: 'create',
  timestamp: 1_795_176_201,
  last_state_change: null,
  silenced: false,
  silenced_by: [],
};

const RESULT = {
  client: 'web-001',
  check: { name: 'http-frontend', output: 'ok', status: 0, executed: 1, issued: 1, history: [0] },
};

const SILENCED = {
  id: 'web:*',
  subscription: 'web',
  check: null,
  reason: null,
  creator: null,
  begin: null,
  expire_on_resolve: false,
  timestamp: 1_795_176_201,
  expire: -1,
};

async function serving(
  answer: ScriptedResponse,
  options: { readonly env?: Record<string, string>; readonly timeoutMs?: number } = {},
): Promise<{ api: ApiClient; server: ScriptedServer }> {
  const server = await startScriptedServer(() => answer);
  return { server, api: openApiClient({ backend: server.url, env: {}, ...options }) };
}

test.each<{
  name: string;
  call: (api: ApiClient) => Promise<unknown>;
  sent: string;
  body?: unknown;
  answer: ScriptedResponse;
  got: unknown;
}>([
  {
    name: 'all events',
    call: (api) => api.events(),
    sent: 'GET /events',
    answer: { status: 200, body: [EVENT] },
    got: [EVENT],
  },
  {
    name: 'a page of the events of a client',
    call: (api) => api.events({ client: 'web-001', limit: 10, offset: 20 }),
    sent: 'GET /events/web-001?limit=10&offset=20',
    answer: { status: 200, body: [] },
    got: [],
  },
  {
    name: 'one event',
    call: (api) => api.event('web-001', 'http-frontend'),
    sent: 'GET /events/web-001/http-frontend',
    answer: { status: 200, body: EVENT },
    got: EVENT,
  },
  {
    name: 'an event that does not exist',
    call: (api) => api.event('web-001', 'nope'),
    sent: 'GET /events/web-001/nope',
    answer: { status: 404 },
    got: undefined,
  },
  {
    name: 'a name with special characters is encoded as one path segment',
    call: (api) => api.event('a/b?c#d', 'e f%'),
    sent: 'GET /events/a%2Fb%3Fc%23d/e%20f%25',
    answer: { status: 404 },
    got: undefined,
  },
  {
    name: 'resolve an event',
    call: (api) => api.resolve({ client: 'web-001', check: 'http-frontend' }),
    sent: 'POST /resolve',
    body: { client: 'web-001', check: 'http-frontend' },
    answer: { status: 202, body: { issued: 7 } },
    got: { issued: 7 },
  },
  {
    name: 'results',
    call: (api) => api.results({ client: 'web-001' }),
    sent: 'GET /results/web-001',
    answer: { status: 200, body: [RESULT] },
    got: [RESULT],
  },
  {
    name: 'one result',
    call: (api) => api.result('web-001', 'http-frontend'),
    sent: 'GET /results/web-001/http-frontend',
    answer: { status: 200, body: RESULT },
    got: RESULT,
  },
  {
    name: 'submit a result',
    call: (api) => api.submitResult({ name: 'ping', output: 'ok', status: 0, source: 'router-1' }),
    sent: 'POST /results',
    body: { name: 'ping', output: 'ok', status: 0, source: 'router-1' },
    answer: { status: 202, body: { issued: 7 } },
    got: { issued: 7 },
  },
  {
    name: 'submit many results',
    call: (api) =>
      api.submitResults([
        { name: 'ping', output: 'ok' },
        { name: 'a b', output: '' },
      ]),
    sent: 'POST /api/mon/v1/results',
    body: [
      { name: 'ping', output: 'ok' },
      { name: 'a b', output: '' },
    ],
    answer: { status: 202, body: { accepted: 1, rejected: [{ index: 1, error: 'name: must be word characters' }] } },
    got: { accepted: 1, rejected: [{ index: 1, error: 'name: must be word characters' }] },
  },
  {
    name: 'all silences',
    call: (api) => api.silenced(),
    sent: 'GET /silenced',
    answer: { status: 200, body: [SILENCED] },
    got: [SILENCED],
  },
  {
    name: 'silences of a check',
    call: (api) => api.silenced({ check: 'ping' }),
    sent: 'GET /silenced/checks/ping',
    answer: { status: 200, body: [] },
    got: [],
  },
  {
    name: 'silences of a subscription',
    call: (api) => api.silenced({ subscription: 'client:web-001' }),
    sent: 'GET /silenced/subscriptions/client%3Aweb-001',
    answer: { status: 200, body: [] },
    got: [],
  },
  {
    name: 'create a silence',
    call: (api) => api.silence({ subscription: 'web', expire: 3600 }),
    sent: 'POST /silenced',
    body: { subscription: 'web', expire: 3600 },
    answer: { status: 201 },
    got: undefined,
  },
  {
    name: 'clear a silence',
    call: (api) => api.clearSilenced({ id: 'web:*' }),
    sent: 'POST /silenced/clear',
    body: { id: 'web:*' },
    answer: { status: 204 },
    got: true,
  },
  {
    name: 'clear a silence that does not exist',
    call: (api) => api.clearSilenced({ check: 'ping' }),
    sent: 'POST /silenced/clear',
    body: { check: 'ping' },
    answer: { status: 404 },
    got: false,
  },
  {
    name: 'clients',
    call: (api) => api.clients({ limit: 1 }),
    sent: 'GET /clients?limit=1',
    answer: { status: 200, body: [EVENT.client] },
    got: [EVENT.client],
  },
  {
    name: 'a client that does not exist',
    call: (api) => api.client('nope'),
    sent: 'GET /clients/nope',
    answer: { status: 404 },
    got: undefined,
  },
  {
    name: 'delete a client',
    call: (api) => api.deleteClient('web-001'),
    sent: 'DELETE /clients/web-001',
    answer: { status: 202, body: { issued: 7 } },
    got: { issued: 7 },
  },
  {
    name: 'info',
    call: (api) => api.info(),
    sent: 'GET /info',
    answer: { status: 200, body: { sensu: { version: '1.9.0' }, mon: { version: '1.0.0' } } },
    got: { sensu: { version: '1.9.0' }, mon: { version: '1.0.0' } },
  },
  {
    name: 'the health of a healthy backend',
    call: (api) => api.health(),
    sent: 'GET /health',
    answer: { status: 204 },
    got: { isHealthy: true, problems: [] },
  },
  {
    name: 'the health of an unhealthy backend',
    call: (api) => api.health({ consumers: 2, messages: 10 }),
    sent: 'GET /health?consumers=2&messages=10',
    answer: { status: 412, body: ['result consumers (1) less than min_consumers (2)'] },
    got: { isHealthy: false, problems: ['result consumers (1) less than min_consumers (2)'] },
  },
])(
  'an API client method sends its request and parses the response: $name',
  async ({ call, sent, body, answer, got }) => {
    const { api, server } = await serving(answer);
    expect(await call(api)).toEqual(got);
    expect(server.seen.map(({ method, path }) => `${method} ${path}`)).toEqual([sent]);
    expect(server.seen[0]?.body).toEqual(body);
  },
);

test.each([
  {
    status: 400,
    body: { error: 'status: must be an integer' },
    code: 'invalid',
    message: 'status: must be an integer',
  },
  {
    status: 400,
    body: { error: 'operations.0: it must end within 1h', code: 'threshold' },
    code: 'threshold',
    message: 'operations.0: it must end within 1h',
  },
  { status: 400, body: { error: 'no', code: 'of another make' }, code: 'invalid', message: 'no' },
  { status: 400, body: { message: 'too many', code: 9 }, code: 'threshold', message: 'too many' },
  { status: 405, code: 'method_not_allowed', message: /HTTP 405/ },
  { status: 401, code: 'unauthenticated', message: /set MON_API_KEY/ },
  { status: 403, code: 'forbidden', message: /does not allow GET \/clients with these credentials/ },
  { status: 404, code: 'not_found', message: /HTTP 404 to GET \/clients/ },
  { status: 409, body: { message: 'held', code: 5 }, code: 'conflict', message: 'held' },
  { status: 413, code: 'too_large', message: /HTTP 413/ },
  { status: 500, body: '<html>oops</html>', code: 'internal', message: /HTTP 500/ },
  { status: 302, code: 'internal', message: /HTTP 302/ },
  {
    status: 503,
    body: { error: 'the queue is full: try again' },
    code: 'unavailable',
    message: 'the queue is full: try again',
  },
  { status: 503, code: 'unavailable', message: /too busy for GET \/clients: try again/ },
  {
    status: 200,
    body: '<html>hello</html>',
    code: 'internal',
    message: /sent an invalid response \(.*check that it is a mon backend/,
  },
  { status: 200, body: [{ nothing: true }], code: 'internal', message: /sent an invalid response \(0\.name: / },
])('HTTP status $status becomes the error code $code', async ({ code, message, ...answer }) => {
  const { api } = await serving(answer);
  await expect(api.clients()).rejects.toMatchObject({
    name: 'MonError',
    code,
    message: expect.stringMatching(message),
  });
});

test('a request to resolve an event that does not exist fails with an error that says so', async () => {
  const { api } = await serving({ status: 404 });
  await expect(api.resolve({ client: 'web-001', check: 'nope' })).rejects.toMatchObject({
    code: 'not_found',
    message: 'there is no event web-001/nope',
  });
});

test('a response of an older service without some attributes is accepted', async () => {
  const { client, check, id, occurrences, action, timestamp } = EVENT;
  const bare = {
    id,
    client: { name: client.name },
    check: { name: check.name, status: 2, output: null, history: [0, 2] },
    occurrences,
    action,
    timestamp,
  };
  const { api } = await serving({ status: 200, body: [bare] });
  expect(await api.events()).toMatchObject([
    {
      client: { name: 'web-001', subscriptions: [], address: '' },
      check: { output: '', history: ['0', '2'] },
      silenced: false,
      silenced_by: [],
      last_ok: null,
    },
  ]);
});

test.each([
  { name: 'the URL', userinfo: 'al%40ice:p%3Aw@', env: {}, authorization: `Basic ${btoa('al@ice:p:w')}` },
  { name: 'a key', userinfo: '', env: { MON_API_KEY: 'k1' }, authorization: 'Key k1' },
  {
    name: 'a user and a password',
    userinfo: '',
    env: { MON_CREDENTIALS: 'bob:p:w' },
    authorization: `Basic ${btoa('bob:p:w')}`,
  },
  {
    name: 'the URL, in preference to a key',
    userinfo: 'a:b@',
    env: { MON_API_KEY: 'k1' },
    authorization: `Basic ${btoa('a:b')}`,
  },
  { name: 'no source', userinfo: '', env: { MON_API_KEY: '' }, authorization: undefined },
])(
  'the request has the right Authorization header for credentials from $name',
  async ({ userinfo, env, authorization }) => {
    const server = await startScriptedServer(() => ({ status: 200, body: [] }));
    const api = openApiClient({ backend: server.url.replace('//', `//${userinfo}`), env });
    await api.clients();
    expect(server.seen[0]?.headers.authorization).toBe(authorization);
    expect(api.url).toBe(server.url);
  },
);

test.each([
  ['127.0.0.1:4567', {}, /must be a URL like/],
  ['localhost:4567', {}, /must be a URL like/],
  ['ftp://host', {}, /must be a URL like/],
  ['http://a:%@host', {}, /write % as %25/],
  ['http://host', { MON_CREDENTIALS: 'alice' }, /must be user:password/],
  ['http://host', { MON_API_KEY: 'a\nb' }, /set MON_API_KEY to the key only/],
])('the backend URL %j is rejected', (backend, env, message) => {
  expect(() => openApiClient({ backend, env })).toThrow(message);
});

test('the API client keeps the path of the URL of a backend behind a proxy', async () => {
  const server = await startScriptedServer(() => ({ status: 200, body: [] }));
  await openApiClient({ backend: `${server.url}/mon/`, env: {} }).clients();
  expect(server.seen[0]?.path).toBe('/mon/clients');
});

test.each(['', '.', '..', '\ud800'])(
  'the API client rejects the name %j because a URL path cannot contain that name',
  async (name) => {
    const { api, server } = await serving({ status: 200, body: EVENT.client });
    await expect(api.client(name)).rejects.toMatchObject({ code: 'invalid' });
    expect(server.seen).toEqual([]);
  },
);

test('the error for an unreachable backend contains the URL of the backend without the password', async () => {
  const url = await deadUrl();
  const api = openApiClient({ backend: url.replace('//', '//alice:secret@'), env: {} });
  const error: unknown = await api.info().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: 'unavailable',
    message: `cannot reach the backend at ${url}: nothing listens there: start mon-backend, wait a few seconds if it has just been started, or check the address`,
  });
  expect(inspect(error, { depth: 9 })).not.toContain(btoa('alice:secret'));
});

test('a backend that does not respond in time is reported as unavailable', async () => {
  const server = await startScriptedServer(() => new Promise<never>(() => undefined));
  const api = openApiClient({ backend: server.url, env: {}, timeoutMs: 50 });
  await expect(api.info()).rejects.toMatchObject({ code: 'unavailable', message: /no response in time/ });
});

test('a server that does not speak HTTP is reported as unavailable', async () => {
  const server = createServer((socket) => socket.end('220 mail.example.org ESMTP\r\n')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const api = openApiClient({ backend: `http://127.0.0.1:${String(port)}`, env: {} });
  await expect(api.submitResult({ name: 'a', output: '' })).rejects.toMatchObject({ code: 'unavailable' });
});

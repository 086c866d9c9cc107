import { Agent, request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { ALERTMANAGER_API } from '../../../../shared/api/alertmanager.ts';
import type { Endpoint } from '../../../../shared/api/endpoint.ts';
import { MON_API } from '../../../../shared/api/mon.ts';
import { V1_API } from '../../../../shared/api/v1.ts';
import { V2_API, V2_PREFIX } from '../../../../shared/api/v2.ts';
import { AGENT_PATH, AGENT_PROTOCOL } from '../../../../shared/schemas/agent.ts';
import { FEED_PATH, FEED_PROTOCOL } from '../../../../shared/schemas/feed.ts';
import { SCOPES } from '../../../../shared/schemas/scope.ts';
import { administratorOf } from '../../../support/administrator.ts';
import { SkippingClock } from '../../../support/skipping-clock.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';

/**
 * The credentials of each column: none, invalid ones, a key with a single scope, or a key with all scopes in one
 * namespace.
 */
const COLUMNS = ['none', 'wrong', 'expired', 'revoked', ...SCOPES, 'elsewhere', 'default'] as const;
type Column = (typeof COLUMNS)[number];

/**
 * The expected responses in the order of the columns. `in` means admitted, whatever happens then; otherwise it is the
 * status of the rejection. The keys of the columns `elsewhere` and `default` have all scopes for one namespace: if the
 * path names another namespace, the response is 404.
 */
const ROWS = {
  read: '401 401 401 401 in 403 403 403 in 403 in',
  submit: '401 401 401 401 403 in 403 403 in 403 in',
  silence: '401 401 401 401 403 403 in 403 in 403 in',
  resolve: '401 401 401 401 403 403 403 in in 403 in',
  'silence or resolve': '401 401 401 401 403 403 in in in 403 in',
  admin: '401 401 401 401 403 403 403 403 in 403 in',
  'admin of all': '401 401 401 401 403 403 403 403 in 403 403',
  'read of all': '401 401 401 401 in 403 403 403 in 403 403',
  'resolve of all': '401 401 401 401 403 403 403 in in 403 403',
  'read in all namespaces': '401 401 401 401 in 403 403 403 in in in',
  'submit in all namespaces': '401 401 401 401 403 in 403 403 in in in',
  'silence in all namespaces': '401 401 401 401 403 403 in 403 in in in',
  'read in a namespace': '401 401 401 401 in 403 403 403 in 404 404',
  'submit in a namespace': '401 401 401 401 403 in 403 403 in 404 404',
  'silence in a namespace': '401 401 401 401 403 403 in 403 in 404 404',
  'resolve in a namespace': '401 401 401 401 403 403 403 in in 404 404',
  'admin in a namespace': '401 401 401 401 403 403 403 403 in 404 404',
  'any credentials': '401 401 401 401 in in in in in in in',
  everybody: 'in in in in in in in in in in in',
  /** Endpoints that accept only HTTP Basic credentials, which they check themselves. */
  'user and password': '401 401 401 401 401 401 401 401 401 401 401',
  /** Endpoints that accept only a token, which they check themselves. */
  token: '401 401 401 401 401 401 401 401 401 401 401',
} as const;
type Row = keyof typeof ROWS;

/** The endpoints of all APIs, from the tables that define them. */
const ENDPOINTS: readonly Endpoint[] = [
  ...Object.values(MON_API),
  ...Object.values(V1_API),
  ...Object.values(ALERTMANAGER_API),
  ...Object.values(V2_API).flatMap((endpoints) => Object.values<Endpoint>(endpoints)),
];

/** Endpoints that check credentials themselves, with their row. */
const SELF_CHECKED_ENDPOINTS: Readonly<Record<string, Row>> = {
  'GET /auth': 'user and password',
  'POST /auth/logout': 'token',
  'POST /auth/token': 'token',
};

function rowOf({ method, path, scope, isOfAllNamespaces }: Endpoint): Row {
  if (scope === 'public') return SELF_CHECKED_ENDPOINTS[`${method} ${path}`] ?? 'everybody';
  if (scope === 'authenticated') return 'any credentials';
  if (path.startsWith(V2_PREFIX)) return rowOfV2(path, scope === 'self' ? 'admin' : scope);
  if (typeof scope !== 'string') return 'silence or resolve';
  return isOfAllNamespaces === true ? (`${scope} of all` as Row) : (scope as Row);
}

/**
 * Returns the row of a v2 API endpoint. If the path contains no namespace, a key for one namespace may only list
 * objects and submit results.
 */
function rowOfV2(path: string, scope: Endpoint['scope']): Row {
  if (path.includes('/:namespace')) return `${String(scope)} in a namespace` as Row;
  return scope === 'admin' ? 'admin of all' : (`${String(scope)} in all namespaces` as Row);
}

/** All routes, grouped by the row of `ROWS` that applies to them. */
const ROUTES = routesByRow();

function routesByRow(): Readonly<Record<Row, readonly string[]>> {
  const endpoints = Map.groupBy(ENDPOINTS, rowOf);
  const ofRow = (row: string): string[] =>
    (endpoints.get(row as Row) ?? []).map(({ method, path }) => `${method} ${path}`);
  return Object.fromEntries(Object.keys(ROWS).map((row) => [row, ofRow(row)])) as Record<Row, string[]>;
}

/** Subscriptions of the feed, which are tested like routes. */
const FEED_TOPICS = [
  { topics: ['events'] },
  { topics: ['silenced'] },
  { topics: ['clients'] },
  { topics: [], transports: ['pager'] },
];

const BASIC = `Basic ${Buffer.from('root:long enough').toString('base64')}`;

/**
 * Routes that require an administrator, except while no credentials are configured: scripts for the v1 API send none.
 */
const ANONYMOUS_ADMIN_ROUTES: ReadonlySet<string> = new Set(
  ENDPOINTS.flatMap(({ method, path, isForAnonymous }) => (isForAnonymous === true ? [`${method} ${path}`] : [])),
);

let clock: SkippingClock;
let backend: RunningBackend;
/** A backend without any configured credentials. */
let open: RunningBackend;
let agent: Agent;
const credentials = new Map<Column, string>();
let failures = 0;

interface Answered {
  readonly status: number;
  readonly body: unknown;
}

function ask(
  method: string,
  target: string,
  authorization: string | undefined,
  body?: unknown,
  { url } = backend,
): Promise<Answered> {
  const { promise, resolve, reject } = Promise.withResolvers<Answered>();
  const headers = {
    'Content-Type': 'application/json',
    ...(authorization !== undefined && { Authorization: authorization }),
  };
  const sent = httpRequest(`${url}${target}`, { method, agent, headers }, (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      resolve({ status: response.statusCode ?? 0, body: /^[[{]/.test(text) ? JSON.parse(text) : text });
    });
  });
  sent.on('error', reject);
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  return promise;
}

async function grant(limits: object): Promise<{ readonly key: string; readonly id: string }> {
  const { status, body } = await ask('POST', '/api/core/v2/apikeys', BASIC, { username: 'root', ...limits });
  expect(status).toBe(201);
  const { key, metadata } = body as { readonly key: string; readonly metadata: { readonly name: string } };
  return { key, id: metadata.name };
}

/**
 * Counts a request with invalid credentials. Ten of them in a minute would delay the next one, so the clock skips a
 * minute before.
 */
function countFailure(column: Column): void {
  if (!['wrong', 'expired', 'revoked'].includes(column)) return;
  failures++;
  if (failures % 9 === 0) clock.skip(60_000);
}

beforeAll(async () => {
  clock = new SkippingClock();
  agent = new Agent({ keepAlive: true });
  backend = await startBackend({ clock, settings: { api: { user: 'root', password: 'long enough' } } });
  open = await startBackend();
  await ask('POST', '/api/core/v2/namespaces', BASIC, { name: 'elsewhere' });
  const expired = await grant({ expire: 1 });
  const revoked = await grant({});
  clock.skip(1000);
  await ask('DELETE', `/api/core/v2/apikeys/${revoked.id}`, BASIC);
  credentials.set('wrong', `Key mk_${revoked.id}_${'x'.repeat(43)}`);
  credentials.set('expired', `Key ${expired.key}`);
  credentials.set('revoked', `Key ${revoked.key}`);
  for (const scope of SCOPES) credentials.set(scope, `Key ${(await grant({ scopes: [scope] })).key}`);
  credentials.set('default', `Key ${(await grant({ namespace: 'default' })).key}`);
  credentials.set('elsewhere', `Key ${(await grant({ namespace: 'elsewhere' })).key}`);
});

afterAll(async () => {
  agent.destroy();
  await backend[Symbol.asyncDispose]();
  await open[Symbol.asyncDispose]();
});

test('the access matrix has a row for every route, and a route for every row', async () => {
  const { body } = await ask('GET', '/api/mon/v1/access', BASIC);
  const { routes } = body as { readonly routes: readonly { readonly method: string; readonly url: string }[] };
  const served = routes.map(({ method, url }) => `${method} ${url}`);
  expect(Object.values(ROUTES).flat().toSorted()).toEqual(served.toSorted());
});

test.each(Object.entries(ROUTES).flatMap(([row, routes]) => routes.map((route) => ({ route, row: row as Row }))))(
  'access to the route $route is limited to: $row',
  async ({ route, row }) => {
    const [method = '', url = ''] = route.split(' ');
    const target = url.replaceAll(/:\w+/g, 'none').replace('*', 'none');
    const cells: string[] = [];
    for (const column of COLUMNS) {
      const { status } = await ask(method, target, credentials.get(column));
      countFailure(column);
      const isHidden = status === 404 && row.endsWith('in a namespace') && ['elsewhere', 'default'].includes(column);
      const isRefused = [401, 403].includes(status) || isHidden || row === 'token';
      cells.push(isRefused ? String(status) : 'in');
    }
    expect(cells.join(' ')).toBe(ROWS[row]);
  },
);

const isRefused = ({ status }: Answered): boolean => status === 403;

test.each(Object.entries(ROUTES).flatMap(([row, routes]) => routes.map((route) => ({ route, row: row as Row }))))(
  'anonymous access to the route $route is right while no credentials exist (otherwise limited to: $row)',
  async ({ route, row }) => {
    const [method = '', url = ''] = route.split(' ');
    const target = url.replaceAll(/:\w+/g, 'none').replace('*', 'none');
    const isForAdministrators = row.startsWith('admin') && !ANONYMOUS_ADMIN_ROUTES.has(route);
    expect(isRefused(await ask(method, target, undefined, undefined, open))).toBe(isForAdministrators);
    const { authorization } = administratorOf(open.url);
    expect(isRefused(await ask(method, target, authorization, undefined, open))).toBe(false);
  },
);

test('GET /api/mon/v1/access lists the routes that need no credentials while no credentials exist', async () => {
  const { body } = await ask('GET', '/api/mon/v1/access', undefined, undefined, open);
  const { routes } = body as { readonly routes: readonly { method: string; url: string; anonymous: boolean }[] };
  const refused = routes.flatMap(({ method, url, anonymous }) => (anonymous ? [] : [`${method} ${url}`]));
  const expected = [...ROUTES.admin, ...ROUTES['admin of all'], ...ROUTES['admin in a namespace']];
  expect(refused.toSorted()).toEqual(expected.filter((route) => !ANONYMOUS_ADMIN_ROUTES.has(route)).toSorted());
});

test.each(['GET /nowhere', 'PUT /clients', 'POST /api/core/v2/nowhere'])(
  'the unknown route %s returns 404 or 405 to any valid credentials',
  async (route) => {
    const [method = '', target = ''] = route.split(' ');
    const statuses: number[] = [];
    for (const column of COLUMNS) {
      statuses.push((await ask(method, target, credentials.get(column))).status);
      countFailure(column);
    }
    const status = method === 'PUT' ? 405 : 404;
    expect(statuses).toEqual([401, 401, 401, 401, ...Array.from({ length: 7 }, () => status)]);
  },
);

test('each API rejects unauthenticated requests in its own error format', async () => {
  expect(await ask('GET', '/api/core/v2/checks', undefined)).toMatchObject({
    status: 401,
    body: { Message: 'bad credentials', Code: 5 },
  });
  expect(await ask('POST', '/api/core/v2/users', credentials.get('read'))).toMatchObject({
    status: 403,
    body: { message: 'root lacks the scope admin: use a key or a user that has it', code: 4 },
  });
  expect(await ask('GET', '/api/core/v2/namespaces/default/checks', credentials.get('elsewhere'))).toMatchObject({
    status: 404,
    body: { message: 'not found', code: 2 },
  });
  expect(await ask('POST', '/clients', credentials.get('read'))).toMatchObject({
    status: 403,
    body: { error: 'root lacks the scope submit: use a key or a user that has it' },
  });
});

/** Opens a WebSocket, and returns `in` if it is accepted, otherwise the status or the error code of the rejection. */
async function connect(path: string, protocol: string, column: Column, hello?: object): Promise<string> {
  const authorization = credentials.get(column);
  const socket = new WebSocket(`${backend.url.replace('http', 'ws')}${path}`, protocol, {
    headers: authorization === undefined ? {} : { authorization },
  });
  const { promise, resolve } = Promise.withResolvers<string>();
  socket.on('unexpected-response', (_request, { statusCode }) => resolve(String(statusCode)));
  // A rejected handshake also emits an error, which would otherwise be thrown.
  socket.on('error', () => undefined);
  socket.on('open', () => (hello === undefined ? resolve('in') : socket.send(JSON.stringify(hello))));
  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString()) as { readonly type: string; readonly code?: string };
    if (message.type === 'live') resolve('in');
    if (message.type === 'error') resolve(message.code ?? '');
  });
  const cell = await promise;
  socket.terminate();
  countFailure(column);
  return cell;
}

describe('access to WebSockets', () => {
  test.each(FEED_TOPICS)('subscribing to $topics $transports on the feed requires the scope read', async (about) => {
    const cells: string[] = [];
    for (const column of COLUMNS) {
      cells.push(await connect(FEED_PATH, FEED_PROTOCOL, column, { type: 'subscribe', ...about }));
    }
    // Without an Authorization header, the feed expects credentials in the first message, which contains none here.
    expect(cells.join(' ')).toBe('unauthenticated 401 401 401 in 403 403 403 in forbidden in');
  });

  test('connecting as an agent requires the scope submit', async () => {
    const cells: string[] = [];
    for (const column of COLUMNS) cells.push(await connect(AGENT_PATH, AGENT_PROTOCOL, column));
    expect(cells.join(' ')).toBe('401 401 401 401 403 in 403 403 in in in');
  });
});

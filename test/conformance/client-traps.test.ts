import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ERROR_CODES } from '../../shared/errors.ts';
import { exchange, requestBytes, send, type Answer } from '../support/raw-http.ts';
import { startBackend, type RunningBackend } from '../support/running-backend.ts';
import { ANSIBLE, ask, NAGSTAMON, PLUGIN, PYSENSU, SENSU_CLI, UCHIWA, type ClientProgram } from './client-requests.ts';
import { NOW, startScene } from './client-scene.ts';
import { clientType, eventType, infoType, paginationType, resultType, silencedType } from './client-types.ts';

/**
 * The requests that Uchiwa sends in every round. A single invalid response makes it show the whole datacenter as empty.
 */
const ROUND = [
  '/stashes',
  '/silenced',
  '/checks',
  '/clients?limit=1000&offset=0',
  '/events?limit=1000&offset=0',
  '/aggregates',
  '/info',
];

const withHeader = (Authorization: string): ClientProgram => ({
  ...NAGSTAMON,
  headers: { ...NAGSTAMON.headers, Authorization },
});

let backend: RunningBackend;
beforeAll(async () => {
  backend = await startScene();
});
afterAll(() => backend[Symbol.asyncDispose]());

const as = (client: ClientProgram, method: string, target: string, body?: unknown): Promise<Answer> =>
  ask(backend.url, client, method, target, body);
const get = (target: string): Promise<Answer> => as(UCHIWA, 'GET', target);
const decode = <T>(type: z.ZodType<T>, { body }: Answer): T => type.parse(body);

test('trap 1: POST requests are accepted whatever their content type is', async () => {
  const request = { check: 'disk', subscribers: ['web'], creator: 'sensu-handler', reason: 'remediation' };
  expect((await as(PLUGIN, 'POST', '/request', request)).status).toBe(202);
  expect((await as(PYSENSU, 'POST', '/request', request)).status).toBe(202);
  expect((await as(PYSENSU, 'POST', '/silenced', { check: 'trap-1' })).status).toBe(201);
  expect((await as(PLUGIN, 'POST', '/silenced/clear', { check: 'trap-1' })).status).toBe(204);
  expect((await as(PLUGIN, 'POST', '/stashes', { path: 'trap-1', content: {} })).status).toBe(201);
  expect((await as(PYSENSU, 'POST', '/results', { name: 'trap', source: 'trap-1', output: '' })).status).toBe(202);
});

describe('trap 2: the body of a GET or DELETE', () => {
  test.each<{ target: string; client: ClientProgram; body: unknown }>([
    { target: '/clients', client: PYSENSU, body: {} },
    { target: '/clients', client: PYSENSU, body: { limit: 1 } },
    { target: '/silenced', client: PYSENSU, body: { limit: 1 } },
    { target: '/silenced', client: ANSIBLE, body: { subscription: 'web', check: 'disk' } },
    { target: '/aggregates/app', client: PYSENSU, body: { max_age: 60 } },
    { target: '/health', client: PYSENSU, body: { consumers: 2, messages: 0 } },
  ])('trap 2: the body $body of the request GET $target is ignored', async ({ target, client, body }) => {
    const [withBody, without] = [await as(client, 'GET', target, body), await as(client, 'GET', target)];
    expect(withBody).toMatchObject({ status: target === '/health' ? 204 : 200, text: without.text });
    expect(withBody.headers).not.toHaveProperty('x-pagination');
  });

  test('trap 2: the body of a DELETE request is ignored', async () => {
    await as(PYSENSU, 'POST', '/stashes', { path: 'trap-2', content: {} });
    expect((await as(PYSENSU, 'DELETE', '/stashes/trap-2', {})).status).toBe(204);
  });
});

describe('trap 3: uncompressed responses with a length', () => {
  test.each([...ROUND, '/results', '/nope'])(
    'trap 3: the response of %s is uncompressed and has a Content-Length, even if the client accepts gzip',
    async (target) => {
      const { headers, text } = await get(target);
      expect(headers).not.toHaveProperty('content-encoding');
      expect(headers).not.toHaveProperty('transfer-encoding');
      expect(headers['content-length']).toBe(String(Buffer.byteLength(text)));
    },
  );
});

describe('trap 4: the requests of a polling round of Uchiwa', () => {
  let empty: RunningBackend;
  beforeAll(async () => {
    empty = await startBackend();
  });
  afterAll(() => empty[Symbol.asyncDispose]());

  test.each(ROUND)('trap 4: the request %s, which Uchiwa sends in each polling round, returns JSON', async (target) => {
    for (const { url } of [empty, backend]) {
      const { status, headers, body } = await ask(url, UCHIWA, 'GET', target);
      expect({ status, type: headers['content-type'] }).toEqual({
        status: 200,
        type: expect.stringMatching(/^application\/json/),
      });
      expect(Array.isArray(body)).toBe(target !== '/info');
    }
  });
});

test('trap 5: no POST request of Uchiwa gets a status of 400 or more', async () => {
  const noise = { dc: 'site', _id: 'site/x' };
  const [client] = decode(z.array(clientType), await get('/clients'));
  const posts: [target: string, body: object][] = [
    ['/silenced', { ...noise, id: '', subscription: 'client:trap-5', check: 'disk', reason: '', creator: 'admin' }],
    ['/silenced', { ...noise, id: '', check: 'trap-5', begin: NOW + 60, expire: 60, expire_on_resolve: true }],
    ['/silenced/clear', { ...noise, id: 'client:trap-5:disk' }],
    ['/silenced/clear', { ...noise, id: '*:trap-5' }],
    ['/stashes', { ...noise, path: 'trap-5', content: { timestamp: NOW, reason: '' }, expire: 60 }],
    ['/request', { ...noise, check: 'disk', subscribers: null }],
    ['/request', { ...noise, check: 'ping', subscribers: ['probes'] }],
    ['/clients', { ...client, ...noise, name: 'trap-5', acknowledged: false }],
  ];
  const statuses: number[] = [];
  for (const [target, body] of posts) statuses.push((await as(UCHIWA, 'POST', target, body)).status);
  expect(statuses).toEqual([201, 201, 204, 204, 201, 202, 202, 201]);
});

test('trap 6: /events, /clients and /silenced return the types without which Uchiwa crashes', async () => {
  const item = z.looseObject({});
  decode(z.array(item).min(1), await get('/events'));
  decode(z.array(item).min(1), await get('/clients'));
  const silences = z.array(z.looseObject({ begin: z.number().nullable() }));
  const begins = decode(silences, await get('/silenced')).map(({ begin }) => begin);
  expect(begins).toEqual(expect.arrayContaining([null, NOW + 600]));
});

describe('trap 7: the numbers of /info', () => {
  test('trap 7: every number of /info that Go decodes as an integer is written as an integer', async () => {
    const { text, body } = await get('/info');
    expect(infoType.safeParse(body).error).toBeUndefined();
    // Go decodes numbers by their notation: it does not accept 1.0 as an integer.
    expect(text).not.toMatch(/"(?:messages|consumers|timestamp)":-?\d*[.eE]/);
  });

  test('trap 7: every setting in /info that Uchiwa reads as a string is a string', async () => {
    const { sensu } = decode(infoType, await get('/info'));
    expect(Object.keys(sensu.settings)).not.toEqual([]);
  });
});

describe('trap 8: an invalid limit', () => {
  const lists = ['/clients', '/stashes', '/aggregates', '/silenced', '/silenced/checks/disk', '/events', '/results'];
  test.each(lists)('trap 8: GET %s with an invalid limit returns the whole list', async (target) => {
    const whole = await as(SENSU_CLI, 'GET', target);
    for (const query of ['?limit=&offset=', '?limit=abc', '?limit=-1&offset=1']) {
      const { status, headers, text } = await as(SENSU_CLI, 'GET', target + query);
      expect({ status, text }).toEqual({ status: 200, text: whole.text });
      expect(headers).not.toHaveProperty('x-pagination');
    }
  });

  test('trap 8: GET of an aggregate with an empty limit ignores the limit', async () => {
    expect((await as(SENSU_CLI, 'GET', '/aggregates/app?limit=&offset=')).status).toBe(200);
  });
});

describe('trap 9: pagination', () => {
  test.each(['/clients', '/events', '/results', '/stashes', '/silenced', '/aggregates', '/checks'])(
    'trap 9: Uchiwa reads all pages of %s by the total in X-Pagination',
    async (target) => {
      const all = (await get(target)).body as readonly unknown[];
      const found: unknown[] = [];
      for (let total = Infinity; found.length < total;) {
        const answer = await get(`${target}?limit=2&offset=${String(found.length)}`);
        const page = paginationType.parse(JSON.parse(answer.headers['x-pagination'] ?? 'null'));
        expect(page).toEqual({ limit: 2, offset: found.length, total: all.length });
        ({ total } = page);
        found.push(...(answer.body as readonly unknown[]));
      }
      expect(found).toEqual(all);
    },
  );

  test('trap 9: a plugin that reads /results until a page is empty gets each page once and all results', async () => {
    const found: unknown[] = [];
    const pages = new Set<string>();
    for (;;) {
      const { text, body } = await as(PLUGIN, 'GET', `/results?limit=3&offset=${String(found.length)}`);
      const page = body as readonly unknown[];
      if (page.length === 0) break;
      expect(pages).not.toContain(text);
      pages.add(text);
      found.push(...page);
    }
    expect(found).toEqual((await get('/results')).body);
  });

  test('trap 9: a response without a limit has no X-Pagination header', async () => {
    expect((await get('/clients?offset=1')).headers).not.toHaveProperty('x-pagination');
  });
});

test('trap 10: the check history contains strings in an event and integers in a result and a client', async () => {
  const event = decode(eventType, await get('/events/web-1/disk'));
  expect(event.check.history).toEqual(['2']);
  const result = decode(resultType, await get('/results/web-1/disk'));
  expect(result.check.history).toEqual([2]);
  const histories = (await get('/clients/web-1/history')).body;
  expect(histories).toMatchObject([
    { check: 'disk', history: [2] },
    { check: 'load', history: [0] },
  ]);
});

test('trap 11: each successful request returns exactly the status code that its client expects', async () => {
  const entry = { subscription: 'client:trap-11' };
  expect((await as(ANSIBLE, 'POST', '/silenced', entry)).status).toBe(201);
  expect((await as(ANSIBLE, 'POST', '/silenced/clear', entry)).status).toBe(204);
  await as(PYSENSU, 'POST', '/results', { source: 'trap-11', name: 'disk', output: '', status: 1 });
  expect((await as(PLUGIN, 'DELETE', '/results/trap-11/disk')).status).toBe(204);
  expect((await as(PLUGIN, 'DELETE', '/clients/trap-11')).status).toBe(202);
  expect((await as(SENSU_CLI, 'GET', '/health')).status).toBe(204);
  const unhealthy = await as(SENSU_CLI, 'GET', '/health?consumers=2&messages=0');
  expect(unhealthy.status).toBe(412);
  decode(z.array(z.string()).min(1), unhealthy);
});

describe('trap 12: the keys of a silence entry', () => {
  test.each(['/silenced', '/silenced/subscriptions/web', '/silenced/checks/bgp'])(
    'trap 12: every silence entry in the response of %s has all keys',
    async (target) => {
      const { body } = await as(ANSIBLE, 'GET', target);
      expect(z.array(silencedType).min(1).safeParse(body).error).toBeUndefined();
    },
  );

  test('trap 12: a silence entry has null for unset attributes, and -1 or the remaining seconds as expire', async () => {
    expect((await as(ANSIBLE, 'GET', '/silenced/ids/*:bgp')).body).toEqual({
      id: '*:bgp',
      subscription: null,
      check: 'bgp',
      reason: null,
      creator: null,
      begin: null,
      expire_on_resolve: false,
      timestamp: NOW,
      expire: -1,
    });
    expect((await as(ANSIBLE, 'GET', '/silenced/ids/client:web-1:disk')).body).toMatchObject({ expire: 3600 });
  });
});

describe('trap 13: the body of an empty response', () => {
  test.each<{ target: string; body: object; status: number }>([
    { target: '/silenced', body: { check: 'trap-13' }, status: 201 },
    { target: '/resolve', body: { client: 'nobody', check: 'disk' }, status: 404 },
  ])('trap 13: POST $target returns $status with Content-Length 0', async ({ target, body, status }) => {
    const answer = await as(UCHIWA, 'POST', target, body);
    expect(answer).toMatchObject({ status, text: '', headers: { 'content-length': '0' } });
    expect(answer.headers).not.toHaveProperty('content-type');
  });

  test.each<{ target: string; body: unknown }>([
    { target: '/silenced', body: {} },
    { target: '/silenced/clear', body: { id: 'no:entry' } },
    { target: '/stashes', body: [] },
    { target: '/request', body: { check: 'nope' } },
    { target: '/clients', body: { name: 'a b' } },
  ])(
    'trap 13: POST $target with an invalid body returns an object with the error and its code',
    async ({ target, body }) => {
      const answer = await as(UCHIWA, 'POST', target, body);
      expect(answer.status).toBeGreaterThanOrEqual(400);
      decode(z.strictObject({ error: z.string().min(1), code: z.enum(ERROR_CODES) }), answer);
    },
  );
});

test('trap 14: POST requests with unknown keys or an empty id are accepted, and an empty id clears no silence', async () => {
  const body = { dc: 'site', _id: 'site/*:trap-14', id: '', check: 'trap-14' };
  expect((await as(UCHIWA, 'POST', '/silenced', body)).status).toBe(201);
  const entry = decode(silencedType, await get('/silenced/ids/*:trap-14'));
  expect(entry.check).toBe('trap-14');
  expect((await as(UCHIWA, 'POST', '/silenced/clear', body)).status).toBe(404);
  expect((await as(UCHIWA, 'POST', '/request', { dc: 'site', check: 'disk', subscribers: null })).status).toBe(202);
});

test('trap 15: the version in /info is at least 0.24, so that plugins use the aggregate API', async () => {
  const { sensu } = decode(infoType, await as(PLUGIN, 'GET', '/info'));
  const [major = '', minor = ''] = sensu.version.split('.');
  expect(major >= '1' || minor >= '24').toBe(true);
});

describe('trap 16: aliases of routes', () => {
  test('trap 16: /incidents returns the same response as /events', async () => {
    for (const path of ['', '/web-1', '/web-1/disk']) {
      expect((await as(SENSU_CLI, 'GET', `/incidents${path}`)).text).toBe(
        (await as(SENSU_CLI, 'GET', `/events${path}`)).text,
      );
    }
  });

  test('trap 16: /stash/:path is an alias of /stashes/:path for any path', async () => {
    for (const path of ['silence/web-1/disk', 'with%20space', 'trap%2016/a/b']) {
      await as(PYSENSU, 'POST', `/stash/${path}`, { owner: 'ops' });
      expect(await as(PLUGIN, 'GET', `/stash/${path}`)).toMatchObject({ status: 200, body: { owner: 'ops' } });
      expect((await as(PLUGIN, 'GET', `/stashes/${path}`)).body).toEqual({ owner: 'ops' });
      expect((await as(PLUGIN, 'DELETE', `/stash/${path}`)).status).toBe(204);
      expect((await as(PLUGIN, 'GET', `/stashes/${path}`)).status).toBe(404);
    }
  });

  test('trap 16: GET /check returns 404', async () => {
    expect((await as(SENSU_CLI, 'GET', '/check/disk')).status).toBe(404);
  });
});

describe('trap 17: a raw or escaped colon in a path', () => {
  test.each([
    ['/silenced/subscriptions/client:web-1', '/silenced/subscriptions/client%3Aweb-1'],
    ['/silenced/ids/client:web-1:disk', '/silenced/ids/client%3Aweb-1%3Adisk'],
    ['/silenced/ids/*:bgp', '/silenced/ids/%2A%3abgp'],
    ['/aggregates/dc:1|web', '/aggregates/dc%3A1%7Cweb'],
  ])('trap 17: GET %s returns the same response with a raw and with an escaped colon', async (raw, escaped) => {
    const [plain, decoded] = [await get(raw), await get(escaped)];
    expect(plain.status).toBe(200);
    expect(plain.text).not.toBe('[]');
    expect(decoded).toMatchObject({ status: 200, text: plain.text });
  });
});

describe('credentials that a client sends although the backend did not ask for them', () => {
  let closed: RunningBackend;
  beforeAll(async () => {
    closed = await startBackend({ settings: { api: { user: 'ops', password: 'se:cret' } } });
  });
  afterAll(() => closed[Symbol.asyncDispose]());

  const basic = withHeader(`Basic ${Buffer.from('ops:se:cret').toString('base64')}`);

  test('a backend accepts valid credentials that a client sends without having been asked for them', async () => {
    for (const target of ROUND) expect((await ask(closed.url, basic, 'GET', target)).status).toBe(200);
  });

  test('a token in place of a password gets 401, and is ignored by a backend that requires no credentials', async () => {
    const token = withHeader('token se:cret');
    expect(await ask(closed.url, token, 'GET', '/events')).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Basic realm="Restricted Area"' },
    });
    expect((await as(token, 'GET', '/events')).status).toBe(200);
  });
});

test('a persistent connection of Uchiwa serves two polling rounds', async () => {
  const targets = [...ROUND, ...ROUND];
  const bytes = targets.map((target) => requestBytes({ method: 'GET', target, headers: UCHIWA.headers })).join('');
  const answers = await exchange(
    backend.url,
    bytes,
    targets.map(() => 'GET'),
  );
  expect(answers.map(({ status }) => status)).toEqual(targets.map(() => 200));
});

test('every response of the v1 API has the headers that Sensu Core sends', async () => {
  for (const [method, target] of [
    ['GET', '/events'],
    ['HEAD', '/events'],
    ['GET', '/nope'],
    ['PATCH', '/events'],
  ] as const) {
    const { headers } = await send(backend.url, { method, target });
    expect(headers).toMatchObject({
      'x-request-id': expect.any(String) as string,
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, POST, PUT, DELETE, OPTIONS',
      'access-control-allow-credentials': 'true',
      'access-control-allow-headers': 'Origin, X-Requested-With, Content-Type, Accept, Authorization',
    });
  }
});

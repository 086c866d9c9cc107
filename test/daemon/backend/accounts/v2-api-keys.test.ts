import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { Backend } from '../../../../daemon/backend/compose.ts';
import { AGENT_PATH, AGENT_PROTOCOL } from '../../../../shared/schemas/agent.ts';
import { FEED_PATH, FEED_PROTOCOL } from '../../../../shared/schemas/feed.ts';
import { asking, basic, type Ask } from '../../../support/asking.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { openBackend } from '../../../support/open-backend.ts';
import { send } from '../../../support/raw-http.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';
import { SkippingClock } from '../../../support/skipping-clock.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const KEYS = '/api/core/v2/apikeys';
const CLOSED = { user: 'root', password: 'long enough', bind: '127.0.0.1', port: 0 };

let clock: SkippingClock;
let backend: RunningBackend;
let requestAsRoot: Ask;

beforeAll(async () => {
  clock = new SkippingClock();
  backend = await startBackend({ clock, settings: { api: { user: 'root', password: 'long enough' } } });
  requestAsRoot = asRootOf(backend);
  await requestAsRoot('POST', '/api/core/v2/users', {
    username: 'ada',
    // A bcrypt hash of "correct horse" with the lowest cost.
    password_hash: '$2b$04$5344ST3XhlAGx959etVgFOVKNdj4dabhF7t.bkZgOKSoGFcdALMZ.',
    groups: ['operators'],
  });
});
afterAll(() => backend[Symbol.asyncDispose]());

function asRootOf({ url }: Pick<Backend, 'url'>): Ask {
  return asking(url, basic('root', 'long enough'));
}

interface Granted {
  readonly key: string;
  readonly id: string;
  readonly ask: Ask;
}

async function grant(limits: object): Promise<Granted> {
  const { status, body } = await requestAsRoot('POST', KEYS, { metadata: {}, username: 'ada', ...limits });
  expect(status).toBe(201);
  const { key, metadata } = body as { readonly key: string; readonly metadata: { readonly name: string } };
  return { key, id: metadata.name, ask: asking(backend.url, `Key ${key}`) };
}

test('a new API key is shown only once and is accepted by every API', async () => {
  const answer = await requestAsRoot('POST', KEYS, { metadata: {}, username: 'ada' });
  const body = answer.body as { readonly key: string; readonly metadata: { readonly name: string } };
  const id = body.metadata.name;
  expect(answer).toMatchObject({ status: 201, headers: { location: `${KEYS}/${body.key}` } });
  expect(body.key).toMatch(new RegExp(`^mk_${id}_[\\w-]{43}$`));
  expect(body).toMatchObject({
    username: 'ada',
    // The scopes of the group operators, in order.
    scopes: ['read', 'submit', 'silence', 'resolve'],
    namespace: null,
    expires_at: 0,
    last_used: null,
    metadata: { created_by: 'root' },
  });
  const ask = asking(backend.url, `Key ${body.key}`);
  expect((await ask('GET', '/events')).status).toBe(200);
  expect((await ask('GET', '/api/mon/v1/overview')).status).toBe(200);
  expect((await ask('GET', '/api/core/v2/namespaces')).status).toBe(200);
  expect((await ask('GET', '/auth/test')).status).toBe(200);

  const secret = body.key.slice(-43);
  const shown = await requestAsRoot('GET', `${KEYS}/${id}`);
  expect(shown.body).toMatchObject({ username: 'ada', last_used: expect.any(Number) });
  expect(shown.text + (await requestAsRoot('GET', KEYS)).text).not.toContain(secret);
  expect(JSON.stringify(backend.log.records)).not.toContain(secret);
  expect((await requestAsRoot('GET', '/api/mon/v1/audit')).text).not.toContain(secret);
});

test('the location of a new API key can be read and deleted, and the key is neither logged nor audited', async () => {
  const { headers } = await requestAsRoot('POST', KEYS, { metadata: {}, username: 'ada' });
  const { location = '' } = headers as { readonly location?: string };
  const key = location.slice(KEYS.length + 1);
  expect((await asking(backend.url, `Key ${key}`)('GET', '/api/core/v2/namespaces')).status).toBe(200);
  expect((await requestAsRoot('GET', location)).text).not.toContain(key);
  expect((await requestAsRoot('GET', `${location.slice(0, -1)}${location.endsWith('A') ? 'B' : 'A'}`)).status).toBe(
    404,
  );
  expect((await requestAsRoot('DELETE', location.replace('mk_', '%6Dk_'))).status).toBe(204);
  expect((await requestAsRoot('GET', location)).status).toBe(404);
  expect((await asking(backend.url, `Key ${key}`)('GET', '/api/core/v2/namespaces')).status).toBe(401);
  expect((await requestAsRoot('GET', '/api/mon/v1/audit')).text).not.toContain(key.slice(-43));
  expect(JSON.stringify(backend.log.records)).not.toContain(key.slice(-43));
});

function patch(id: string, body: object, headers: Readonly<Record<string, string>> = {}): ReturnType<Ask> {
  return send(backend.url, {
    method: 'PATCH',
    target: `${KEYS}/${id}`,
    headers: {
      authorization: basic('root', 'long enough'),
      'Content-Type': 'application/merge-patch+json',
      ...headers,
    },
    body: JSON.stringify(body),
  });
}

describe('a patch of an API key', () => {
  test('a patch can give an API key to another user, with the rights of that user', async () => {
    await requestAsRoot('POST', '/api/core/v2/users', {
      username: 'bea',
      password: 'long enough',
      groups: ['viewers'],
    });
    const { id, ask } = await grant({ description: 'wall' });
    const changed = await patch(id, { username: 'bea' });
    expect(changed).toMatchObject({
      status: 200,
      body: { metadata: { name: id, created_by: 'root' }, username: 'bea', scopes: ['read'], description: 'wall' },
    });
    expect(changed.headers['etag']).toBe((await requestAsRoot('GET', `${KEYS}/${id}`)).headers['etag']);
    expect((await ask('GET', '/events')).status).toBe(200);
    expect((await ask('POST', '/silenced', { check: 'disk' })).status).toBe(403);
  });

  test('a patch of an API key changes only the attributes that it names', async () => {
    const { id } = await grant({ scopes: ['read', 'silence'], expire: 3600 });
    const before = (await requestAsRoot('GET', `${KEYS}/${id}`)).body as object;
    const answer = await patch(id, { scopes: ['read'], namespace: 'default' });
    expect(answer.body).toEqual({ ...before, scopes: ['read'], namespace: 'default' });
    expect((await patch(id, { expires_at: null })).body).toMatchObject({ expires_at: 0, scopes: ['read'] });
  });

  test.each([
    { name: 'of another name', body: { metadata: { name: '0123456789abcdef' } }, status: 400 },
    { name: 'for an unknown user', body: { username: 'nobody' }, status: 400 },
    { name: 'with more rights than its user has', body: { scopes: ['admin'] }, status: 403 },
    { name: 'with an outdated ETag', body: {}, headers: { 'If-Match': '"0123456789abcdef"' }, status: 412 },
    { name: 'with a wrong content type', body: {}, headers: { 'Content-Type': 'application/json' }, status: 400 },
  ])('a patch of an API key $name is rejected with $status', async ({ body, headers, status }) => {
    const { id } = await grant({ scopes: ['read'] });
    const before = (await requestAsRoot('GET', `${KEYS}/${id}`)).body;
    expect((await patch(id, body, headers)).status).toBe(status);
    expect((await requestAsRoot('GET', `${KEYS}/${id}`)).body).toEqual(before);
  });

  test('a patch of an unknown API key returns 404', async () => {
    expect((await patch('0123456789abcdef', {})).status).toBe(404);
  });
});

describe('an API key of Sensu Go, whose name is the key itself', () => {
  const KEY = '83abef1e-e7d7-4beb-91fc-79ad90084d5b';
  const asPeer = (): Ask => asking(backend.url, `Key ${KEY}`);
  const object = {
    type: 'APIKey',
    api_version: 'core/v2',
    metadata: { name: KEY, created_by: 'root' },
    spec: { created_at: 1_600_000_000, username: 'ada' },
  };

  test('an API key from a dump of Sensu Go works after a restore and is stored as a hash', async () => {
    const restore = () => requestAsRoot('POST', '/api/mon/v1/restore', { objects: [object] });
    expect((await restore()).body).toMatchObject({ results: [{ outcome: 'created' }] });
    expect((await restore()).body).toMatchObject({ results: [{ outcome: 'unchanged' }] });
    expect((await asPeer()('GET', '/api/core/v2/namespaces')).status).toBe(200);
    expect((await asPeer()('GET', '/api/core/v2/users')).status).toBe(403);
    const responses = [await requestAsRoot('GET', KEYS), await requestAsRoot('GET', '/api/mon/v1/dump/APIKey')];
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    expect(responses.map(({ text }) => text).join('')).not.toContain(KEY);
    expect(responses.map(({ text }) => text.includes('sha256$'))).toEqual([false, true]);
  });

  test('an API key of Sensu Go is revoked by its name', async () => {
    expect((await requestAsRoot('DELETE', `${KEYS}/${KEY}`)).status).toBe(204);
    expect((await asPeer()('GET', '/api/core/v2/namespaces')).status).toBe(401);
  });

  test('an API key of Sensu Go can be created by PUT', async () => {
    const { metadata, spec } = object;
    expect((await requestAsRoot('PUT', `${KEYS}/${KEY}`, { metadata, ...spec })).status).toBe(201);
    expect((await asPeer()('GET', '/api/core/v2/namespaces')).status).toBe(200);
    expect((await requestAsRoot('GET', '/api/mon/v1/audit')).text).not.toContain(KEY);
  });
});

test.each([
  { name: 'of an unknown user', wanted: { username: 'nobody' }, status: 400 },
  { name: 'without a user', wanted: {}, status: 400 },
  { name: 'with more rights than its user has', wanted: { username: 'ada', scopes: ['read', 'admin'] }, status: 403 },
  { name: 'with an unknown scope', wanted: { username: 'ada', scopes: ['write'] }, status: 400 },
  { name: 'with no scope', wanted: { username: 'ada', scopes: [] }, status: 400 },
  { name: 'for an unknown namespace', wanted: { username: 'ada', namespace: 'nowhere' }, status: 404 },
  {
    name: 'with two expiry attributes',
    wanted: { username: 'ada', expire: 60, expires_at: 4_000_000_000 },
    status: 400,
  },
])('a request for a new API key $name is rejected with $status', async ({ wanted, status }) => {
  const before = (await requestAsRoot('GET', KEYS)).body as unknown[];
  expect((await requestAsRoot('POST', KEYS, wanted)).status).toBe(status);
  expect((await requestAsRoot('GET', KEYS)).body).toHaveLength(before.length);
});

test('an API key loses the rights that its user loses', async () => {
  const { ask } = await grant({ scopes: ['read', 'silence'] });
  expect((await ask('POST', '/silenced', { check: 'disk' })).status).toBe(201);
  await requestAsRoot('PUT', '/api/core/v2/users/ada/groups/viewers');
  await requestAsRoot('DELETE', '/api/core/v2/users/ada/groups/operators');
  expect((await ask('POST', '/silenced', { check: 'disk' })).status).toBe(403);
  expect((await ask('GET', '/silenced')).status).toBe(200);
  await requestAsRoot('DELETE', '/api/core/v2/users/ada');
  expect((await ask('GET', '/silenced')).status).toBe(401);
  await requestAsRoot('PUT', '/api/core/v2/users/ada/reinstate');
  await requestAsRoot('PUT', '/api/core/v2/users/ada/groups/operators');
  expect((await ask('POST', '/silenced', { check: 'disk' })).status).toBe(201);
});

test('a silence created with an API key names the user as its creator unless the request names a creator', async () => {
  const { ask } = await grant({});
  await ask('POST', '/silenced', { check: 'signed', creator: 'bob' });
  await ask('POST', '/api/mon/v1/bulk', {
    operations: [{ op: 'silence', check: 'bulk', creator: 'bob', reason: 'x' }],
  });
  await ask('POST', '/silenced', { check: 'own' });
  expect((await ask('GET', '/silenced/ids/*:signed')).body).toMatchObject({ creator: 'bob' });
  expect((await ask('GET', '/silenced/ids/*:bulk')).body).toMatchObject({ creator: 'bob' });
  expect((await ask('GET', '/silenced/ids/*:own')).body).toMatchObject({ creator: 'ada' });
});

test('a bulk request requires the scope of each of its operations', async () => {
  const { ask } = await grant({ scopes: ['read', 'silence'] });
  const silence = { op: 'silence', check: 'half', reason: 'x' };
  const resolve = { op: 'resolve', client: 'web', check: 'half' };
  expect((await ask('POST', '/api/mon/v1/bulk', { operations: [silence, resolve] })).status).toBe(403);
  expect((await ask('GET', '/silenced/ids/*:half')).status).toBe(404);
  expect((await ask('POST', '/api/mon/v1/bulk', { operations: [silence] })).status).toBe(200);
});

const entity = (namespace: string) => ({ metadata: { name: 'web', namespace }, entity_class: 'proxy' });
const silence = (namespace: string) => ({ metadata: { namespace }, check: 'disk', reason: 'x' });
const check = (namespace: string) => ({ metadata: { name: 'disk', namespace }, status: 2, output: 'full' });

describe('an API key of one namespace', () => {
  let ask: Ask;
  beforeAll(async () => {
    await requestAsRoot('POST', '/api/core/v2/namespaces', { name: 'dmz' });
    for (const namespace of ['default', 'dmz']) {
      await requestAsRoot('POST', '/api/core/v2/entities', entity(namespace));
      await requestAsRoot('POST', '/api/core/v2/silenced', silence(namespace));
      await requestAsRoot('POST', '/api/core/v2/events', { entity: entity(namespace), check: check(namespace) });
    }
    ({ ask } = await grant({ username: 'root', namespace: 'dmz' }));
  });

  test('an API key of a namespace other than default cannot use the v1 API', async () => {
    expect((await ask('GET', '/events')).status).toBe(403);
    expect((await ask('POST', '/results', { name: 'x', output: '', status: 0 })).status).toBe(403);
  });

  test('an API key of one namespace sees only objects of that namespace', async () => {
    expect((await ask('GET', '/api/core/v2/namespaces')).body).toEqual([{ name: 'dmz' }]);
    for (const type of ['entities', 'events', 'silenced']) {
      expect((await ask('GET', `/api/core/v2/namespaces/default/${type}`)).status).toBe(404);
      const all = (await ask('GET', `/api/core/v2/${type}`)).body as object[];
      expect(all).toEqual((await ask('GET', `/api/core/v2/namespaces/dmz/${type}`)).body);
      expect(all).toHaveLength(1);
      expect(((await requestAsRoot('GET', `/api/core/v2/${type}`)).body as object[]).length).toBeGreaterThan(1);
    }
  });

  test.each([
    { type: 'entities', body: entity('default') },
    { type: 'silenced', body: { ...silence('default'), check: 'other' } },
    { type: 'events', body: { entity: entity('default'), check: check('default') } },
    { type: 'events', body: { entity: entity('default'), check: check('dmz') } },
  ])(
    'a request body of $type that names a namespace other than that of the key is rejected',
    async ({ type, body }) => {
      const before = (await requestAsRoot('GET', `/api/core/v2/namespaces/default/${type}`)).text;
      expect([400, 404]).toContain((await ask('POST', `/api/core/v2/${type}`, body)).status);
      expect((await ask('POST', `/api/core/v2/namespaces/dmz/${type}`, body)).status).toBe(400);
      expect((await ask('POST', `/api/core/v2/namespaces/default/${type}`, body)).status).toBe(404);
      expect((await requestAsRoot('GET', `/api/core/v2/namespaces/default/${type}`)).text).toBe(before);
    },
  );

  test('an API key of one namespace cannot read objects of all namespaces, whatever its scopes are', async () => {
    for (const target of ['/api/core/v2/users', '/api/core/v2/apikeys', '/api/mon/v1/audit', '/api/mon/v1/dump/User']) {
      expect((await ask('GET', target)).status).toBe(403);
    }
  });
});

test('the time of the last use of an API key survives a restart, to the minute', async () => {
  const dir = await tempDir();
  const still = new ManualClock();
  // The batch delay uses the manual clock, so nothing would be committed if it stood still.
  const ticking = setInterval(() => still.advance(2), 1);
  const open = (): Promise<Backend> => openBackend({ dir, clock: still, definitions: { api: CLOSED } });
  const first = await open();
  const { body } = await asRootOf(first)('POST', KEYS, { username: 'root' });
  const { key, metadata } = body as { readonly key: string; readonly metadata: { readonly name: string } };
  await asking(first.url, `Key ${key}`)('GET', '/info');
  const shown = await asRootOf(first)('GET', `${KEYS}/${metadata.name}`);
  still.advance(60_000);
  await first.stop();
  const second = await open();
  expect((await asRootOf(second)('GET', `${KEYS}/${metadata.name}`)).body).toEqual(shown.body);
  await second.stop();
  clearInterval(ticking);
});

test('the audit trail contains no part of the hash of an API key', async () => {
  const hash = `sha256$${'s'.repeat(22)}$${'h'.repeat(43)}`;
  const id = 'abcdef0123456789';
  const path = `/api/core/v2/apikeys/${id}`;
  expect((await requestAsRoot('PUT', path, { metadata: { name: id }, username: 'root', hash })).status).toBe(201);
  expect((await requestAsRoot('DELETE', path)).status).toBe(204);
  const { text } = await requestAsRoot('GET', `/api/mon/v1/audit?filter.target=${id}`);
  expect(text).toContain('apikey.revoke');
  expect(text).not.toContain('h'.repeat(20));
  expect(text).not.toContain('s'.repeat(22));
});

test('an API key from a dump is restored for its user', async () => {
  const { ask, id } = await grant({ scopes: ['read'] });
  const { body } = await requestAsRoot('GET', '/api/mon/v1/dump/APIKey');
  const { objects } = body as {
    readonly objects: readonly { readonly metadata: { readonly name: string }; readonly spec: object }[];
  };
  const dumped = objects.flatMap(({ metadata, spec }) => (metadata.name === id ? [{ ...spec, metadata }] : []))[0];
  await requestAsRoot('DELETE', `${KEYS}/${id}`);
  expect((await ask('GET', '/info')).status).toBe(401);
  expect((await requestAsRoot('PUT', `${KEYS}/${id}`, dumped)).status).toBe(201);
  expect((await ask('GET', '/info')).status).toBe(200);
  expect((await requestAsRoot('GET', `${KEYS}/${id}`)).body).toMatchObject({
    scopes: ['read'],
    metadata: { created_by: 'root' },
  });
});

test('lists of API keys are paginated', async () => {
  const ids = ((await requestAsRoot('GET', KEYS)).body as { metadata: { name: string } }[]).map(
    ({ metadata }) => metadata.name,
  );
  const first = await requestAsRoot('GET', `${KEYS}?limit=2`);
  const rest = await requestAsRoot('GET', `${KEYS}?limit=100&continue=${first.headers['sensu-continue'] ?? ''}`);
  const both = [...(first.body as object[]), ...(rest.body as object[])];
  expect(both).toMatchObject(ids.map((name) => ({ metadata: { name } })));
  expect(rest.headers).not.toHaveProperty('sensu-continue');
});

/** Opens a WebSocket that the backend accepts. `ended` resolves with its close code. */
async function openSocket(path: string, protocol: string, key: string): Promise<{ readonly ended: Promise<number> }> {
  const socket = new WebSocket(`${backend.url.replace('http', 'ws')}${path}`, protocol, {
    headers: { authorization: `Key ${key}` },
  });
  const { promise: opened, resolve, reject } = Promise.withResolvers<void>();
  const { promise: ended, resolve: end } = Promise.withResolvers<number>();
  socket.on('open', resolve);
  socket.on('error', reject);
  socket.on('close', end);
  await opened;
  return { ended };
}

test.each([
  { name: 'revoked', end: (id: string) => requestAsRoot('DELETE', `${KEYS}/${id}`) },
  {
    name: 'expired',
    end: async () => clock.skip(10_000),
  },
  { name: 'of a disabled user', end: () => requestAsRoot('DELETE', '/api/core/v2/users/ada') },
  {
    name: 'of a user without the right',
    end: () => requestAsRoot('DELETE', '/api/core/v2/users/ada/groups'),
  },
])('sockets that were opened with an API key close when the key is $name', async ({ end }) => {
  const { key, id } = await grant({ expire: 10 });
  const kept = await grant({ username: 'root' });
  const feed = await openSocket(FEED_PATH, FEED_PROTOCOL, key);
  const agent = await openSocket(AGENT_PATH, AGENT_PROTOCOL, key);
  const other = await openSocket(FEED_PATH, FEED_PROTOCOL, kept.key);
  await end(id);
  expect(await Promise.all([feed.ended, agent.ended])).toEqual([1008, 1008]);
  expect(await Promise.race([other.ended, requestAsRoot('GET', '/info')])).toMatchObject({ status: 200 });
  await requestAsRoot('PUT', '/api/core/v2/users/ada/reinstate');
  await requestAsRoot('PUT', '/api/core/v2/users/ada/groups/operators');
});

test.each([
  { name: 'a valid key is accepted', key: (good: string) => good, outcome: 'hello' },
  { name: 'a wrong key is rejected', key: () => 'mk_0123456789abcdef_no', outcome: 'unauthenticated' },
])('a page in a browser authenticates a feed in its first message: $name', async ({ key, outcome }) => {
  const good = await grant({ scopes: ['read'] });
  const socket = new WebSocket(`${backend.url.replace('http', 'ws')}${FEED_PATH}`, FEED_PROTOCOL);
  const { promise, resolve } = Promise.withResolvers<string>();
  socket.on('open', () => {
    socket.send(JSON.stringify({ type: 'authenticate', key: key(good.key) }));
    socket.send(JSON.stringify({ type: 'subscribe', topics: ['events'] }));
  });
  const heard: string[] = [];
  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString()) as { readonly type: string; readonly code?: string };
    heard.push(message.type);
    if (message.type === 'live' || message.type === 'error') resolve(message.code ?? heard[0] ?? '');
  });
  expect(await promise).toBe(outcome);
  socket.terminate();
});

test('requests with wrong API keys are delayed and logged without the key', async () => {
  const good = await grant({});
  const guess = `mk_${good.id}_${'x'.repeat(43)}`;
  clock.skip(60_000);
  for (let count = 0; count < 10; count++) {
    expect((await asking(backend.url, `Key ${guess}`)('GET', '/info')).status).toBe(401);
  }
  const slowed = asking(backend.url, `Key ${guess}`)('GET', '/info');
  // A request from the same address with a valid key is not delayed.
  const first = await Promise.race([slowed, good.ask('GET', '/info')]);
  expect(first.status).toBe(200);
  expect(JSON.stringify(backend.log.records)).not.toContain(guess);
  expect((await slowed).status).toBe(401);
});

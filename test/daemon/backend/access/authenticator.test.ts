import { hostname } from 'node:os';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { hashPassword } from '../../../../daemon/backend/access/password.ts';
import { FEED_PATH, FEED_PROTOCOL } from '../../../../shared/schemas/feed.ts';
import { allCpuMs } from '../../../support/cpu-ms.ts';
import { send, type Answer } from '../../../support/raw-http.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };

/**
 * Hash parameters that take about ten milliseconds: a sixth of the default cost, but far more than the rest of a
 * request.
 */
const COST = { N: 16_384, r: 8, p: 1 };

const basic = (pair: string): string => Buffer.from(pair).toString('base64');

/** Returns the status of a feed's WebSocket handshake. */
function handshake(url: string, pair: string): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const socket = new WebSocket(`${url}${FEED_PATH}`, FEED_PROTOCOL, {
    headers: { Authorization: `Basic ${basic(pair)}` },
  });
  socket.on('upgrade', ({ statusCode = 0 }) => resolve(statusCode));
  socket.on('unexpected-response', (_request, { statusCode = 0 }) => resolve(statusCode));
  socket.on('open', () => socket.close());
  return promise;
}

const postFrom = (backend: RunningBackend, headers: Record<string, string>): Promise<Answer> =>
  send(backend.url, { method: 'POST', target: '/silenced', headers, body: '{"check":"disk"}' });

test('a wrong password takes as long for an unknown user, so the time reveals no user names', async () => {
  await using backend = await startBackend({
    settings: { api: { user: 'admin', password: await hashPassword('right', COST) } },
  });
  const msOf = async (user: string, password: string): Promise<number> => {
    const startMs = allCpuMs();
    const headers = { Authorization: `Basic ${basic(`${user}:${password}`)}` };
    expect((await send(backend.url, { method: 'GET', target: '/clients', headers })).status).toBe(401);
    return allCpuMs() - startMs;
  };
  // The users alternate, so that other load affects both. The minimum of the attempts is the cost of the password
  // check.
  let [known, unknown] = [Infinity, Infinity];
  for (const password of ['a', 'b', 'c', 'd', 'e']) {
    known = Math.min(known, await msOf('admin', password));
    unknown = Math.min(unknown, await msOf('nobody', password));
  }
  expect(unknown).toBeGreaterThan(known / 3);
});

describe('a backend with credentials', () => {
  let backend: RunningBackend;
  beforeAll(async () => {
    backend = await startBackend({ settings: { api: { user: 'admin', password: 'pa:ss' } } });
  });
  afterAll(() => backend[Symbol.asyncDispose]());

  const ask = (method: string, target: string, authorization?: string): Promise<Answer> =>
    send(backend.url, { method, target, headers: authorization === undefined ? {} : { Authorization: authorization } });

  test.each([
    { name: 'no credentials', authorization: undefined, status: 401 },
    { name: 'the right user and password', authorization: `Basic ${basic('admin:pa:ss')}`, status: 200 },
    { name: 'the authentication scheme in another case', authorization: `bASIC ${basic('admin:pa:ss')}`, status: 200 },
    { name: 'a wrong user', authorization: `Basic ${basic('root:pa:ss')}`, status: 401 },
    { name: 'a wrong password', authorization: `Basic ${basic('admin:pass')}`, status: 401 },
    { name: 'only the beginning of the password', authorization: `Basic ${basic('admin:pa')}`, status: 401 },
    { name: 'the password and more text', authorization: `Basic ${basic('admin:pa:ss:')}`, status: 401 },
    { name: 'credentials without a colon', authorization: `Basic ${basic('admin')}`, status: 401 },
    { name: 'an authentication scheme alone', authorization: 'Basic ', status: 401 },
    { name: 'credentials that are not base64', authorization: 'Basic !!!', status: 401 },
    { name: 'another authentication scheme', authorization: `Bearer ${basic('admin:pa:ss')}`, status: 401 },
  ])('a request with $name gets the status $status', async ({ authorization, status }) => {
    expect((await ask('GET', '/clients', authorization)).status).toBe(status);
  });

  test('the rejection of a request without credentials names the authentication schemes, on every path', async () => {
    for (const target of ['/clients', '/nope', '/health', '/%zz', '/clients#x', `/${'x'.repeat(9000)}`]) {
      expect(await ask('GET', target)).toMatchObject({
        status: 401,
        headers: { 'www-authenticate': 'Basic realm="Restricted Area"' },
        body: { error: expect.stringContaining('send user and password by HTTP Basic, or an API key') },
      });
    }
  });

  test('an OPTIONS request requires no credentials', async () => {
    expect((await ask('OPTIONS', '/clients')).status).toBe(200);
  });
});

describe('a backend with a hashed password', () => {
  const hashing = hashPassword('pa:ss', COST);
  let backend: RunningBackend;
  beforeEach(async () => {
    backend = await startBackend({ settings: { api: { user: 'admin', password: await hashing } } });
  });
  afterEach(() => backend[Symbol.asyncDispose]());

  const ask = (pair: string): Promise<Answer> =>
    send(backend.url, { method: 'GET', target: '/events', headers: { Authorization: `Basic ${basic(pair)}` } });

  test.each([
    { pair: 'admin:pa:ss', status: 200 },
    { pair: 'root:pa:ss', status: 401 },
    { pair: 'admin:pa', status: 401 },
    { pair: 'admin:', status: 401 },
  ])(
    'a request with the credentials $pair gets the status $status if the password is hashed',
    async ({ pair, status }) => {
      expect((await ask(pair)).status).toBe(status);
    },
  );

  test('the hash of a password is not accepted as the password', async () => {
    expect((await ask(`admin:${await hashing}`)).status).toBe(401);
  });

  test('a password that was verified before is accepted at once, even while wrong passwords are tried', async () => {
    expect((await ask('admin:pa:ss')).status).toBe(200);
    const askOften = async (): Promise<void> => {
      for (let count = 0; count < 20; count++) expect((await ask('admin:pa:ss')).status).toBe(200);
    };
    const guesses = Array.from({ length: 40 }, (_, at) => ask(`admin:guess-${String(at)}`));
    await askOften();
    // Only a few attempts are checked concurrently; further ones get 503.
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([401, 503]));
    expect(statuses.filter((status) => status === 401).length).toBeLessThan(10);
    // Rejected attempts are not hashed: hashing each of them would cost as much as one successful check.
    const startMs = allCpuMs();
    await askOften();
    const askedMs = allCpuMs();
    await hashPassword('pa:ss', COST);
    expect(askedMs - startMs).toBeLessThan(10 * (allCpuMs() - askedMs));
  });

  test('a hundred agents with the same password can authenticate at once after a restart', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => ask('admin:pa:ss')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });

  test('a flood of wrong passwords from other addresses neither delays nor rejects a correct password', async () => {
    const password = await hashing;
    await using behindProxy = await startBackend({
      settings: { 'trusted-proxies': ['127.0.0.0/8'], api: { user: 'admin', password } },
    });
    const from = (address: string, pair: string): Promise<Answer> =>
      send(behindProxy.url, {
        method: 'GET',
        target: '/events',
        headers: { 'X-Forwarded-For': address, Authorization: `Basic ${basic(pair)}` },
      });
    let answered = 0;
    const guess = async (host: number, at: number): Promise<void> => {
      const { status } = await from(`10.0.0.${String(host)}`, `admin:guess-${String(at)}-${String(host)}`);
      if (status === 401) answered++;
    };
    const hosts = Array.from({ length: 5 }, (_, host) => host);
    // First, every host makes one failed attempt.
    await Promise.all(hosts.map((host) => guess(host, 0)));
    answered = 0;
    const flood = hosts.flatMap((host) => Array.from({ length: 8 }, (_, at) => guess(host, at + 1)));
    expect(await from('10.0.1.1', 'admin:pa:ss')).toMatchObject({ status: 200 });
    // The backend checks at most one attempt of each other host before the valid login, however slow the machine is.
    expect(answered).toBeLessThanOrEqual(hosts.length);
    await Promise.all(flood);
  });

  test('a WebSocket handshake requires the same credentials as an HTTP request', async () => {
    expect(await handshake(backend.url, 'admin:no')).toBe(401);
    expect(await handshake(backend.url, 'admin:pa:ss')).toBe(101);
  });

  test('a backend ignores the address that a client claims in a header', async () => {
    const headers = { 'X-Forwarded-For': '10.1.1.1', Authorization: `Basic ${basic('pa:ss')}` };
    await send(backend.url, { method: 'GET', target: '/events', headers });
    expect(backend.log.records.at(-1)?.fields).toEqual({ remote_address: '127.0.0.1' });
  });

  test('failed logins are logged with the address of the client and without the credentials', async () => {
    await ask('pa:ss:admin');
    expect(backend.log.records.at(-1)).toEqual({
      level: 'warn',
      message: 'authentication failed',
      fields: { remote_address: '127.0.0.1' },
    });
  });
});

describe('a backend without credentials on loopback', () => {
  let backend: RunningBackend;
  beforeAll(async () => {
    backend = await startBackend();
  });
  afterAll(() => backend[Symbol.asyncDispose]());

  test.each(['X-Forwarded-For', 'Forwarded', 'Via'])(
    'a request with the header %s of a proxy does not count as a local request',
    async (name) => {
      const headers = { Host: 'localhost', [name]: '127.0.0.1' };
      const request = { method: 'GET', target: '/events', headers };
      expect(await send(backend.url, request)).toMatchObject({
        status: 403,
        body: { error: expect.stringContaining('this request came through a proxy: create an administrator') },
      });
    },
  );

  test.each([
    { host: 'localhost:4567', status: 200 },
    { host: '127.0.0.1:4567', status: 200 },
    { host: '[::1]:4567', status: 200 },
    { host: 'mon.localhost', status: 200 },
    { host: 'mon', status: 403 },
    { host: 'localhost.', status: 403 },
    { host: hostname(), status: 200 },
    { host: hostname().split('.', 1)[0] ?? '', status: 200 },
    { host: 'rebound.evil.example:4567', status: 403 },
    { host: '127.0.0.1.evil.example', status: 403 },
    { host: 'localhost.evil.example', status: 403 },
  ])('a local request for the host $host gets the status $status', async ({ host, status }) => {
    expect((await send(backend.url, { method: 'GET', target: '/events', headers: { Host: host } })).status).toBe(
      status,
    );
  });

  test('a browser page cannot open a WebSocket to a backend without credentials', async () => {
    const headers = {
      Host: 'evil.example:4567',
      Origin: 'http://evil.example:4567',
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Protocol': FEED_PROTOCOL,
    };
    expect((await send(backend.url, { method: 'GET', target: FEED_PATH, headers })).status).toBe(403);
  });
});

describe('pages in a browser', () => {
  test.each([
    { name: 'a program without an origin', headers: {}, status: 201 },
    {
      name: 'a page of this host',
      headers: { Host: 'localhost:4567', Origin: 'http://localhost:4567', ...JSON_TYPE },
      status: 201,
    },
    { name: 'a page of another site', headers: { Origin: 'https://evil.example', ...JSON_TYPE }, status: 403 },
    {
      name: 'a page of another port',
      headers: { Host: 'localhost:4567', Origin: 'http://localhost', ...JSON_TYPE },
      status: 403,
    },
    { name: 'a page without a site', headers: { Origin: 'null', ...JSON_TYPE }, status: 403 },
    {
      name: 'a form, even of this host,',
      headers: { Host: 'localhost', Origin: 'http://localhost', 'Content-Type': 'text/plain' },
      status: 403,
    },
  ])('a write request from $name gets the status $status', async ({ headers, status }) => {
    await using backend = await startBackend();
    expect((await postFrom(backend, headers)).status).toBe(status);
  });

  test('pages of other sites may send GET requests to a backend, but no DELETE requests', async () => {
    await using backend = await startBackend();
    const headers = { Origin: 'https://evil.example' };
    const statusOf = async (method: string, target: string): Promise<number> =>
      (await send(backend.url, { method, target, headers })).status;
    expect(await statusOf('GET', '/silenced')).toBe(200);
    expect(await statusOf('DELETE', '/silenced/ids/a:b')).toBe(403);
  });

  test.each([
    { opened: 'https://dash.example', from: 'https://dash.example', status: 201 },
    { opened: 'https://dash.example', from: 'https://evil.example', status: 403 },
    { opened: '*', from: 'https://evil.example', status: 201 },
  ])(
    'a write from a page of $from gets the status $status if CORS allows $opened',
    async ({ opened, from, status }) => {
      await using backend = await startBackend({ settings: { api: { cors: { Origin: opened } } } });
      expect((await postFrom(backend, { Origin: from, ...JSON_TYPE })).status).toBe(status);
    },
  );
});

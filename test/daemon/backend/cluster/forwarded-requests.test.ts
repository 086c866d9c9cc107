/** @module-tag slow */
import { createServer, request as startRequest, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { MonError } from '../../../../shared/errors.ts';
import { X509Certificate } from 'node:crypto';
import { makeCertificate } from '../../../support/make-certificate.ts';
import { administratorOf } from '../../../support/administrator.ts';
import {
  PEER_KEY,
  placeOf,
  SECRET,
  signaturesOf,
  signedHeaders,
  startMember,
  startPair,
  type Member,
} from '../../../support/forwarding-rig.ts';
import { openBackend } from '../../../support/open-backend.ts';
import { send, type Answer } from '../../../support/raw-http.ts';
import { startBackend } from '../../../support/running-backend.ts';
import { tempDir } from '../../../support/temp-dir.ts';
import { writePair } from '../../../support/tls-files.ts';

const post = (url: string, target: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  send(url, { method: 'POST', target, headers, body: JSON.stringify(body) });
const get = (url: string, target: string, headers: Record<string, string> = {}): Promise<Answer> =>
  send(url, { method: 'GET', target, headers });
const basic = (pair: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(pair).toString('base64')}`,
});
const stashed = async ({ url }: Pick<Member, 'url'>, headers: Record<string, string> = {}): Promise<unknown> =>
  ((await get(url, '/stashes', headers)).body as { path: string }[]).map(({ path }) => path).toSorted();

/** Starts an HTTP server that plays the leader with scripted responses. */
async function startWriter(answer: RequestListener): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = (): Promise<void> => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  };
  onTestFinished(stop);
  return { url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, stop };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
  return text;
}

test('a follower forwards a change to the leader and returns its response', async () => {
  const { writer, member } = await startPair();
  const straight = await post(writer.url, '/stashes', { path: 'a', content: { a: 1 } });
  const answer = await post(member.url, '/stashes', { path: 'b', content: { ü: '\u{1f600}' } });
  expect({ status: answer.status, body: answer.body }).toEqual({ status: 201, body: { path: 'b' } });
  expect({ ...answer.headers, date: '', 'x-request-id': '' }).toEqual({
    ...straight.headers,
    date: '',
    'x-request-id': '',
  });
  expect((await get(writer.url, '/stashes/b')).body).toEqual({ ü: '\u{1f600}' });
  expect(await stashed(writer)).toEqual(['a', 'b']);
  expect(await stashed(member)).toEqual([]);
  expect((await send(member.url, { method: 'DELETE', target: '/stashes/a' })).status).toBe(204);
  expect(await stashed(writer)).toEqual(['b']);
  expect(member.forwarding.requests).toBe(2);
});

test('a follower serves reads itself, except for reads that only the leader can serve', async () => {
  const { writer, member } = await startPair();
  await post(writer.url, '/clients', { name: 'web', address: '10.0.0.1' });
  expect((await get(member.url, '/clients')).body).toEqual([]);
  expect((await get(member.url, '/api/mon/v1/overview')).body).toMatchObject({ clients: { registered: 1 } });
  const head = await send(member.url, { method: 'HEAD', target: '/api/mon/v1/overview' });
  expect({ status: head.status, text: head.text }).toEqual({ status: 200, text: '' });
  expect((await get(member.url, '/api/mon/v1/handlers?limit=1')).headers['x-pagination']).toBeDefined();
});

test('a follower that lags too far rejects reads of replicated data and still forwards changes', async () => {
  const { writer, member } = await startPair();
  member.leadership.stale = new MonError('unavailable', 'too far behind');
  for (const target of ['/events', '/api/mon/v1/clients', '/api/core/v2/namespaces/default/events']) {
    expect([target, (await get(member.url, target)).status]).toEqual([target, 503]);
  }
  for (const target of ['/info', '/metrics', '/api/mon/v1/cluster']) {
    expect([target, (await get(member.url, target)).status]).toEqual([target, 200]);
  }
  expect((await post(member.url, '/stashes', { path: 'a', content: {} })).status).toBe(201);
  expect(await stashed(writer)).toEqual(['a']);
});

test('a former leader forwards changes and reads to its successor, but serves its own cluster view', async () => {
  const { writer, member } = await startPair();
  member.leadership.hasSuccessor = true;
  await post(member.url, '/stashes', { path: 'a', content: {} });
  expect(await stashed(member)).toEqual(['a']);
  const [ofMember, ofWriter] = await Promise.all([member, writer].map(({ url }) => get(url, '/api/mon/v1/cluster')));
  expect(ofMember?.body).not.toEqual(ofWriter?.body);
});

test.each([
  { name: 'an unknown path', method: 'POST', target: '/nope', status: 404 },
  { name: 'a method that a path does not have', method: 'PUT', target: '/clients', status: 405 },
])('a follower itself rejects $name', async ({ method, target, status }) => {
  const member = await startMember(false);
  expect((await send(member.url, { method, target, body: '{}' })).status).toBe(status);
});

test('a follower returns the error response of the leader unchanged', async () => {
  const { writer, member } = await startPair();
  for (const [target, body] of [
    ['/clients', '{"name":'],
    ['/resolve', '{"client":"web","check":"disk"}'],
    ['/api/core/v2/namespaces/nope/checks', '{"metadata":{"name":"a","namespace":"nope"}}'],
  ] as const) {
    const [own, forwarded] = await Promise.all(
      [writer, member].map(({ url }) =>
        send(url, { method: 'POST', target, body, headers: { ...administratorOf(url) } }),
      ),
    );
    expect(own?.status).toBeGreaterThanOrEqual(400);
    expect({ status: forwarded?.status, text: forwarded?.text }).toEqual({ status: own?.status, text: own?.text });
  }
});

test('a forwarded request keeps its request id, and the log of the follower names the leader', async () => {
  const logged: object[] = [];
  const { member } = await startPair({ logRequest: (fields) => logged.push(fields) });
  const answer = await post(member.url, '/stashes', { path: 'a', content: {} }, { 'X-Request-ID': 'abc 1' });
  expect(answer.headers['x-request-id']).toBe('abc 1');
  await vi.waitFor(() => expect(logged).toHaveLength(2));
  expect(logged.filter((fields) => 'forwarded' in fields)).toMatchObject([
    { route: '/stashes', status: 201, request_id: 'abc 1', forwarded: 'the writer' },
  ]);
  expect((await get(member.url, '/metrics')).text).toContain('\nmon_forwarded_requests_total 1\n');
});

test('a backend without other members has no metrics of forwarding', async () => {
  await using backend = await startBackend();
  expect((await get(backend.url, '/metrics')).text).not.toContain('mon_forwarded_');
});

test('a follower sends the response to a forwarded change only after it has applied the change', async () => {
  const { writer, member } = await startPair();
  const { promise: caughtUp, resolve } = Promise.withResolvers<void>();
  member.leadership.catchUp = () => caughtUp;
  writer.leadership.seq = 41;
  let isAnswered = false;
  const answer = post(member.url, '/stashes', { path: 'a', content: {} }).finally(() => (isAnswered = true));
  await vi.waitFor(() => expect(member.leadership.waited).toEqual([41]));
  expect(await stashed(writer)).toEqual(['a']);
  expect(isAnswered).toBe(false);
  resolve();
  expect((await answer).status).toBe(201);
});

test('a change that the follower does not receive in time returns 503 and says that the change was made', async () => {
  const { writer, member } = await startPair();
  member.leadership.catchUp = () => Promise.reject(new MonError('unavailable', 'too slow'));
  expect(await post(member.url, '/stashes', { path: 'a', content: {} })).toMatchObject({
    status: 503,
    headers: { 'retry-after': '1' },
    body: { error: expect.stringContaining('the change was made') as string },
  });
  expect(await stashed(writer)).toEqual(['a']);
  // An invalid request is still rejected with 400, because the leader made no change.
  expect((await post(member.url, '/stashes', { path: 'a' })).status).toBe(400);
});

test('a large request body is forwarded completely, and a body beyond the limit is not forwarded', async () => {
  const { writer, member } = await startPair();
  const results = Array.from({ length: 5000 }, (_, at) => ({
    source: `client-${String(at)}`,
    name: 'disk',
    output: 'x'.repeat(2000),
    status: 1,
  }));
  expect((await post(member.url, '/api/mon/v1/results', results)).body).toMatchObject({ accepted: 5000 });
  expect((await get(writer.url, '/events?limit=1')).headers['x-pagination']).toContain('"total":5000');
  const before = member.forwarding.requests;
  const answer = await post(member.url, '/stashes', { path: 'a', content: { text: 'x'.repeat(1024 * 1024) } });
  expect(answer.status).toBe(413);
  expect(member.forwarding.requests).toBe(before);
});

test('each of many concurrent changes through a follower is made once', async () => {
  const { writer, member } = await startPair();
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, at) => post(member.url, '/stashes', { path: `s${String(at)}`, content: {} })),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  expect(await stashed(writer)).toHaveLength(200);
});

test('the listener of the v2 API on a follower forwards requests as well', async () => {
  const { writer, member } = await startPair({ settings: { 'v2-listener': { port: 0 } } });
  const asked = { ...administratorOf(member.url), 'content-type': 'application/json' };
  const body = { metadata: { name: 'prod' }, name: 'prod' };
  expect((await post(member.v2Url, '/api/core/v2/namespaces', body, asked)).status).toBe(201);
  expect((await get(writer.url, '/api/core/v2/namespaces/prod', administratorOf(writer.url))).status).toBe(200);
  // A forwarded error has the format of the v2 listener, which differs from that of the main listener.
  const [own, forwarded] = await Promise.all(
    [writer, member].map(({ v2Url }) => post(v2Url, '/auth/token', 'no', { authorization: 'Bearer x.y.z' })),
  );
  expect(own?.body).toMatchObject({ code: expect.any(Number) as number });
  expect(forwarded?.body).toEqual(own?.body);
});

test('a follower itself rejects a request with wrong credentials', async () => {
  const { writer, member } = await startPair({ settings: { api: { user: 'admin', password: 'right' } } });
  expect((await post(member.url, '/stashes', { path: 'a', content: {} }, basic('admin:wrong'))).status).toBe(401);
  expect((await post(member.url, '/stashes', { path: 'b', content: {} }, basic('admin:right'))).status).toBe(201);
  expect(await stashed(writer, basic('admin:right'))).toEqual(['b']);
});

test('the audit trail names the user and the address of the caller of a forwarded request', async () => {
  const { writer, member } = await startPair({ settings: { api: { user: 'admin', password: 'right' } } });
  const { promise: answered, resolve } = Promise.withResolvers<number>();
  startRequest(`${member.url}/api/mon/v1/silenced`, {
    method: 'POST',
    localAddress: '127.0.0.2',
    headers: basic('admin:right'),
  })
    .on('response', (response) => resolve(response.resume().statusCode ?? 0))
    .end('{"check":"disk","reason":"test"}');
  expect(await answered).toBe(201);
  expect((await get(writer.url, '/api/mon/v1/audit', basic('admin:right'))).body).toMatchObject([
    { who: 'admin', from: '127.0.0.2', how: 'POST /api/mon/v1/silenced' },
  ]);
});

test('the local token of any member gives the rights of an administrator on the whole cluster', async () => {
  const { writer, member } = await startPair();
  const asked = administratorOf(member.url);
  expect((await post(member.url, '/api/core/v2/users', { username: 'eva', password: 'longenough' })).status).toBe(403);
  const answer = await post(member.url, '/api/core/v2/users', { username: 'eva', password: 'longenough' }, asked);
  expect(answer.status).toBe(201);
  expect((await get(writer.url, '/api/core/v2/users/eva', administratorOf(writer.url))).status).toBe(200);
  // The leader requires credentials since it has a user, even if the follower does not know of that user yet.
  expect((await post(member.url, '/stashes', { path: 'a', content: {} })).status).toBe(401);
});

/** Creates a store with a user and two API keys, from which several backends can start. */
async function storeWithKeys(): Promise<{ readonly dir: string; readonly keys: Readonly<Record<string, string>> }> {
  const dir = await tempDir();
  const backend = await openBackend({ dir });
  const asked = { ...administratorOf(backend.url), 'content-type': 'application/json' };
  const make = async (target: string, body: object): Promise<Answer> => {
    const answer = await post(backend.url, `/api/core/v2${target}`, body, asked);
    expect(answer.status).toBe(201);
    return answer;
  };
  await make('/namespaces', { name: 'prod' });
  await make('/users', { username: 'eva', password: 'longenough', groups: ['operators'] });
  const keys: Record<string, string> = {};
  for (const [name, more] of Object.entries({
    all: { scopes: ['silence'] },
    prod: { scopes: ['silence'], namespace: 'prod' },
  })) {
    const { body } = await make('/apikeys', { username: 'eva', ...more });
    keys[name] = (body as { key: string }).key;
  }
  await backend.stop();
  return { dir, keys };
}

test('API keys, sessions and users have through a follower the rights that the leader knows', async () => {
  const { dir, keys } = await storeWithKeys();
  const { writer, member } = await startPair({ stored: dir });
  const silence = (headers: Record<string, string>, namespace = 'default'): Promise<number> =>
    post(member.url, `/api/mon/v1/silenced?namespace=${namespace}`, { check: 'disk' }, headers).then(
      ({ status }) => status,
    );
  const key = (name: string): Record<string, string> => ({ authorization: `Key ${keys[name] ?? ''}` });
  expect(await silence(key('all'))).toBe(201);
  expect(await silence(key('prod'), 'prod')).toBe(201);
  expect(await silence(key('prod'))).toBe(403);
  expect(await silence(basic('eva:longenough'))).toBe(201);
  expect((await post(member.url, '/stashes', { path: 'a', content: {} }, key('all'))).status).toBe(403);
  // The follower forwards a login to the leader, which creates the session.
  const { body } = await get(member.url, '/auth', basic('eva:longenough'));
  expect(body).toMatchObject({ access_token: expect.any(String) as string });
  // The follower does not know of these changes yet.
  const asked = administratorOf(writer.url);
  expect(
    (
      await send(writer.url, {
        method: 'PUT',
        target: '/api/core/v2/users/eva/reset_password',
        headers: asked,
        body: '{"password":"otherwise"}',
      })
    ).status,
  ).toBe(201);
  expect(await silence(basic('eva:longenough'))).toBe(401);
  expect((await send(writer.url, { method: 'DELETE', target: '/api/core/v2/users/eva', headers: asked })).status).toBe(
    204,
  );
  expect(await silence(key('all'))).toBe(401);
});

const voucher = (passwordChangedMs: number): string =>
  Buffer.from(JSON.stringify({ name: 'eva', via: 'password', passwordChangedMs })).toString('base64url');

test('a voucher from an earlier version is rejected if the password changed after the voucher was issued', async () => {
  const { dir } = await storeWithKeys();
  const writer = await startMember(true, { stored: dir });
  const asked = administratorOf(writer.url);
  const sentOn = async (passwordChangedMs: number, more: Record<string, string> = {}): Promise<number> => {
    const headers = { ...callerHeaders(voucher(passwordChangedMs)), ...more };
    return (await postSigned(writer, '/api/mon/v1/silenced', { check: 'disk' }, { headers })).status;
  };
  // The clock of a backend is smoothed, so it differs from the clock of the host by some milliseconds.
  const toleranceMs = 100;
  const shownMs = Date.now() + toleranceMs;
  expect(await sentOn(shownMs)).toBe(201);
  const reset = { method: 'PUT', target: '/api/core/v2/users/eva/reset_password', headers: asked };
  await new Promise((resolve) => setTimeout(resolve, 3 * toleranceMs));
  expect((await send(writer.url, { ...reset, body: '{"password":"otherwise"}' })).status).toBe(201);
  const laterMs = Date.now() + toleranceMs;
  expect(await sentOn(shownMs)).toBe(401);
  expect(await sentOn(laterMs)).toBe(201);
  expect(await sentOn(laterMs, { 'mon-credential': 'stored 0' })).toBe(401);
  expect(await sentOn(laterMs, { 'mon-credential': 'stored 1' })).toBe(201);
});

const FORGED = Buffer.from('{"name":"root","via":"local"}').toString('base64url');
/** Returns the headers in which a backend names the caller of a forwarded request. */
const callerHeaders = (principal: string): Record<string, string> => ({
  'mon-principal': principal,
  'mon-caller': '10.9.8.7',
});

/** Posts a request with the signature of another backend. */
const postSigned = async (
  { url }: Pick<Member, 'url'>,
  target: string,
  body: object,
  options: Parameters<typeof signedHeaders>[1],
): Promise<Answer> => {
  const text = JSON.stringify(body);
  return post(url, target, body, signedHeaders({ method: 'POST', target, body: text }, options));
};

const STASH = { path: 'a', content: {} };
const PASSWORD = { settings: { api: { user: 'admin', password: 'right' } } };

test('a forwarded request without a signature is rejected, whatever it contains', async () => {
  const writer = await startMember(true, PASSWORD);
  for (const signature of ['', 'wrong', SECRET, PEER_KEY, '2.a.b.1.1.c.d']) {
    const headers = { ...callerHeaders(FORGED), 'mon-peer': signature };
    expect((await post(writer.url, '/stashes', STASH, headers)).status).toBe(401);
  }
  expect((await post(writer.url, '/stashes', STASH, callerHeaders(FORGED))).status).toBe(401);
  expect(writer.log.records.filter(({ message }) => message === 'authentication failed')).toHaveLength(5);
  expect((await postSigned(writer, '/stashes', STASH, { headers: callerHeaders('none') })).status).toBe(400);
  expect((await postSigned(writer, '/stashes', STASH, { headers: callerHeaders(FORGED) })).status).toBe(201);
});

test('a reader of the database cannot sign requests for a backend that has a peer key', async () => {
  const writer = await startMember(true, PASSWORD);
  const proof = { secret: SECRET };
  expect((await postSigned(writer, '/stashes', STASH, { headers: callerHeaders(FORGED), proof })).status).toBe(401);
});

test('a signed request is accepted once, by one backend and unchanged', async () => {
  const writer = await startMember(true, PASSWORD);
  const signed = (receiver = 'the writer'): Record<string, string> => {
    const request = { method: 'POST', target: '/stashes', body: JSON.stringify(STASH) };
    return signedHeaders(request, { headers: callerHeaders(FORGED), receiver });
  };
  const first = signed();
  expect((await post(writer.url, '/stashes', STASH, first)).status).toBe(201);
  expect((await post(writer.url, '/stashes', STASH, first)).status).toBe(401);
  expect((await post(writer.url, '/stashes', STASH, signed('another one'))).status).toBe(401);
  expect((await post(writer.url, '/stashes', { ...STASH, path: 'b' }, signed())).status).toBe(401);
  expect((await post(writer.url, '/stashes?x=1', STASH, signed())).status).toBe(401);
  expect((await send(writer.url, { method: 'PUT', target: '/stashes', headers: signed(), body: '{}' })).status).toBe(
    401,
  );
  for (const name of ['mon-principal', 'mon-caller', 'mon-credential', 'authorization']) {
    expect([name, (await post(writer.url, '/stashes', STASH, { ...signed(), [name]: 'bm9uZQ' })).status]).toEqual([
      name,
      401,
    ]);
  }
  expect(await stashed(writer, basic('admin:right'))).toEqual(['a']);
  expect((await post(writer.url, '/stashes', STASH, signed())).status).toBe(201);
});

test('a signed request from a minute ago or from the future is rejected', async () => {
  const writer = await startMember(true, PASSWORD);
  const status = async (aheadMs: number): Promise<number> => {
    const body = JSON.stringify(STASH);
    const sent = { method: 'POST', path: '/stashes', headers: callerHeaders(FORGED), body: Buffer.from(body) };
    const signature = signaturesOf('a-member', undefined, () => Date.now() + aheadMs).headerOf(sent, 'the writer');
    return (await post(writer.url, '/stashes', STASH, { ...callerHeaders(FORGED), ...signature })).status;
  };
  expect([await status(-61_000), await status(61_000)]).toEqual([401, 401]);
  expect(await status(-30_000)).toBe(201);
});

describe('a cluster without a peer key', () => {
  const proof = { secret: SECRET };

  test('a reader of the database cannot become an administrator with any voucher', async () => {
    const { dir, keys } = await storeWithKeys();
    const writer = await startMember(true, { stored: dir, settings: PASSWORD.settings, proof });
    const keyId = /^mk_([^_]+)_/.exec(keys['all'] ?? '')?.[1];
    const vouchers = [
      { name: 'root', via: 'local' },
      { name: 'admin', via: 'password' },
      { name: 'eva', via: 'password', passwordChangedMs: Date.now() },
      { name: 'eva', via: 'key', keyId },
      { name: 'eva', via: 'token', sessionId: 'x' },
    ].map((claim) => Buffer.from(JSON.stringify(claim)).toString('base64url'));
    for (const claim of vouchers) {
      const answer = await postSigned(
        writer,
        '/api/core/v2/users',
        { username: 'x', password: 'longenough' },
        { headers: callerHeaders(claim), proof },
      );
      expect([401, 403]).toContain(answer.status);
      expect([401, 403]).toContain(
        (await postSigned(writer, '/api/mon/v1/silenced', { check: 'a' }, { headers: callerHeaders(claim), proof }))
          .status,
      );
    }
    // Valid credentials of another user do not make the claimed caller valid either.
    const headers = { ...callerHeaders(vouchers[1] ?? ''), ...basic('eva:longenough') };
    expect(
      (await postSigned(writer, '/api/core/v2/users', { username: 'x', password: 'longenough' }, { headers, proof }))
        .status,
    ).toBe(401);
  });

  test('a caller of a follower has at the leader exactly the rights of the credentials that the caller sent', async () => {
    const { dir, keys } = await storeWithKeys();
    const { member } = await startPair({ stored: dir, settings: PASSWORD.settings, proof });
    const silence = async (headers: Record<string, string>, namespace = 'default'): Promise<number> =>
      (await post(member.url, `/api/mon/v1/silenced?namespace=${namespace}`, { check: 'disk' }, headers)).status;
    expect(await silence({ authorization: `Key ${keys['all'] ?? ''}` })).toBe(201);
    expect(await silence({ authorization: `Key ${keys['prod'] ?? ''}` }, 'prod')).toBe(201);
    expect(await silence({ authorization: `Key ${keys['prod'] ?? ''}` })).toBe(403);
    expect(await silence(basic('eva:longenough'))).toBe(201);
    expect(await silence(basic('admin:right'))).toBe(201);
    const { body } = await get(member.url, '/auth', basic('eva:longenough'));
    expect(body).toMatchObject({ access_token: expect.any(String) as string });
  });

  test('the local token of one machine is rejected on another machine, with a remedy', async () => {
    const { writer, member } = await startPair({ proof });
    const user = { username: 'eva', password: 'longenough' };
    expect(await post(member.url, '/api/core/v2/users', user, administratorOf(member.url))).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('peer-key-file') as string },
    });
    expect((await post(member.url, '/stashes', STASH, administratorOf(member.url))).status).toBe(201);
    expect((await post(writer.url, '/api/core/v2/users', user, administratorOf(writer.url))).status).toBe(201);
    expect(await post(member.url, '/stashes', STASH, administratorOf(member.url))).toMatchObject({
      status: 401,
    });
  });

  test('a backend without a peer secret accepts no request from another backend', async () => {
    const writer = await startMember(true, { ...PASSWORD, proof: { secret: '' } });
    expect(
      (await postSigned(writer, '/stashes', STASH, { headers: callerHeaders(FORGED), proof: { secret: '' } })).status,
    ).toBe(401);
  });
});

test('forwarded requests with the local token of another machine are recorded in the audit trail', async () => {
  const { writer, member } = await startPair();
  const asked = administratorOf(member.url);
  expect((await post(member.url, '/stashes', STASH, asked)).status).toBe(201);
  expect((await get(member.url, '/api/mon/v1/dump/users', asked)).status).toBe(200);
  expect((await get(member.url, '/api/mon/v1/overview', asked)).status).toBe(200);
  expect((await post(writer.url, '/stashes', STASH, administratorOf(writer.url))).status).toBe(201);
  const { body } = await get(writer.url, '/api/mon/v1/audit', administratorOf(writer.url));
  const entries = (body as { action: string; target: string }[]).filter(
    ({ action }) => action === 'cluster.local-administrator',
  );
  const entry = { who: 'local administrator', from: '127.0.0.1', after: { member: member.id } };
  expect(entries.toSorted((one, other) => (one.target < other.target ? -1 : 1))).toMatchObject([
    { ...entry, how: 'GET /api/mon/v1/dump/users', target: '/api/mon/v1/dump/users' },
    { ...entry, how: 'POST /stashes', target: '/stashes' },
  ]);
});

test('a forwarded request with an invalid caller address is 400', async () => {
  const writer = await startMember(true, PASSWORD);
  for (const caller of ['<script>', 'a b', 'x'.repeat(201)]) {
    const headers = { ...callerHeaders(FORGED), 'mon-caller': caller };
    expect((await postSigned(writer, '/stashes', STASH, { headers })).status).toBe(400);
  }
});

test('a backend without other members ignores the headers of forwarded requests', async () => {
  await using backend = await startBackend(PASSWORD);
  const headers = signedHeaders({ method: 'GET', target: '/clients' }, { headers: callerHeaders(FORGED) });
  expect((await get(backend.url, '/clients', headers)).status).toBe(401);
});

test('a request that a follower with another peer key forwards returns 503 and changes nothing', async () => {
  const writer = await startMember(true);
  const member = await startMember(false, { proof: { key: 'x'.repeat(43) } });
  member.leadership.follow(placeOf(writer));
  expect(await post(member.url, '/stashes', { path: 'a', content: {} })).toMatchObject({
    status: 503,
    headers: { 'retry-after': '1' },
  });
  expect(member.log.records.filter(({ level }) => level === 'error')).toMatchObject([
    { message: 'the leader does not accept this backend as a member' },
  ]);
});

test('a request forwarded to a backend that is no longer the leader is sent again to the next leader', async () => {
  const { writer, member } = await startPair();
  writer.leadership.follow(undefined);
  const forwarded = post(member.url, '/stashes', { path: 'a', content: {} });
  const next = await startMember(true, { id: 'the next one' });
  member.leadership.follow(placeOf(next, 'the next one'));
  expect((await forwarded).status).toBe(201);
  expect([await stashed(writer), await stashed(next)]).toEqual([[], ['a']]);
});

test('a backend does not forward a request that was already forwarded', async () => {
  const { writer, member } = await startPair();
  const answer = await postSigned(member, '/stashes', STASH, { headers: callerHeaders(FORGED), receiver: member.id });
  expect({ status: answer.status, seq: answer.headers['mon-seq'] }).toEqual({ status: 421, seq: undefined });
  expect(await stashed(writer)).toEqual([]);
});

test('a follower that becomes the leader handles a request itself that waited to be forwarded', async () => {
  const member = await startMember(false);
  const answer = post(member.url, '/stashes', { path: 'a', content: {} });
  member.leadership.isLeader = true;
  expect((await answer).status).toBe(201);
  expect(await stashed(member)).toEqual(['a']);
});

test('a follower whose connection to the leader is refused retries until it finds a leader', async () => {
  const { writer, member } = await startPair();
  const gone = await startWriter((_request, response) => response.end());
  await gone.stop();
  member.leadership.follow(placeOf(gone));
  const answer = post(member.url, '/stashes', { path: 'a', content: {} });
  setTimeout(() => member.leadership.follow(placeOf(writer)), 300);
  expect((await answer).status).toBe(201);
});

test('a request that needs a leader returns 503 while there is none, and can be retried', async () => {
  const member = await startMember(false);
  expect(await post(member.url, '/stashes', { path: 'a', content: {} })).toMatchObject({
    status: 503,
    headers: { 'retry-after': '1' },
  });
});

test('a forwarded change whose response is lost is not sent again, and its 503 says that the outcome is unknown', async () => {
  const { writer, member } = await startPair();
  const bodies: string[] = [];
  const die = async (request: IncomingMessage): Promise<void> => {
    bodies.push(await textOf(request));
    member.leadership.follow(placeOf(writer));
    request.socket.destroy();
  };
  const dying = await startWriter((request) => void die(request));
  member.leadership.follow(placeOf(dying));
  expect(await post(member.url, '/stashes', { path: 'a', content: {} })).toMatchObject({
    status: 503,
    headers: { 'retry-after': '1' },
    body: { error: expect.stringContaining('may or may not have been made') as string },
  });
  expect(bodies).toEqual(['{"path":"a","content":{}}']);
  expect(await stashed(writer)).toEqual([]);
});

test('a forwarded change whose response is cut off returns 503, which says that the outcome is unknown', async () => {
  const member = await startMember(false);
  const { promise: isCut, resolve } = Promise.withResolvers<void>();
  const dying = await startWriter((request, response) => {
    request.socket.once('close', () => resolve());
    response.writeHead(201, { 'content-length': '100', 'mon-seq': '9' }).flushHeaders();
  });
  member.leadership.follow(placeOf(dying));
  member.leadership.catchUp = async () => {
    await dying.stop();
    await isCut;
  };
  expect(await post(member.url, '/stashes', { path: 'a', content: {} })).toMatchObject({
    status: 503,
    headers: { 'retry-after': '1' },
    body: { error: expect.stringContaining('may or may not have been made') as string },
  });
});

test('a forwarded read whose response is lost is sent again', async () => {
  const { writer, member } = await startPair();
  const dying = await startWriter((request) => {
    member.leadership.follow(placeOf(writer));
    request.socket.destroy();
  });
  member.leadership.follow(placeOf(dying));
  expect((await get(member.url, '/api/mon/v1/handlers')).status).toBe(200);
});

test('a request forwarded to a frozen leader ends once another leader is known', async () => {
  const { writer, member } = await startPair();
  const frozen = await startWriter(() => member.leadership.follow(placeOf(writer)));
  member.leadership.follow(placeOf(frozen, 'frozen'));
  expect(await post(member.url, '/stashes', { path: 'a', content: {} })).toMatchObject({
    status: 503,
    body: { error: expect.stringContaining('may or may not') as string },
  });
  expect(await stashed(writer)).toEqual([]);
});

test('a follower sends no change over a connection that the leader is about to close', async () => {
  const { member } = await startPair();
  const sockets = new Set<unknown>();
  const server = createServer({ keepAliveTimeout: 1000 }, (request, response) => {
    sockets.add(request.socket);
    void textOf(request).then(() => response.writeHead(201, { 'mon-seq': '1' }).end('{}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  member.leadership.follow(placeOf({ url: `http://127.0.0.1:${String(port)}` }));
  for (let at = 0; at < 3; at++) {
    expect((await post(member.url, '/stashes', { path: 'a', content: {} })).status).toBe(201);
  }
  expect(sockets.size).toBe(3);
});

test('a follower reuses its connections to the leader', async () => {
  const { member } = await startPair();
  const sockets = new Set<unknown>();
  const writer = await startWriter((request, response) => {
    sockets.add(request.socket);
    void textOf(request).then(() => response.writeHead(201, { 'mon-seq': '1' }).end('{}'));
  });
  member.leadership.follow(placeOf(writer));
  for (let at = 0; at < 3; at++) {
    expect((await post(member.url, '/stashes', { path: 'a', content: {} })).status).toBe(201);
  }
  expect(sockets.size).toBe(1);
});

test('a request that a stopping leader rejects unprocessed is sent again', async () => {
  const { writer, member } = await startPair();
  const stopping = await startWriter((_request, response) => {
    member.leadership.follow(placeOf(writer));
    response.writeHead(503, { connection: 'close' }).end('{"error":"Service Unavailable"}');
  });
  member.leadership.follow(placeOf(stopping));
  expect((await post(member.url, '/stashes', { path: 'a', content: {} })).status).toBe(201);
});

test('a follower forwards over TLS only to the certificate that the leader has announced', async () => {
  const made = makeCertificate('writer.example');
  const other = makeCertificate('writer.example');
  const pair = await writePair(await tempDir(), made);
  const writer = await startMember(true, { settings: { tls: pair } });
  const member = await startMember(false);
  const follow = (pem: string, writes: (fingerprint: string) => string = (same) => same): void =>
    member.leadership.follow({
      id: 'the writer',
      url: writer.url,
      fingerprint: writes(new X509Certificate(pem).fingerprint256),
    });
  expect(writer.url).toMatch(/^https:/);
  follow(made.cert);
  expect((await post(member.url, '/stashes', { path: 'a', content: {} })).status).toBe(201);
  follow(made.cert, (fingerprint) => fingerprint.replaceAll(':', '').toLowerCase());
  expect((await post(member.url, '/stashes', { path: 'b', content: {} })).status).toBe(201);
  follow(other.cert);
  const answer = post(member.url, '/stashes', { path: 'c', content: {} });
  await vi.waitFor(() => expect(member.log.messages('warn')).toContain('the leader cannot be reached'));
  expect(member.log.records.at(-1)?.fields).toMatchObject({
    reason: 'the certificate of the cluster member differs from the certificate that it announced',
  });
  // The request waits instead of failing, because the leader may be about to announce a new certificate.
  follow(made.cert);
  expect((await answer).status).toBe(201);
  // Without an announced fingerprint, the certificate must come from an authority that this machine trusts.
  member.leadership.follow(placeOf(writer));
  expect((await post(member.url, '/stashes', { path: 'd', content: {} })).status).toBe(503);
  expect(await stashed(member)).toEqual([]);
});

test('any member rejects cross-site requests, and each response has the headers of the receiving member', async () => {
  const { writer, member } = await startPair();
  const page = { origin: 'https://elsewhere.example', 'content-type': 'application/json' };
  expect((await post(member.url, '/stashes', { path: 'a', content: {} }, page)).status).toBe(403);
  expect(await stashed(writer)).toEqual([]);
  const { headers } = await post(member.url, '/stashes', { path: 'a', content: {} });
  expect(headers['access-control-allow-origin']).toBe('*');
});

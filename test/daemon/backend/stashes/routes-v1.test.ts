import { beforeEach, describe, expect, test } from 'vitest';
import { STASHES } from '../../../../daemon/backend/model/stashes/storage.ts';
import { openLevelStore } from '../../../../daemon/backend/store/level-store.ts';
import type { Ask } from '../../../support/asking.ts';
import { BackendRig } from '../../../support/backend-rig.ts';
import { send, type Answer } from '../../../support/raw-http.ts';

let rig: BackendRig;

beforeEach(async () => {
  rig = await BackendRig.open();
});

const ask: Ask = (...request) => rig.ask(...request);
const get = (target: string): Promise<Answer> => ask('GET', target);
const listStashes = async (): Promise<unknown> => (await get('/stashes')).body;

async function storedPaths(): Promise<unknown[]> {
  await rig.stop();
  const store = await openLevelStore(rig.dir);
  const paths: unknown[] = [];
  for await (const [key] of store.scan([STASHES.prefix])) paths.push(key.at(-1));
  await store.close();
  return paths;
}

describe('a stash', () => {
  test('POST /stashes creates a stash under the path in the body', async () => {
    const content = { reason: 'maintenance', nested: { list: [1, null] } };
    expect(await ask('POST', '/stashes', { path: 'silence/web-1', content })).toMatchObject({
      status: 201,
      body: { path: 'silence/web-1' },
    });
    expect(await get('/stashes/silence/web-1')).toMatchObject({ status: 200, body: content });
    expect(await get('/stash/silence/web-1')).toMatchObject({ status: 200, body: content });
    expect(await listStashes()).toEqual([{ path: 'silence/web-1', content, expire: -1 }]);
  });

  test.each(['/stash', '/stashes'])('POST to a path below %s creates a stash under that path', async (prefix) => {
    const answer = await ask('POST', `${prefix}/a/b`, { expire: 'is content here' });
    expect(answer).toMatchObject({ status: 201, body: { path: 'a/b' } });
    expect(await listStashes()).toEqual([{ path: 'a/b', content: { expire: 'is content here' }, expire: -1 }]);
  });

  test('replacing a stash replaces its content and its expiry', async () => {
    await ask('POST', '/stashes', { path: 'a', content: { one: 1, two: 2 }, expire: 60 });
    await ask('POST', '/stash/a', { two: 3 });
    expect(await listStashes()).toEqual([{ path: 'a', content: { two: 3 }, expire: -1 }]);
  });

  test('deleting a stash twice returns 204 and then 404', async () => {
    await ask('POST', '/stash/a', {});
    expect(await ask('DELETE', '/stash/a')).toMatchObject({ status: 204, text: '' });
    expect((await ask('DELETE', '/stashes/a')).body).toEqual({ error: 'there is no stash a', code: 'not_found' });
    expect((await get('/stash/a')).status).toBe(404);
    expect(await storedPaths()).toEqual([]);
  });

  test('a stash survives a restart', async () => {
    await ask('POST', '/stashes', { path: 'a', content: { kept: true }, expire: 60 });
    await rig.stop();
    rig.clock.advance(20_000);
    await rig.start();
    expect(await listStashes()).toEqual([{ path: 'a', content: { kept: true }, expire: 40 }]);
  });
});

describe('the path of a v1 stash', () => {
  test.each<{ target: string; path: string }>([
    { target: 'sp%20ace', path: 'sp ace' },
    { target: 'a%2Fb', path: 'a/b' },
    { target: 'a/b/c', path: 'a/b/c' },
    { target: 'a%252Fb', path: 'a%2Fb' },
    { target: '..%2F..%2Fetc', path: '../../etc' },
    { target: 'a//b/', path: 'a//b/' },
    { target: '%C3%A9t%C3%A9', path: 'été' },
    { target: '%00%01', path: '\u0000\u0001' },
    { target: '__proto__', path: '__proto__' },
    { target: 'a%3Fb', path: 'a?b' },
    { target: '', path: '' },
  ])('the stash path $target is percent-decoded once and then used literally', async ({ target, path }) => {
    expect((await ask('POST', `/stash/${target}`, { at: path })).body).toEqual({ path });
    expect((await get(`/stash/${target}`)).body).toEqual({ at: path });
    expect(await listStashes()).toMatchObject([{ path }]);
    expect((await ask('POST', '/stashes', { path, content: { same: true } })).status).toBe(201);
    expect((await get(`/stashes/${target}`)).body).toEqual({ same: true });
    expect((await ask('DELETE', `/stash/${target}`)).status).toBe(204);
    expect(await listStashes()).toEqual([]);
  });

  test.each<{ name: string; target: string; status: number }>([
    { name: 'a percent sign that is no escape', target: '/stash/100%', status: 400 },
    { name: 'more than 1024 characters', target: `/stash/${'a'.repeat(1025)}`, status: 400 },
    { name: 'an empty path', target: '/stash', status: 404 },
  ])('a stash path is rejected: $name', async ({ target, status }) => {
    expect((await ask('POST', target, {})).status).toBe(status);
  });
});

describe('the expiry of a stash', () => {
  test('the remaining time of a stash decreases, and an expired stash is removed from the store', async () => {
    await ask('POST', '/stashes', { path: 'short', content: {}, expire: 30 });
    await ask('POST', '/stashes', { path: 'long', content: {}, expire: 60 });
    rig.clock.advance(29_001);
    expect(await listStashes()).toMatchObject([
      { path: 'long', expire: 31 },
      { path: 'short', expire: 1 },
    ]);
    rig.clock.advance(999);
    expect(await listStashes()).toMatchObject([{ path: 'long' }]);
    expect((await get('/stash/short')).status).toBe(404);
    expect((await ask('DELETE', '/stash/short')).status).toBe(404);
    expect(await storedPaths()).toEqual(['long']);
  });

  test('a stash that expired while the backend was stopped is removed after the start', async () => {
    await ask('POST', '/stashes', { path: 'a', content: {}, expire: 30 });
    await rig.stop();
    rig.clock.advance(31_000);
    await rig.start();
    expect(await listStashes()).toEqual([]);
    rig.clock.advance(0);
    expect(await storedPaths()).toEqual([]);
  });

  test('a stash with expire: -1 never expires, unlike in Sensu Core (DEFECT, stashes)', async () => {
    await ask('POST', '/stashes', { path: 'a', content: {}, expire: -1 });
    rig.clock.advance(3_600_000);
    expect(await listStashes()).toEqual([{ path: 'a', content: {}, expire: -1 }]);
  });

  test('a stash with expire: 0 expires at once', async () => {
    expect((await ask('POST', '/stashes', { path: 'a', content: {}, expire: 0 })).status).toBe(201);
    expect((await get('/stash/a')).status).toBe(404);
    expect(await listStashes()).toEqual([]);
  });

  test('a stash whose expiry was replaced does not expire at the old time', async () => {
    await ask('POST', '/stashes', { path: 'a', content: {}, expire: 10 });
    await ask('POST', '/stashes', { path: 'a', content: {}, expire: 100 });
    rig.clock.advance(11_000);
    expect(await listStashes()).toMatchObject([{ path: 'a', expire: 89 }]);
  });
});

describe('the list of stashes', () => {
  beforeEach(async () => {
    for (const path of ['c', 'a', 'b/1']) await ask('POST', '/stashes', { path, content: { kind: path[0] } });
    await ask('POST', '/stashes', { path: 'gone', content: {}, expire: 1 });
    rig.clock.advance(1000);
  });

  test.each<{ query: string; paths: string[]; pagination?: string }>([
    { query: '', paths: ['a', 'b/1', 'c'] },
    { query: '?limit=2', paths: ['a', 'b/1'], pagination: '{"limit":2,"offset":0,"total":3}' },
    { query: '?limit=2&offset=2', paths: ['c'], pagination: '{"limit":2,"offset":2,"total":3}' },
    // Sensu sends no response at all to a request for an empty page.
    { query: '?limit=0', paths: [], pagination: '{"limit":0,"offset":0,"total":3}' },
    { query: '?limit=2&offset=9', paths: [], pagination: '{"limit":2,"offset":9,"total":3}' },
    { query: '?limit=&offset=', paths: ['a', 'b/1', 'c'] },
    { query: '?filter.content.kind=b', paths: ['b/1'] },
  ])('GET /stashes$query returns the right page of stashes', async ({ query, paths, pagination }) => {
    const answer = await get(`/stashes${query}`);
    expect(answer.status).toBe(200);
    expect((answer.body as readonly { path: string }[]).map(({ path }) => path)).toEqual(paths);
    expect(answer.headers['x-pagination']).toBe(pagination);
  });
});

test('a lone surrogate in a stash path is replaced by U+FFFD', async () => {
  expect((await ask('POST', '/stashes', { path: 'a\uD800', content: {} })).status).toBe(201);
  expect(await listStashes()).toMatchObject([{ path: 'a\uFFFD' }]);
});

describe('a rejected stash', () => {
  test.each<{ name: string; body: unknown; problem: string }>([
    { name: 'no path', body: { content: {} }, problem: 'path: expected string, received undefined' },
    { name: 'a path that is a number', body: { path: 1, content: {} }, problem: 'path: expected string' },
    { name: 'no content', body: { path: 'a' }, problem: 'content: ' },
    { name: 'content that is a list', body: { path: 'a', content: [] }, problem: 'content: ' },
    { name: 'content that is a text', body: { path: 'a', content: 'x' }, problem: 'content: ' },
    { name: 'an expiry in fractions of a second', body: { path: 'a', content: {}, expire: 1.5 }, problem: 'expire: ' },
    {
      name: 'an expiry below -1',
      body: { path: 'a', content: {}, expire: -2 },
      problem: 'expire: must be seconds, or -1',
    },
    { name: 'an expiry of more than a century', body: { path: 'a', content: {}, expire: 1e11 }, problem: 'expire: ' },
    { name: 'a list', body: [], problem: 'expected object' },
  ])('POST /stashes with $name is rejected', async ({ body, problem }) => {
    const answer = await ask('POST', '/stashes', body);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(problem);
    expect(await listStashes()).toEqual([]);
  });

  test.each<{ name: string; body: string; status: number }>([
    { name: 'a list', body: '[]', status: 400 },
    { name: 'null', body: 'null', status: 400 },
    { name: 'empty', body: '', status: 400 },
    { name: 'not JSON', body: '{', status: 400 },
    { name: 'more than 512 levels', body: `{"a":${'['.repeat(600)}${']'.repeat(600)}}`, status: 400 },
    { name: 'more than a megabyte', body: JSON.stringify({ a: 'x'.repeat(1024 * 1024) }), status: 413 },
  ])('POST of stash content that is $name is rejected', async ({ body, status }) => {
    const answer = await send(rig.url, { method: 'POST', target: '/stash/a', body });
    expect(answer.status).toBe(status);
    expect(await listStashes()).toEqual([]);
  });

  test('a stash path rejects other methods and returns the allowed methods', async () => {
    expect((await ask('PUT', '/stash/a', {})).headers['allow']).toBe('GET, HEAD, POST, DELETE');
    expect((await ask('DELETE', '/stashes')).headers['allow']).toBe('GET, HEAD, POST');
  });
});

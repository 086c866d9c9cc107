import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Answer } from '../support/raw-http.ts';
import type { RunningBackend } from '../support/running-backend.ts';
import { ANSIBLE, ask, NAGSTAMON, PLUGIN, PYSENSU, SENSU_CLI, UCHIWA, type ClientProgram } from './client-requests.ts';
import { NOW, startScene } from './client-scene.ts';
import { clientType, issuedType, silencedType } from './client-types.ts';

// Tests of the requests in the client checklist that change something, in its order (clients 2), with every client
// program that sends them.

let backend: RunningBackend;
beforeAll(async () => {
  backend = await startScene();
});
afterAll(() => backend[Symbol.asyncDispose]());

const as = (client: ClientProgram, method: string, target: string, body?: unknown): Promise<Answer> =>
  ask(backend.url, client, method, target, body);
const absent = expect.objectContaining({ status: 404 }) as unknown;

/** Posts a failing result for a client of its own, so that a test can resolve or delete its event. */
async function fail(source: string): Promise<void> {
  const result = { source, name: 'disk', output: 'full', status: 2 };
  expect((await as(PYSENSU, 'POST', '/results', result)).status).toBe(202);
}

describe('DELETE /events/:client/:check', () => {
  test.each([
    { name: 'UCHIWA', client: UCHIWA },
    { name: 'SENSU_CLI', client: SENSU_CLI },
    { name: 'PYSENSU', client: PYSENSU },
  ])(
    'DELETE /events/:client/:check by $name returns 202 with the time, and 404 when repeated',
    async ({ name, client }) => {
      const target = `/events/delete-by-${name}/disk`;
      await fail(`delete-by-${name}`);
      const answer = await as(client, 'DELETE', target);
      expect(answer.status).toBe(202);
      expect(issuedType.parse(answer.body)).toEqual({ issued: NOW });
      expect((await as(client, 'GET', target)).status).toBe(404);
      expect((await as(client, 'DELETE', target)).status).toBe(404);
    },
  );
});

describe('POST /resolve', () => {
  test.each([
    { name: 'SENSU_CLI', client: SENSU_CLI },
    { name: 'PYSENSU', client: PYSENSU },
  ])(
    'POST /resolve by $name returns 202 with the time, 404 when repeated, and 400 for an incomplete body',
    async ({ name, client }) => {
      const body = { client: `resolve-by-${name}`, check: 'disk' };
      await fail(body.client);
      expect(await as(client, 'POST', '/resolve', body)).toMatchObject({ status: 202, body: { issued: NOW } });
      expect(await as(client, 'POST', '/resolve', body)).toEqual(absent);
      expect((await as(client, 'POST', '/resolve', { client: body.client })).status).toBe(400);
    },
  );
});

describe('POST /clients', () => {
  test('POST /clients accepts a client with the extra attributes that Uchiwa adds to what it has read', async () => {
    const client = clientType.parse((await as(UCHIWA, 'GET', '/clients/db-1')).body);
    const answer = await as(UCHIWA, 'POST', '/clients', { ...client, dc: 'site', _id: 'site/db-1' });
    expect(answer).toMatchObject({ status: 201, body: { name: 'db-1' } });
    expect((await as(UCHIWA, 'GET', '/clients/db-1')).body).toMatchObject(client);
  });

  test('POST /clients returns 400 for an invalid client', async () => {
    expect((await as(UCHIWA, 'POST', '/clients', { name: 'db 1', address: '' })).status).toBe(400);
  });
});

describe('DELETE /clients/:c', () => {
  test.each([
    { name: 'Uchiwa', client: UCHIWA, query: '?invalidate=true&invalidate_expire=60' },
    { name: 'sensu-cli', client: SENSU_CLI, query: '' },
    { name: 'the deregister handler', client: PLUGIN, query: '?invalidate=true' },
    { name: 'the deregister handler, with its bare number', client: PLUGIN, query: '?invalidate=true&60' },
    { name: 'pysensu', client: PYSENSU, query: '' },
  ])('DELETE /clients/:c by $name returns 202 with the time, and 404 when repeated', async ({ client, query }) => {
    await as(UCHIWA, 'POST', '/clients', { name: 'leaving', address: '' });
    const answer = await as(client, 'DELETE', `/clients/leaving${query}`);
    expect(answer.status).toBe(202);
    issuedType.parse(answer.body);
    expect((await as(client, 'GET', '/clients/leaving')).status).toBe(404);
    expect((await as(client, 'DELETE', `/clients/leaving${query}`)).status).toBe(404);
  });
});

describe('POST /request', () => {
  test.each([
    { name: 'Uchiwa, without subscribers', client: UCHIWA, body: { check: 'disk', dc: 'site', subscribers: null } },
    { name: 'Uchiwa', client: UCHIWA, body: { check: 'disk', dc: 'site', subscribers: ['web'] } },
    { name: 'sensu-cli', client: SENSU_CLI, body: { check: 'disk', subscribers: ['web', 'db'] } },
    {
      name: 'the remediation handler',
      client: PLUGIN,
      body: { check: 'disk', subscribers: ['client:web-1'], creator: 'sensu-handler', reason: 'disk is full' },
    },
    { name: 'Nagstamon', client: NAGSTAMON, body: { check: 'disk', subscribers: ['client:web-1'], dc: 'site' } },
  ])('POST /request by $name returns 202 with the time', async ({ client, body }) => {
    const answer = await as(client, 'POST', '/request', body);
    expect(answer.status).toBe(202);
    issuedType.parse(answer.body);
  });

  test.each([
    { body: { check: 'nope' }, status: 404 },
    { body: { subscribers: ['web'] }, status: 400 },
    { body: { check: 'disk', subscribers: 'web' }, status: 400 },
  ])('POST /request with $body returns $status', async ({ body, status }) => {
    expect((await as(SENSU_CLI, 'POST', '/request', body)).status).toBe(status);
  });
});

describe('POST /results', () => {
  const result = { source: 'by-script', name: 'cron', output: 'done', status: 0 };
  test.each([
    { name: 'pysensu', client: PYSENSU },
    { name: 'Nagstamon', client: NAGSTAMON },
  ])('POST /results by $name returns 202 with the time, and 400 without an output', async ({ client }) => {
    const answer = await as(client, 'POST', '/results', result);
    expect(answer.status).toBe(202);
    issuedType.parse(answer.body);
    expect((await as(client, 'POST', '/results', { ...result, output: undefined })).status).toBe(400);
  });
});

describe('DELETE /results/:c/:k', () => {
  test.each([
    { name: 'Uchiwa', client: UCHIWA },
    { name: 'the purge handler', client: PLUGIN },
    { name: 'pysensu', client: PYSENSU },
  ])('DELETE /results/:c/:k by $name returns 204, and 404 when repeated', async ({ client }) => {
    await fail('purged');
    expect(await as(client, 'DELETE', '/results/purged/disk')).toMatchObject({ status: 204, text: '' });
    expect(await as(client, 'DELETE', '/results/purged/disk')).toEqual(absent);
  });
});

describe('DELETE /aggregates/:n', () => {
  test.each([
    { name: 'Uchiwa', client: UCHIWA },
    { name: 'sensu-cli', client: SENSU_CLI },
    { name: 'pysensu', client: PYSENSU },
  ])('DELETE /aggregates/:n by $name returns 204, and 404 when repeated', async ({ client }) => {
    await as(PYSENSU, 'POST', '/results', { source: 'a', name: 'k', output: '', aggregate: 'short-lived' });
    expect(await as(client, 'DELETE', '/aggregates/short-lived')).toMatchObject({ status: 204, text: '' });
    expect(await as(client, 'DELETE', '/aggregates/short-lived')).toEqual(absent);
  });
});

describe('POST /silenced and /silenced/clear', () => {
  test.each<{ name: string; client: ClientProgram; entry: object; target: object; id: string }>([
    {
      name: 'Uchiwa',
      client: UCHIWA,
      entry: {
        id: '',
        dc: 'site',
        subscription: 'client:u',
        check: 'k',
        begin: NOW + 1,
        expire: 9,
        expire_on_resolve: true,
      },
      target: { id: 'client:u:k', dc: 'site' },
      id: 'client:u:k',
    },
    {
      name: 'sensu-cli',
      client: SENSU_CLI,
      entry: { subscription: 's', reason: 'r', creator: 'c', expire: 60 },
      target: { subscription: 's', creator: 'c' },
      id: 's:*',
    },
    {
      name: 'Ansible',
      client: ANSIBLE,
      entry: { check: 'a', creator: null, expire: 1800, expire_on_resolve: null, reason: null, subscription: null },
      target: { check: 'a', subscription: null },
      id: '*:a',
    },
    { name: 'pysensu', client: PYSENSU, entry: { check: 'p', expire: 60 }, target: { check: 'p' }, id: '*:p' },
    {
      name: 'Nagstamon',
      client: NAGSTAMON,
      entry: { subscription: 'client:n', check: 'n' },
      target: { id: 'client:n:n' },
      id: 'client:n:n',
    },
  ])(
    'POST /silenced and POST /silenced/clear by $name return 201 and 204 without bodies, then 404',
    async ({ client, entry, target, id }) => {
      expect(await as(client, 'POST', '/silenced', entry)).toMatchObject({ status: 201, text: '' });
      const [found] = z.array(silencedType).parse((await as(client, 'GET', `/silenced?filter.id=${id}`)).body);
      expect(found?.id).toBe(id);
      expect(await as(client, 'POST', '/silenced/clear', target)).toMatchObject({ status: 204, text: '' });
      expect(await as(client, 'POST', '/silenced/clear', target)).toEqual(absent);
    },
  );

  test('POST /silenced/clear without an id, as sensu-cli 0.11 sends it, returns 400', async () => {
    expect((await as(SENSU_CLI, 'POST', '/silenced/clear', {})).status).toBe(400);
  });

  test('POST /silenced without a target returns 400', async () => {
    expect((await as(ANSIBLE, 'POST', '/silenced', { reason: 'r' })).status).toBe(400);
  });
});

describe('POST /stashes and DELETE of a stash', () => {
  test.each([
    { name: 'Uchiwa', client: UCHIWA, more: { dc: 'site', expire: 60 } },
    { name: 'sensu-cli', client: SENSU_CLI, more: {} },
    { name: 'pysensu', client: PYSENSU, more: { expire: -1 } },
  ])(
    'POST /stashes by $name returns 201 with the path, and DELETE returns 204, and 404 when repeated',
    async ({ client, more }) => {
      const body = { path: 'silence/web-9/disk', content: { timestamp: NOW }, ...more };
      expect(await as(client, 'POST', '/stashes', body)).toMatchObject({ status: 201, body: { path: body.path } });
      expect((await as(client, 'DELETE', `/stashes/${body.path}`)).status).toBe(204);
      expect((await as(client, 'DELETE', `/stash/${body.path}`)).status).toBe(404);
    },
  );

  test('POST /stashes/:path stores the request body as the content of the stash', async () => {
    const answer = await as(PYSENSU, 'POST', '/stashes/by/path', { owner: 'ops' });
    expect(answer).toMatchObject({ status: 201, body: { path: 'by/path' } });
    expect((await as(PYSENSU, 'GET', '/stashes/by/path')).body).toEqual({ owner: 'ops' });
  });

  test.each([{}, { path: 'a' }, { path: 'a', content: 'text' }, { path: 1, content: {} }])(
    'POST /stashes with %o returns 400',
    async (body) => {
      expect((await as(UCHIWA, 'POST', '/stashes', body)).status).toBe(400);
    },
  );
});

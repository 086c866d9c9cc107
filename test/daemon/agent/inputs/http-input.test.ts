import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { hostname } from 'node:os';
import { json } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openHttpInput } from '../../../../daemon/agent/inputs/http-input.ts';
import { acceptLocalResults } from '../../../../daemon/agent/inputs/local-result.ts';
import type { SubmittedResult } from '../../../../shared/schemas/result.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';

interface Question {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

const CREDENTIALS = { user: 'ops', password: 's3:cret' };
const AUTHORIZATION = `Basic ${Buffer.from('ops:s3:cret').toString('base64')}`;

async function aBench(
  options: { user?: string; password?: string; protect_all_endpoints?: boolean } = {},
  deliver?: (result: SubmittedResult) => Promise<void>,
) {
  const clock = new ManualClock();
  const log = new RecordedLog();
  const delivered: SubmittedResult[] = [];
  const take = async (result: SubmittedResult): Promise<void> => {
    delivered.push(await Promise.resolve(result));
  };
  const input = await openHttpInput(
    { bind: '127.0.0.1', port: 0, ...options },
    {
      log,
      accept: async (message) => await acceptLocalResults(message, { clock, deliver: deliver ?? take }),
      settings: { client: { name: 'web1', password: 'hunter2', badge: 'b4dge' }, checks: {} },
      redactKeys: new Set(['badge']),
      isConnected: () => true,
      waiting: () => 3,
      spoolTrouble: () => undefined,
    },
  );
  onTestFinished(async () => await input[Symbol.asyncDispose]());
  const ask = async (path: string, { method = 'GET', headers = {}, body }: Question = {}): Promise<Answer> => {
    const asked = request({ host: '127.0.0.1', port: input.port, path, method, headers, agent: false });
    const answered = new Promise<Answer>((resolve, reject) => {
      asked.on('error', reject);
      asked.on('response', (response) => {
        json(response).then(
          (content) => resolve({ status: response.statusCode, headers: response.headers, body: content }),
          reject,
        );
      });
    });
    asked.end(body);
    return await answered;
  };
  const report = async (body: string, contentType = 'application/json'): Promise<Answer> =>
    await ask('/results', { method: 'POST', headers: { 'Content-Type': contentType }, body });
  return { ask, report, delivered, log, port: input.port };
}

test.each([
  { host: 'evil.example.org', status: 403 },
  { host: 'evil.example.org:3031', status: 403 },
  { host: 'intranet', status: 403 },
  { host: 'localhost:3031', status: 200 },
  { host: '127.0.0.1:3031', status: 200 },
  { host: '[::1]:3031', status: 200 },
  { host: hostname(), status: 200 },
])('the HTTP input responds to a request with the host $host with $status', async ({ host, status }) => {
  const { ask } = await aBench();
  expect(await ask('/info', { headers: { host } })).toMatchObject({ status });
});

test('the HTTP input accepts any host in a request with credentials if all endpoints are protected', async () => {
  const { ask } = await aBench({ ...CREDENTIALS, protect_all_endpoints: true });
  const headers = { host: 'web-1.example.org', authorization: AUTHORIZATION };
  expect(await ask('/info', { headers })).toMatchObject({ status: 200 });
});

describe('POST /results', () => {
  test('the HTTP input accepts a valid result', async () => {
    const { report, delivered } = await aBench();
    expect(await report('{"name": "a", "output": "x"}', 'application/json; charset=utf-8')).toMatchObject({
      status: 202,
      body: { response: 'ok' },
    });
    expect(delivered).toMatchObject([{ name: 'a', output: 'x', status: 0 }]);
  });

  test('the HTTP input accepts an output with unescaped newlines', async () => {
    const { report, delivered } = await aBench();
    expect(await report('{"name": "a", "output": "one\ttwo\nthree"}')).toMatchObject({ status: 202 });
    expect(delivered).toMatchObject([{ output: 'one\ttwo\nthree' }]);
  });

  test.each<{ name: string; body: string; contentType?: string; status: number; response: string }>([
    { name: 'a body that is not JSON', body: '{"name"', status: 400, response: 'Failed to parse JSON body' },
    { name: 'an empty body', body: '', status: 400, response: 'Failed to parse JSON body' },
    {
      name: 'an invalid result',
      body: '{"name": "a", "output": 5}',
      status: 400,
      response: 'output: expected string, received number',
    },
    {
      name: 'an array with an invalid result',
      body: '[{"name": "a", "output": ""}, 5]',
      status: 400,
      response: 'item 2: expected object, received number',
    },
    {
      name: 'the content type of a form',
      body: 'name=a',
      contentType: 'application/x-www-form-urlencoded',
      status: 415,
      response: 'Invalid content type',
    },
    {
      name: 'a body that is too large',
      body: `"${'x'.repeat(1024 * 1024)}"`,
      status: 413,
      response: 'Larger than 1 MiB',
    },
  ])('the HTTP input rejects $name with $status', async ({ body, contentType, status, response }) => {
    const { report } = await aBench();
    expect(await report(body, contentType)).toMatchObject({ status, body: { response } });
  });

  test('the HTTP input responds with 503 when the agent could not spool the result', async () => {
    const { report, log } = await aBench({}, async () => await Promise.reject(new Error('disk full')));
    expect(await report('{"name": "a", "output": "x"}')).toMatchObject({ status: 503 });
    expect(log.messages('error')).toEqual(['could not write a check result from a local program to disk']);
  });

  test('the HTTP input rejects requests that come from pages in a browser', async () => {
    const { ask, delivered } = await aBench();
    const headers = { 'Content-Type': 'application/json', Origin: 'http://127.0.0.1:3031' };
    const body = '{"name": "a", "output": "x"}';
    expect(await ask('/results', { method: 'POST', headers, body })).toMatchObject({ status: 403 });
    expect(delivered).toEqual([]);
  });
});

test('GET /info of the HTTP input shows the versions and the state of the connection', async () => {
  const { ask } = await aBench();
  expect(await ask('/info')).toMatchObject({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: {
      sensu: { version: '1.9.0' },
      transport: { connected: true, results: { messages: 3 } },
      mon: { version: '1.0.0' },
    },
  });
});

const REFUSAL = { response: expect.stringMatching(/^You must be authenticated/) };

describe('GET /settings', () => {
  test.each<{ name: string; options: { user?: string; password?: string }; authorization?: string; status: number }>([
    { name: 'a request while no password is set', options: {}, authorization: AUTHORIZATION, status: 401 },
    { name: 'a request without credentials', options: CREDENTIALS, status: 401 },
    {
      name: 'a request with wrong credentials',
      options: CREDENTIALS,
      authorization: `Basic ${btoa('ops:s3')}`,
      status: 401,
    },
    {
      name: 'a request with another scheme',
      options: CREDENTIALS,
      authorization: AUTHORIZATION.replace('Basic', 'Key'),
      status: 401,
    },
    { name: 'a request with credentials', options: CREDENTIALS, authorization: AUTHORIZATION, status: 200 },
    {
      name: 'a request with the scheme in lower case',
      options: CREDENTIALS,
      authorization: AUTHORIZATION.replace('Basic', 'basic'),
      status: 200,
    },
  ])('GET /settings of the HTTP input responds to $name with $status', async ({ options, authorization, status }) => {
    const { ask } = await aBench(options);
    const answer = await ask(
      '/settings',
      authorization === undefined ? {} : { headers: { Authorization: authorization } },
    );
    expect(answer.status).toBe(status);
    expect(answer.headers['www-authenticate'] ?? '').toMatch(status === 401 ? /^Basic realm=/ : /^$/);
    expect(answer.body).toMatchObject(status === 401 ? REFUSAL : { client: { name: 'web1' } });
  });

  test('GET /settings of the HTTP input redacts secrets unless the query contains redacted=false', async () => {
    const { ask } = await aBench(CREDENTIALS);
    const headers = { Authorization: AUTHORIZATION };
    expect((await ask('/settings', { headers })).body).toMatchObject({ client: { badge: 'REDACTED' } });
    expect((await ask('/settings?redacted=true', { headers })).body).toMatchObject({ client: { badge: 'REDACTED' } });
    expect((await ask('/settings?redacted=false', { headers })).body).toMatchObject({ client: { badge: 'b4dge' } });
  });
});

test('the HTTP input with protect_all_endpoints rejects every request without credentials', async () => {
  const { ask, report, delivered } = await aBench({ ...CREDENTIALS, protect_all_endpoints: true });
  for (const path of ['/info', '/brew', '/nothing']) expect((await ask(path)).status).toBe(401);
  expect((await report('{"name": "a", "output": "x"}')).status).toBe(401);
  expect(delivered).toEqual([]);
  expect((await ask('/info', { headers: { Authorization: AUTHORIZATION } })).status).toBe(200);
});

test('GET /brew of the HTTP input returns 418', async () => {
  const { ask } = await aBench();
  expect(await ask('/brew')).toMatchObject({ status: 418, body: { response: "I'm a teapot!" } });
});

test('the HTTP input responds to an unknown path with 404 and a list of the endpoints', async () => {
  const { ask } = await aBench();
  expect(await ask('/result')).toMatchObject({
    status: 404,
    body: {
      endpoints: {
        '/info': { methods: ['GET'], help: expect.any(String) },
        '/results': { methods: ['POST'] },
        '/settings': { methods: ['GET'] },
        '/brew': { methods: ['GET'] },
      },
    },
  });
});

test('the HTTP input responds to a wrong method with 405 and the allowed method', async () => {
  const { ask } = await aBench();
  expect(await ask('/results')).toMatchObject({
    status: 405,
    headers: { allow: 'POST' },
    body: { response: 'Valid methods for this endpoint: ["POST"]' },
  });
  expect(await ask('/info', { method: 'DELETE' })).toMatchObject({ status: 405, headers: { allow: 'GET' } });
});

test('the HTTP input serves at most 64 connections and accepts another when a connection closes', async () => {
  const { ask, port } = await aBench();
  const sockets = Array.from({ length: 64 }, () => connect(port, '127.0.0.1'));
  onTestFinished(() => sockets.forEach((socket) => void socket.destroy()));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  await expect(ask('/info')).rejects.toMatchObject({ code: expect.stringMatching(/^E(?:CONNRESET|PIPE)$/) as string });
  expect(sockets.filter(({ closed }) => closed)).toEqual([]);
  sockets[0]?.destroy();
  await vi.waitFor(async () => expect(await ask('/info')).toMatchObject({ status: 200 }));
});

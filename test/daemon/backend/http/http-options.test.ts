import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exchange, requestBytes, type Answer } from '../../../support/raw-http.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';

const listeners = { 'agent-listener': { port: 0 }, 'v2-listener': { port: 0 } };

describe('a request that offers an upgrade to another protocol', () => {
  let backend: RunningBackend;
  beforeAll(async () => {
    backend = await startBackend({ settings: listeners });
  });
  afterAll(() => backend[Symbol.asyncDispose]());

  /** The headers with which `curl --http2` and Java's HttpClient offer HTTP/2. */
  const h2c = {
    Connection: 'Upgrade, HTTP2-Settings',
    Upgrade: 'h2c',
    'HTTP2-Settings': 'AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA',
  };
  const ask = async (url: string, method: string, target: string, body?: string): Promise<Answer | undefined> => {
    const bytes = requestBytes({ method, target, headers: h2c, ...(body === undefined ? {} : { body }) });
    return (await exchange(url, bytes, [method]))[0];
  };
  const client = JSON.stringify({ name: 'java-1', address: '192.0.2.1' });

  test.each([
    { method: 'GET', target: '/info', status: 200 },
    { method: 'HEAD', target: '/events', status: 200 },
    { method: 'GET', target: '/nope', status: 404 },
    { method: 'GET', target: '/api/core/v2/namespaces/default/events', status: 200 },
    { method: 'POST', target: '/clients', body: client, status: 201 },
    { method: 'POST', target: '/clients', body: '{', status: 400 },
  ])(
    '$method $target that offers an upgrade to HTTP/2 is handled as an ordinary request: $status',
    async ({ method, target, body, status }) => {
      expect((await ask(backend.url, method, target, body))?.status).toBe(status);
    },
  );

  test('an offered upgrade to HTTP/2 is ignored for a chunked body and on the other listeners', async () => {
    const head = requestBytes({
      method: 'POST',
      target: '/clients',
      headers: { ...h2c, 'Transfer-Encoding': 'chunked' },
    });
    const chunk = `${client.length.toString(16)}\r\n${client}\r\n0\r\n\r\n`;
    expect((await exchange(backend.url, head + chunk, ['POST']))[0]?.status).toBe(201);
    expect((await ask(backend.v2Url, 'GET', '/health'))?.status).toBe(200);
    expect((await ask(backend.agentUrl.replace('ws', 'http'), 'GET', '/'))?.status).toBe(426);
  });
});

describe('an unfinished request', () => {
  test.each([
    {
      name: 'in its head',
      bytes: 'GET /info HTTP/1.1\r\nHost: localhost\r\n',
      times: { headMs: 50, totalMs: 600_000 },
    },
    {
      name: 'in its body',
      bytes: 'POST /results HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"name":',
      times: { headMs: 50, totalMs: 100 },
    },
  ])('a request that stops $name gets 408 and its connection closes, on each listener', async ({ bytes, times }) => {
    await using backend = await startBackend({ settings: listeners, requestTimes: { ...times, checkMs: 10 } });
    const urls = [backend.url, backend.v2Url, backend.agentUrl.replace('ws', 'http')];
    const answers = await Promise.all(urls.map((url) => exchange(url, bytes, ['GET', 'GET'])));
    const statuses = answers.map((own) => own.map(({ status }) => status));
    expect(statuses.slice(0, 2)).toEqual([[408], [408]]);
    // The agent listener treats a plain request as complete after its head, and closes the connection.
    expect(statuses[2]).toEqual(bytes.startsWith('POST') ? [426] : [408]);
  });
});

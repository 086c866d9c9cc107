import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exchange, requestBytes, send, type Answer, type RawRequest } from '../../../support/raw-http.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';

let backend: RunningBackend;
beforeAll(async () => {
  backend = await startBackend();
  await post('/clients', { name: 'web', address: '10.0.0.1' });
  await post('/results', { name: 'disk', output: 'full', status: 2, source: 'web' });
});
afterAll(() => backend[Symbol.asyncDispose]());

const ask = (method: string, target: string, rest: Partial<RawRequest> = {}): Promise<Answer> =>
  send(backend.url, { method, target, ...rest });
const post = (target: string, body: unknown): Promise<Answer> => ask('POST', target, { body: JSON.stringify(body) });

const corsOf = async (cors: unknown): Promise<Record<string, string>> => {
  await using other = await startBackend({ settings: { api: { cors } } });
  const { headers } = await send(other.url, { method: 'GET', target: '/nope' });
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-')));
};

describe('every HTTP response', () => {
  test.each([
    { name: 'of a list', method: 'GET', target: '/clients', status: 200 },
    { name: 'of an unknown path', method: 'GET', target: '/nope', status: 404 },
    { name: 'to a wrong method', method: 'PUT', target: '/clients', status: 405 },
    { name: 'to a path that cannot be decoded', method: 'GET', target: '/%zz', status: 400 },
    { name: 'to a body that is not JSON', method: 'POST', target: '/clients', status: 400 },
    { name: 'to OPTIONS', method: 'OPTIONS', target: '/nope', status: 200 },
  ])('the response $name has the CORS headers and a request id', async ({ method, target, status }) => {
    const answer = await ask(method, target);
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, POST, PUT, DELETE, OPTIONS',
      'access-control-allow-credentials': 'true',
      'access-control-allow-headers': 'Origin, X-Requested-With, Content-Type, Accept, Authorization',
      'x-request-id': expect.stringMatching(/^[\da-f-]{36}$/) as string,
    });
  });

  test.each([
    { name: 'is echoed', given: 'abc 123', echoed: true },
    { name: 'of 128 characters is echoed', given: 'x'.repeat(128), echoed: true },
    { name: 'that is longer is replaced', given: 'x'.repeat(129), echoed: false },
    { name: 'that cannot be printed is replaced', given: 'a\tb', echoed: false },
  ])('the X-Request-ID of a request $name in the response', async ({ given, echoed }) => {
    const { headers } = await ask('GET', '/info', { headers: { 'X-Request-ID': given } });
    expect(headers['x-request-id'] === given).toBe(echoed);
  });
});

describe('OPTIONS', () => {
  test.each(['/clients', '/nope', '/', '*', '/%zz', '/clients#x'])('OPTIONS %s returns 200', async (target) => {
    const answer = await ask('OPTIONS', target);
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text: '' });
  });
});

describe('HEAD', () => {
  test.each(['/clients', '/clients?limit=1', '/events/web/disk', '/settings', '/nope'])(
    'HEAD %s returns the status and length of GET without a body',
    async (target) => {
      const [head, get] = [await ask('HEAD', target), await ask('GET', target)];
      expect(head.text).toBe('');
      expect(head.status).toBe(get.status === 404 ? 404 : 200);
      // The error about an unknown path contains the method, and `HEAD` is one letter longer than `GET`.
      const difference = get.status === 404 ? 1 : 0;
      expect(Number(head.headers['content-length'])).toBe(Buffer.byteLength(get.text) + difference);
    },
  );
});

describe('a method that a path does not have', () => {
  test.each([
    { method: 'PUT', target: '/clients', allow: 'GET, HEAD, POST' },
    { method: 'PATCH', target: '/clients/web', allow: 'GET, HEAD, DELETE' },
    { method: 'TRACE', target: '/events', allow: 'GET, HEAD' },
    { method: 'HEAD', target: '/resolve', allow: 'POST' },
    { method: 'GET', target: '/silenced/clear', allow: 'POST' },
    { method: 'POST', target: '/silenced/ids/a:b', allow: 'GET, HEAD, DELETE' },
    { method: 'DELETE', target: '/api/mon/v1/results', allow: 'GET, HEAD, POST' },
  ])('$method $target returns 405 with the allowed methods', async ({ method, target, allow }) => {
    const answer = await ask(method, target, method === 'PUT' ? { body: 'not JSON' } : {});
    expect({ status: answer.status, allow: answer.headers['allow'] }).toEqual({ status: 405, allow });
    const error = `${method} is not supported here: use ${allow}`;
    expect(answer.body).toEqual(method === 'HEAD' ? undefined : { error, code: 'method_not_allowed' });
  });
});

describe('unknown paths', () => {
  test.each([
    { method: 'POST', target: '/clients/' },
    { method: 'PUT', target: '/clients/a;b' },
    { method: 'DELETE', target: '/results/' },
    { method: 'DELETE', target: '/clients//history' },
    { method: 'POST', target: '/silenced/ids/' },
    { method: 'GET', target: '/aggregates/web/results/' },
    { method: 'POST', target: '/aggregates/web/results/' },
    { method: 'GET', target: '/aggregates/web/results/a:b' },
  ])('$method $target returns 404 without allowed methods', async ({ method, target }) => {
    const { status, headers } = await ask(method, target, method === 'POST' ? { body: '{}' } : {});
    expect({ status, allow: headers['allow'] }).toEqual({ status: 404, allow: undefined });
  });
});

describe('paths', () => {
  test.each([
    { target: '/clients/%77eb', status: 200, because: 'each segment of the path is decoded' },
    { target: '/%63lients/web', status: 200, because: 'every further segment is decoded as well' },
    { target: '/clients/%2577eb', status: 400, because: 'a segment is decoded only once' },
    { target: '/clients/a%20b', status: 400, because: 'a decoded segment must be a valid name' },
    { target: '/clients/a%2Fb', status: 400, because: 'an escaped slash does not separate segments' },
    { target: '/clients/a:b', status: 404, because: 'there is no client of this name' },
    { target: '/clients/:::name:::', status: 404, because: 'a client could have this name' },
    { target: '/clients/', status: 404, because: 'a path with a trailing slash is a different path' },
    { target: '/Clients', status: 404, because: 'paths are case-sensitive' },
    { target: '//clients', status: 404, because: 'duplicate slashes and dots are not normalized' },
    { target: '/clients#web', status: 404, because: 'a fragment is not removed from the path' },
    { target: 'http://anywhere/clients/web', status: 200, because: 'the absolute form of a target is accepted' },
    { target: `/clients/${'x'.repeat(255)}`, status: 404, because: 'the name has the maximum length' },
    { target: `/clients/${'x'.repeat(9000)}`, status: 413, because: 'the target exceeds the maximum length of a URL' },
  ])('a path returns $status because $because', async ({ target, status }) => {
    expect((await ask('GET', target)).status).toBe(status);
  });
});

test.each([
  ['GET', '/results'],
  ['GET', '/clients/nobody'],
  ['POST', '/clients'],
  ['GET', '/api/mon/v1/nothing'],
  ['GET', '/api/core/v2/namespaces'],
  ['GET', '/clients/%'],
  ['GET', '/api/core/v2/namespaces/%'],
  ['GET', '/api/v2/alerts/%'],
])('a JSON response has a content type without a charset: %s %s', async (method, target) => {
  expect((await ask(method, target, method === 'POST' ? { body: '{}' } : {})).headers['content-type']).toBe(
    'application/json',
  );
});

test('an Alertmanager path that cannot be decoded returns the error as a plain sentence', async () => {
  const { body } = await ask('GET', '/api/v2/alerts/%', {});
  expect(body).toBe('the path contains an invalid percent escape: write % as %25');
});

describe('the content type', () => {
  const body = JSON.stringify({ name: 'web', address: '10.0.0.1' });
  test.each(['application/json', 'application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data', ';;;', ''])(
    'a POST with the content type "%s" is accepted',
    async (type) => {
      const headers: Record<string, string> = type === '' ? {} : { 'Content-Type': type };
      expect((await ask('POST', '/clients', { headers, body })).status).toBe(201);
    },
  );

  test('a DELETE request with a content type and no body is accepted', async () => {
    const answer = await ask('DELETE', '/clients/nobody', { headers: { 'Content-Type': 'application/json' } });
    expect(answer.body).toEqual({ error: 'there is no client nobody', code: 'not_found' });
  });

  test('the body of a GET request is ignored, and the connection stays open', async () => {
    const get = requestBytes({ method: 'GET', target: '/health', body: '{"consumers": 99' });
    const answers = await exchange(backend.url, get + get, ['GET', 'GET']);
    expect(answers.map(({ status }) => status)).toEqual([204, 204]);
  });

  test('newlines after a request body are accepted', async () => {
    expect((await ask('POST', '/clients', { body: `${body}\n\n` })).status).toBe(201);
  });
});

describe('connections', () => {
  test('an HTTP connection stays open, and pipelined requests are served in order', async () => {
    const requests = ['/health', '/info', '/nope', '/clients/web', '/health'];
    const bytes = requests.map((target) => requestBytes({ method: 'GET', target })).join('');
    const answers = await exchange(
      backend.url,
      bytes,
      requests.map(() => 'GET'),
    );
    expect(answers.map(({ status }) => status)).toEqual([204, 200, 404, 200, 204]);
  });

  test('a request without a Host header is rejected in HTTP/1.1 and accepted in HTTP/1.0', async () => {
    const [answer] = await exchange(backend.url, 'GET /health HTTP/1.1\r\n\r\n', ['GET']);
    expect(answer).toMatchObject({ status: 400, body: { error: 'the Host header is missing' } });
    const [older] = await exchange(backend.url, 'GET /health HTTP/1.0\r\n\r\n', ['GET']);
    expect(older?.status).toBe(204);
  });

  test.each([
    { name: 'a text that is not an HTTP request', bytes: 'GARBAGE\r\n\r\n', status: 400 },
    {
      name: 'a length that is not a number',
      bytes: 'POST /results HTTP/1.1\r\nContent-Length: abc\r\n\r\n{}',
      status: 400,
    },
    { name: 'a header of 17 KiB', bytes: `GET / HTTP/1.1\r\nA: ${'x'.repeat(17 * 1024)}\r\n\r\n`, status: 431 },
  ])('$name is rejected with a plain text and closes the connection', async ({ bytes, status }) => {
    const [answer] = await exchange(backend.url, bytes, ['GET']);
    expect(answer).toMatchObject({ status, headers: { 'content-type': 'text/plain', connection: 'close' } });
    expect(answer?.text).not.toBe('');
  });
});

const originOf = async (method: string, target: string, url = backend.url): Promise<string | undefined> => {
  const { status, headers } = await send(url, { method, target, headers: { Origin: 'https://evil.example' } });
  expect(status).not.toBe(404);
  return headers['access-control-allow-origin'];
};

describe('requests from pages of other sites', () => {
  test.each(['/clients', '/events', '/settings', '/health', '/stashes', '/silenced'])(
    'pages of other sites may read %s, as in Sensu Core',
    async (target) => {
      expect([await originOf('GET', target), await originOf('OPTIONS', target)]).toEqual(['*', '*']);
    },
  );

  test.each([
    '/api/mon/v1/dump/Handler',
    '/api/mon/v1/overview',
    '/%61pi/mon/v1/overview',
    '/api/core/v2/namespaces/default/handlers',
    '/auth',
    '/version',
    '/metrics',
  ])('pages of other sites may not read %s', async (target) => {
    expect([await originOf('GET', target), await originOf('OPTIONS', target)]).toEqual([undefined, undefined]);
  });

  test('pages of other sites may not read the listener of the v2 API on any path', async () => {
    await using other = await startBackend({ settings: { 'v2-listener': { port: 0 } } });
    expect(await originOf('GET', '/health', other.v2Url)).toBeUndefined();
    expect(await originOf('OPTIONS', '/health', other.v2Url)).toBeUndefined();
  });

  test('pages of other sites may read everything if api.cors of the configuration allows them', async () => {
    const cors = { Origin: 'https://dash.example' };
    await using other = await startBackend({ settings: { api: { cors } } });
    expect(await originOf('GET', '/api/mon/v1/overview', other.url)).toBe(cors.Origin);
    expect(await originOf('OPTIONS', '/api/mon/v1/overview', other.url)).toBe(cors.Origin);
  });
});

describe('api.cors', () => {
  test('an object in api.cors replaces the default CORS headers', async () => {
    expect(await corsOf({ Origin: 'https://example.org', Anything: 'x' })).toEqual({
      'access-control-allow-origin': 'https://example.org',
      'access-control-allow-anything': 'x',
    });
  });

  test('false or an empty object in api.cors turns off the CORS headers', async () => {
    expect(await corsOf(false)).toEqual({});
    expect(await corsOf({})).toEqual({});
  });

  test('an invalid header name in api.cors stops the start', async () => {
    await expect(corsOf({ 'no header': 'x' })).rejects.toThrow('api.cors.no header is not a valid HTTP header');
  });
});

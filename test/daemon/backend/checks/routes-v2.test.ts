import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { administratorOf } from '../../../support/administrator.ts';
import { V2Peer } from '../../../support/v2-peer.ts';
import { send } from '../../../support/raw-http.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';
import { propertyRuns } from '../../../support/property-runs.ts';

let backend: RunningBackend;
let v2: V2Peer;

const CHECKS = '/namespaces/prod/checks';
const NOT_FOUND = { message: 'not found', code: 2 };

beforeAll(async () => {
  backend = await startBackend({
    batcher: { lingerMs: 0 },
    settings: {
      checks: {
        configured: { command: 'true', subscribers: ['all', 'client:web-1'], interval: 3600, handlers: ['mail'] },
      },
    },
  });
  v2 = new V2Peer(backend.url);
  for (const name of ['prod', 'pages']) await v2.post('/namespaces', { name });
});

afterAll(async () => backend[Symbol.asyncDispose]());

const disk = (name: string, attributes: object = {}): Record<string, unknown> => ({
  command: 'check-disk',
  subscriptions: ['linux'],
  interval: 60,
  metadata: { name, namespace: 'prod' },
  ...attributes,
});

/** The values that Sensu Go shows for attributes that a check does not set. */
const ZERO = {
  handlers: [],
  high_flap_threshold: 0,
  low_flap_threshold: 0,
  publish: false,
  runtime_assets: null,
  proxy_entity_name: '',
  check_hooks: null,
  stdin: false,
  subdue: null,
  ttl: 0,
  timeout: 0,
  round_robin: false,
  output_metric_format: '',
  output_metric_handlers: null,
  env_vars: null,
  secrets: null,
};

const shownCheck = (name: string, attributes: object = {}): Record<string, unknown> => ({
  ...ZERO,
  ...disk(name, attributes),
  metadata: { name, namespace: 'prod', created_by: 'local administrator' },
});

describe('check requests of sensuctl (clients 6)', () => {
  test('sensuctl can create, read, list, change, execute and delete a check', async () => {
    expect(await v2.post(CHECKS, disk('disk'))).toMatchObject({ status: 201, body: undefined });
    expect(await v2.get(`${CHECKS}/disk`)).toMatchObject({ status: 200, body: shownCheck('disk') });
    expect((await v2.get(CHECKS)).body).toEqual([shownCheck('disk')]);
    expect(await v2.put(`${CHECKS}/disk`, disk('disk', { interval: 30 }))).toMatchObject({
      status: 201,
      body: undefined,
    });
    expect((await v2.get(`${CHECKS}/disk`)).body).toEqual(shownCheck('disk', { interval: 30 }));
    const executed = await v2.post(`${CHECKS}/disk/execute`, { creator: 'admin', metadata: { name: 'disk' } });
    expect(executed).toMatchObject({ status: 202, body: { issued: expect.any(Number) } });
    expect(await v2.delete(`${CHECKS}/disk`)).toMatchObject({ status: 204, body: undefined });
    expect(await v2.get(`${CHECKS}/disk`)).toMatchObject({ status: 404, body: NOT_FOUND });
    expect(await v2.delete(`${CHECKS}/disk`)).toMatchObject({ status: 404, body: NOT_FOUND });
    expect(await v2.post(`${CHECKS}/disk/execute`, {})).toMatchObject({ status: 404, body: NOT_FOUND });
  });

  test('creating a second check of the same name is rejected', async () => {
    await v2.post(CHECKS, disk('twice'));
    expect(await v2.post(CHECKS, disk('twice'))).toMatchObject({
      status: 409,
      body: { message: 'resource already exists', code: 3 },
    });
    await v2.delete(`${CHECKS}/twice`);
  });

  test('a DELETE request with the content type of JSON and no body is accepted', async () => {
    await v2.post(CHECKS, disk('gone'));
    const answer = await send(backend.url, {
      method: 'DELETE',
      target: `/api/core/v2${CHECKS}/gone`,
      headers: { ...administratorOf(backend.url), 'Content-Type': 'application/json' },
    });
    expect(answer).toMatchObject({ status: 204, text: '' });
  });

  test('a path without a namespace uses the namespace in the body, or else the namespace default', async () => {
    expect(await v2.post('/checks', disk('somewhere'))).toMatchObject({ status: 201 });
    expect(await v2.post('/checks', { ...disk('nowhere'), metadata: { name: 'nowhere' } })).toMatchObject({
      status: 201,
    });
    expect((await v2.get(`${CHECKS}/somewhere`)).status).toBe(200);
    expect((await v2.delete('/namespaces/default/checks/nowhere')).status).toBe(204);
    await v2.delete(`${CHECKS}/somewhere`);
  });
});

describe('error responses as in Sensu Go', () => {
  test.each<[name: string, method: string, path: string, body: unknown, status: number, answer: unknown]>([
    [
      'another name than in the path',
      'PUT',
      `${CHECKS}/a`,
      disk('b'),
      400,
      { code: 1, message: expect.stringContaining('b') },
    ],
    [
      'another namespace than in the path',
      'PUT',
      '/namespaces/default/checks/a',
      disk('a'),
      400,
      { code: 1, message: 'the namespace in the body, prod, differs from the namespace in the path, default' },
    ],
    [
      'a name with a space',
      'POST',
      CHECKS,
      disk('a b'),
      400,
      { code: 1, message: expect.stringContaining('metadata.name') },
    ],
    ['no metadata', 'POST', CHECKS, { command: 'x' }, 400, { code: 1, message: expect.stringContaining('metadata') }],
    ['a body that is not an object', 'POST', CHECKS, [], 400, { code: 1, message: expect.any(String) }],
    ['a list of an unknown namespace', 'GET', '/namespaces/nope/checks', undefined, 200, []],
    // Sensu Go responds with 500 to this request, which is a defect of Sensu Go.
    [
      'an object for an unknown namespace',
      'PUT',
      '/namespaces/nope/checks/a',
      { ...disk('a'), metadata: { name: 'a', namespace: 'nope' } },
      404,
      { code: 2, message: 'the namespace nope does not exist' },
    ],
    ['a wrong method', 'PATCH', CHECKS, undefined, 405, undefined],
    ['an unknown path', 'GET', '/nothing', undefined, 404, NOT_FOUND],
    ['a limit that is not a number', 'GET', `${CHECKS}?limit=abc`, undefined, 200, []],
    ['an invalid escape', 'GET', `${CHECKS}/%zz`, undefined, 400, { code: 1, message: expect.stringContaining('%25') }],
    [
      'a body that is too long',
      'POST',
      CHECKS,
      disk('long', { command: 'x'.repeat(512_000) }),
      413,
      { code: 1, message: 'the body is larger than 512000 bytes: send less' },
    ],
  ])('the response to a request with %s equals that of Sensu Go', async (_name, method, path, body, status, answer) => {
    expect(await v2.send(method, path, body)).toMatchObject({ status, body: answer });
  });

  test('a request body that is not JSON returns 400', async () => {
    const answer = await send(backend.url, {
      method: 'POST',
      target: `/api/core/v2${CHECKS}`,
      headers: administratorOf(backend.url),
      body: '{"a":',
    });
    expect(answer).toMatchObject({ status: 400, body: { code: 1, message: expect.stringContaining('not JSON') } });
  });
});

describe('ETag', () => {
  test('the ETag of an object is the same in all responses and changes with the object', async () => {
    await v2.put(`${CHECKS}/tagged`, disk('tagged'));
    const first = (await v2.get(`${CHECKS}/tagged`)).headers.get('etag');
    expect(first).toMatch(/^"[\da-f]{16}"$/);
    expect((await v2.get(CHECKS)).headers.get('etag')).toBeNull();
    const put = await v2.put(`${CHECKS}/tagged`, disk('tagged', { interval: 10 }));
    expect(put.headers.get('etag')).toBe((await v2.get(`${CHECKS}/tagged`)).headers.get('etag'));
    expect(put.headers.get('etag')).not.toBe(first);
  });

  test.each<[header: string, value: (tag: string) => string, status: number]>([
    ['If-Match', (tag) => tag, 201],
    ['If-Match', (tag) => `"0000000000000000", ${tag}`, 201],
    ['If-Match', () => '*', 201],
    ['If-Match', () => '"0000000000000000"', 412],
    ['If-None-Match', () => '*', 412],
    ['If-None-Match', (tag) => tag, 412],
    ['If-None-Match', () => '"0000000000000000"', 201],
  ])('a PUT with the precondition %s: %s returns %s', async (header, value, status) => {
    const path = `${CHECKS}/guarded`;
    await v2.put(path, disk('guarded'));
    const tag = (await v2.get(path)).headers.get('etag') ?? '';
    const answer = await v2.send('PUT', path, disk('guarded', { interval: 10 }), { [header]: value(tag) });
    expect(answer).toMatchObject(status === 412 ? { status, body: { code: 7 } } : { status });
  });

  test('the preconditions If-Match and If-None-Match apply to deleting and creating an object', async () => {
    const path = `${CHECKS}/once`;
    const make = (): Promise<unknown> => v2.send('PUT', path, disk('once'), { 'If-None-Match': '*' });
    expect(await make()).toMatchObject({ status: 201 });
    expect(await make()).toMatchObject({ status: 412 });
    expect(await v2.send('DELETE', path, undefined, { 'If-Match': '"0"' })).toMatchObject({ status: 412 });
    expect(await v2.send('PUT', `${CHECKS}/never`, disk('never'), { 'If-Match': '*' })).toMatchObject({
      status: 412,
    });
  });

  test('a GET with the current ETag returns 304', async () => {
    await v2.put(`${CHECKS}/known`, disk('known'));
    const tag = (await v2.get(`${CHECKS}/known`)).headers.get('etag') ?? '';
    expect(await v2.send('GET', `${CHECKS}/known`, undefined, { 'If-None-Match': tag })).toMatchObject({
      status: 304,
    });
  });
});

describe('a patch of a check', () => {
  const path = `${CHECKS}/patched`;

  test('a patch changes the attributes that it names and removes the attributes that are null', async () => {
    await v2.put(path, disk('patched', { timeout: 5, handlers: [] }));
    const answer = await v2.patch(path, { timeout: null, interval: 5, metadata: { labels: { a: 'b' } } });
    const rest = shownCheck('patched', { timeout: 0, interval: 5 });
    const patched = { ...rest, metadata: { ...(rest['metadata'] as object), labels: { a: 'b' } } };
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body).toEqual(patched);
    expect((await v2.get(path)).body).toEqual(patched);
    expect(answer.headers.get('etag')).toBe((await v2.get(path)).headers.get('etag'));
  });

  test.each<[object, number]>([
    [{ interval: 'x' }, 400],
    [{ metadata: { name: 'other' } }, 400],
    [{ metadata: { namespace: 'default' } }, 400],
    [{ metadata: null }, 400],
  ])('the patch %j of a check is rejected', async (patch, status) => {
    await v2.put(path, disk('patched'));
    expect(await v2.patch(path, patch)).toMatchObject({ status, body: { code: 1 } });
    expect((await v2.get(path)).body).toEqual(shownCheck('patched'));
  });

  test('a patch must have the patch content type, a JSON object and a current ETag', async () => {
    await v2.put(path, disk('patched'));
    expect(await v2.send('PATCH', path, {}, { 'Content-Type': 'application/json' })).toMatchObject({ status: 400 });
    expect(await v2.patch(`${CHECKS}/nobody`, {})).toMatchObject({ status: 404 });
    const headers = { 'Content-Type': 'application/merge-patch+json; charset=utf-8', 'If-Match': '"0"' };
    expect(await v2.send('PATCH', path, {}, headers)).toMatchObject({ status: 412, body: { code: 7 } });
  });
});

test('a browser page may patch objects of its own host with a content type that HTML forms cannot send', async () => {
  await v2.put(`${CHECKS}/page`, disk('page'));
  const patch = (contentType: string, origin: string): Promise<{ readonly status: number }> =>
    send(backend.url, {
      method: 'PATCH',
      target: `/api/core/v2${CHECKS}/page`,
      headers: { ...administratorOf(backend.url), 'Content-Type': contentType, Origin: origin, Host: 'localhost' },
      body: '{"interval":5}',
    });
  expect(await patch('application/merge-patch+json', 'http://localhost')).toMatchObject({ status: 200 });
  expect(await patch('text/plain', 'http://localhost')).toMatchObject({ status: 403 });
  expect(await patch('application/merge-patch+json', 'http://elsewhere.example')).toMatchObject({ status: 403 });
});

function omitMatching(attributes: object, absent: unknown): object {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== absent));
}

describe('types of attributes that clients such as Ansible read back', () => {
  test('the v2 API returns an attribute with the type that was sent, even if it is empty', async () => {
    const text = fc.string({ minLength: 1, maxLength: 20 });
    const texts = fc.option(fc.array(text, { maxLength: 3 }));
    // A definition with these names is rejected (security S9).
    const key = text.filter((name) => !['__proto__', 'constructor', 'prototype'].includes(name));
    // Sensu Go omits empty maps.
    const pairs = fc.option(fc.dictionary(key, text, { minKeys: 1, maxKeys: 3, noNullPrototype: true }));
    const check = fc.record(
      {
        command: text,
        handlers: texts,
        runtime_assets: fc.constantFrom(null, [], ['sensu/check-disk:1.0']),
        output_metric_handlers: texts,
        interval: fc.integer({ min: 1, max: 1000 }),
        timeout: fc.option(fc.nat(100)),
        publish: fc.option(fc.boolean()),
        round_robin: fc.boolean(),
        stdin: fc.boolean(),
        proxy_entity_name: fc.constantFrom('', 'switch-1'),
        low_flap_threshold: fc.constantFrom(0, 20),
        high_flap_threshold: fc.constantFrom(0, 60),
        env_vars: fc.option(
          fc.array(
            text.map((value) => `NAME=${value.replaceAll('\0', '')}`),
            { maxLength: 2 },
          ),
        ),
        check_hooks: fc.option(
          fc.array(fc.dictionary(key, fc.array(text), { maxKeys: 2, noNullPrototype: true }), { maxLength: 2 }),
        ),
        subdue: fc.constantFrom(
          null,
          { days: {} },
          { days: { all: [{ begin: '5:00PM', end: '6:00PM' }], friday: null } },
        ),
        proxy_requests: fc.constantFrom(null, {
          entity_attributes: ["entity.entity_class == 'proxy'"],
          splay: true,
          splay_coverage: 90,
        }),
        secrets: fc.option(fc.array(fc.record({ name: text, secret: text }), { maxLength: 1 })),
        pipelines: fc.constantFrom(null, [], [{ type: 'Pipeline', api_version: 'core/v2', name: 'x' }]),
        unknown: fc
          .jsonValue({ maxDepth: 2 })
          .filter((value) => !/"(?:__proto__|constructor|prototype)"/.test(JSON.stringify(value)))
          // Whole numbers beyond 2^53 are rejected (security S8).
          .filter((value) => !/\d{16}|e\+/.test(JSON.stringify(value))),
      },
      { requiredKeys: ['command', 'interval'] },
    );
    await fc.assert(
      fc.asyncProperty(check, pairs, pairs, async (attributes, labels, annotations) => {
        const sent = { ...attributes, metadata: { name: 'any', namespace: 'prod', labels, annotations } };
        // JSON has no negative zero, so the expected object passes through JSON.
        const expected = JSON.parse(JSON.stringify(sent)) as typeof sent;
        expect(await v2.put(`${CHECKS}/any`, sent)).toMatchObject({ status: 201 });
        const { body } = await v2.get(`${CHECKS}/any`);
        const { metadata, ...rest } = expected;
        expect(body).toMatchObject(omitMatching(rest, null));
        expect(body).toMatchObject({
          metadata: { ...omitMatching(metadata, null), created_by: 'local administrator' },
        });
      }),
      { numRuns: propertyRuns(60) },
    );
    await v2.delete(`${CHECKS}/any`);
  });
});

test('a check of the configuration is listed in default as configured and cannot be changed over the API', async () => {
  const path = '/namespaces/default/checks/configured';
  const { body } = await v2.get(path);
  expect(body).toMatchObject({
    metadata: { name: 'configured', namespace: 'default', annotations: { 'mon/source': 'configuration' } },
    subscriptions: ['all', 'entity:web-1'],
    publish: true,
    handlers: ['mail'],
  });
  expect((await v2.get('/checks')).body).toContainEqual(body);
  const refused = {
    status: 409,
    body: { message: 'configured is defined in the configuration file; change it there', code: 3 },
  };
  const own = { ...disk('configured'), metadata: { name: 'configured', namespace: 'default' } };
  expect(await v2.put(path, own)).toMatchObject(refused);
  expect(await v2.patch(path, { interval: 1 })).toMatchObject(refused);
  expect(await v2.delete(path)).toMatchObject(refused);
});

test('a check stored in the namespace default is listed by the v1 API, but not in its settings', async () => {
  await v2.put('/namespaces/default/checks/both', { ...disk('both', { publish: true }), metadata: { name: 'both' } });
  const v1 = await fetch(`${backend.url}/checks/both`);
  expect(await v1.json()).toMatchObject({
    name: 'both',
    command: 'check-disk',
    subscribers: ['linux'],
    interval: 60,
  });
  expect(await (await fetch(`${backend.url}/settings`)).json()).not.toHaveProperty('checks.both');
  await v2.delete('/namespaces/default/checks/both');
  expect((await fetch(`${backend.url}/checks/both`)).status).toBe(404);
});

describe('lists of the v2 API', () => {
  const names = ['c-1', 'c-2', 'c-3', 'c-4', 'c-5'];
  const list = '/namespaces/pages/checks';

  beforeAll(async () => {
    for (const [at, name] of names.entries()) {
      const labels = { even: String(at % 2 === 1) };
      await v2.put(`${list}/${name}`, disk(name, { interval: at + 1, metadata: { name, namespace: 'pages', labels } }));
    }
  });

  async function page(query: string): Promise<{ names: string[]; next: string | null }> {
    const { body, headers } = await v2.get(`${list}?${query}`);
    const checks = body as { metadata: { name: string } }[];
    return { names: checks.map(({ metadata }) => metadata.name), next: headers.get('sensu-continue') };
  }

  test('a list is paginated until its last page, which has no continue token', async () => {
    const first = await page('limit=2');
    expect(first).toMatchObject({ names: ['c-1', 'c-2'], next: expect.stringMatching(/^[\w-]+$/) });
    const second = await page(`limit=2&continue=${String(first.next)}`);
    expect(second.names).toEqual(['c-3', 'c-4']);
    expect(await page(`limit=2&continue=${String(second.next)}`)).toEqual({ names: ['c-5'], next: null });
    expect(await page('types=check&limit=5')).toEqual({ names, next: null });
    expect(await page('limit=0')).toEqual({ names, next: null });
  });

  test('a paginated list continues although objects are deleted between two pages', async () => {
    const { next } = await page('limit=2');
    await v2.delete(`${list}/c-2`);
    expect(await page(`limit=2&continue=${String(next)}`)).toMatchObject({ names: ['c-3', 'c-4'] });
    await v2.put(
      `${list}/c-2`,
      disk('c-2', { metadata: { name: 'c-2', namespace: 'pages', labels: { even: 'true' } } }),
    );
  });

  test.each(['x', 'W10', 'WyJhIl0', '"'])(
    'a list request with an invalid continue token is rejected: %s',
    async (token) => {
      expect(await v2.get(`${list}?limit=1&continue=${encodeURIComponent(token)}`)).toMatchObject({
        status: 400,
        body: { code: 1 },
      });
    },
  );

  test('a list of the v2 API is filtered before it is paginated', async () => {
    const selector = `labelSelector=${encodeURIComponent('even == "true"')}`;
    const first = await page(`limit=1&${selector}`);
    expect(first.names).toEqual(['c-2']);
    expect(await page(`limit=1&${selector}&continue=${String(first.next)}`)).toEqual({ names: ['c-4'], next: null });
    expect(
      await page(`fieldSelector=${encodeURIComponent('check.name in [c-1, c-5] && check.interval == 5')}`),
    ).toEqual({
      names: ['c-5'],
      next: null,
    });
  });

  test.each(['check.name', 'entity.name == x', 'check.name = x'])(
    'a list request with an invalid selector is rejected with a reason: %s',
    async (text) => {
      expect(await v2.get(`${list}?fieldSelector=${encodeURIComponent(text)}`)).toMatchObject({
        status: 400,
        body: { code: 1 },
      });
    },
  );

  test('a list over all namespaces is ordered by namespace, even across pages', async () => {
    const { body, headers } = await v2.get('/checks?limit=1');
    expect(body).toMatchObject([{ metadata: { namespace: 'default' } }]);
    const { body: rest } = await v2.get(`/checks?limit=100&continue=${String(headers.get('sensu-continue'))}`);
    const namespaces = (rest as { metadata: { namespace: string } }[]).map(({ metadata }) => metadata.namespace);
    expect(namespaces).toEqual(namespaces.toSorted());
    expect(namespaces).toContain('pages');
  });
});

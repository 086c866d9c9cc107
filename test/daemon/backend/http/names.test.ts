import { beforeAll, afterAll, expect, test } from 'vitest';
import { asking, type Ask } from '../../../support/asking.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';

let backend: RunningBackend;
let ask: Ask;
beforeAll(async () => {
  backend = await startBackend();
  ask = asking(backend.url);
});
afterAll(() => backend[Symbol.asyncDispose]());

const CORE = '/api/core/v2/namespaces/default';
const core = (name: string, rest: object): object => ({ metadata: { name, namespace: 'default' }, ...rest });

/** All requests that create something with a name, and a function that returns their body for a name. */
const MAKING: readonly (readonly [title: string, target: string, body: (name: string) => unknown])[] = [
  ['a result', '/results', (name) => ({ name, output: '', source: 'web' })],
  ['the source of a result', '/results', (name) => ({ name: 'disk', output: '', source: name })],
  ['a client', '/clients', (name) => ({ name, address: 'a', subscriptions: [] })],
  ['a subscription', '/clients', (name) => ({ name: 'web', address: 'a', subscriptions: [name] })],
  ['an aggregate', '/results', (name) => ({ name: 'disk', output: '', aggregate: name })],
  ['one of several aggregates', '/results', (name) => ({ name: 'disk', output: '', aggregates: ['a', name] })],
  ['the check of a silence', '/silenced', (check) => ({ check })],
  ['the subscription of a silence', '/silenced', (subscription) => ({ subscription })],
  ['a stash', '/stashes', (path) => ({ path, content: {} })],
  ['a namespace', '/api/core/v2/namespaces', (name) => ({ name })],
  ['a user', '/api/core/v2/users', (username) => ({ username, password: 'long enough' })],
  ['a group', '/api/core/v2/users', (group) => ({ username: 'eve', password: 'long enough', groups: [group] })],
  ['an entity', `${CORE}/entities`, (name) => core(name, { entity_class: 'proxy' })],
  ['a handler', `${CORE}/handlers`, (name) => core(name, { type: 'tcp', socket: { host: 'a.example', port: 1 } })],
  ['a filter', `${CORE}/filters`, (name) => core(name, { action: 'allow', expressions: ['true'] })],
  ['a check', `${CORE}/checks`, (name) => core(name, { command: 'true', interval: 60, subscriptions: ['web'] })],
];

test.each(MAKING)('the API rejects the names "." and ".." for %s', async (_title, target, body) => {
  for (const name of ['.', '..']) {
    const { status, body: answer } = await ask('POST', target, body(name));
    expect([status, JSON.stringify(answer)]).toEqual([400, expect.stringContaining('. or ..')]);
  }
  for (const name of ['...', '.a', 'a..b']) {
    const { status, text } = await ask('POST', target, body(name));
    expect({ status, text }).not.toMatchObject({ status: 400 });
  }
});

test('a result with an integer beyond 2^53 is rejected, and other results of the same request are accepted', async () => {
  const text = '{"name":"disk","output":"o","source":"web-9","bytes":9007199254740993}';
  const inexact: unknown = JSON.parse(text);
  expect(await ask('POST', '/results', inexact)).toMatchObject({
    status: 400,
    body: { error: 'the body contains a whole number beyond 2^53: put it in double quotes' },
  });
  const { body } = await ask('POST', '/api/mon/v1/results', [inexact, { name: 'load', output: '', source: 'web-9' }]);
  expect(body).toMatchObject({ accepted: 1, rejected: [{ index: 0 }] });
});

test('an API key of one namespace sees no names of other namespaces in the overview and the metrics', async () => {
  await ask('POST', '/api/core/v2/namespaces', { name: 'shop' });
  const handler = { type: 'pipe', command: 'false' };
  const shop = '/api/core/v2/namespaces/shop';
  await ask('POST', `${shop}/handlers`, { metadata: { name: 'secret-pager', namespace: 'shop' }, ...handler });
  await ask('POST', `${shop}/events`, {
    entity: { metadata: { name: 'till', namespace: 'shop' }, entity_class: 'proxy' },
    check: { metadata: { name: 'secret-check', namespace: 'shop' }, status: 2, handlers: ['secret-pager'] },
  });
  await ask('POST', '/api/core/v2/users', { username: 'reader', password: 'long enough', groups: ['viewers'] });
  const { body } = await ask('POST', '/api/core/v2/apikeys', { username: 'reader', namespace: 'default' });
  const kept = asking(backend.url, `Key ${(body as { readonly key: string }).key}`);
  expect((await ask('GET', '/metrics')).text).toContain('handler="shop/secret-pager"');
  for (const target of ['/api/mon/v1/overview', '/metrics']) {
    const { status, text } = await kept('GET', target);
    expect([status, text.includes('secret')]).toEqual([200, false]);
  }
});

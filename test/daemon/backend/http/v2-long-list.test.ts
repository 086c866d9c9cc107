import { afterAll, beforeAll, expect, test } from 'vitest';
import { V2Peer } from '../../../support/v2-peer.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';

const NAMES = Array.from({ length: 250 }, (_, at) => `proxy-${String(at).padStart(3, '0')}`);

/** Returns an entity so large that even one page of entities is sent in chunks. */
const entity = (name: string): object => ({
  entity_class: 'proxy',
  metadata: { name, annotations: { notes: 'x'.repeat(2000) } },
});

let backend: RunningBackend;
let core: V2Peer;

beforeAll(async () => {
  backend = await startBackend({ batcher: { lingerMs: 0 }, settings: { 'entity-limit': 'unlimited' } });
  core = new V2Peer(backend.url);
  await Promise.all(NAMES.map((name) => core.put(`/namespaces/default/entities/${name}`, entity(name))));
});

afterAll(async () => backend[Symbol.asyncDispose]());

const namesOf = (body: unknown): string[] =>
  (body as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);

test.each([
  { query: '', count: 250 },
  { query: `?fieldSelector=${encodeURIComponent('entity.name matches proxy-0')}`, count: 100 },
  { query: `?fieldSelector=${encodeURIComponent('entity.name matches "-01"')}`, count: 10 },
  { query: '?limit=250', count: 250 },
])('a v2 list that is sent in chunks is one JSON array: $count of "$query"', async ({ query, count }) => {
  const { status, body, headers } = await core.get(`/entities${query}`);
  expect(status).toBe(200);
  expect(headers.get('content-type')).toMatch('application/json');
  expect(namesOf(body)).toEqual(
    NAMES.filter((name) => (query.includes('-01') ? name.includes('-01') : true)).slice(0, count),
  );
});

test('a long page of a v2 list contains the continue token of the next page', async () => {
  const first = await core.get('/entities?limit=200');
  expect(namesOf(first.body)).toEqual(NAMES.slice(0, 200));
  const rest = await core.get(`/entities?limit=200&continue=${first.headers.get('sensu-continue') ?? ''}`);
  expect(namesOf(rest.body)).toEqual(NAMES.slice(200));
  expect(rest.headers.get('sensu-continue')).toBeNull();
});

test('a client that disconnects in the middle of a long v2 list does not affect other requests', async () => {
  const controller = new AbortController();
  const answer = await fetch(`${backend.url}/api/core/v2/entities`, { signal: controller.signal });
  controller.abort();
  await expect(answer.text()).rejects.toThrow('abort');
  expect(namesOf((await core.get('/entities')).body)).toEqual(NAMES);
});

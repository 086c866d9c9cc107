import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../../../daemon/backend/config/load-config.ts';
import type { StoreOp } from '../../../../daemon/backend/ports.ts';
import { encodeClient } from '../../../../daemon/backend/model/clients/client-record.ts';
import { Registry } from '../../../../daemon/backend/model/registry/registry.ts';
import { clientKey } from '../../../../daemon/backend/model/clients/storage.ts';
import { openLevelStore } from '../../../../daemon/backend/store/level-store.ts';
import { MonError } from '../../../../shared/errors.ts';
import { openApiClient } from '../../../../shared/client/api-client.ts';
import { AgentPeer } from '../../../support/agent-peer.ts';
import { openBackend } from '../../../support/open-backend.ts';
import { send, type Answer } from '../../../support/raw-http.ts';
import { startBackend } from '../../../support/running-backend.ts';
import { tempDir } from '../../../support/temp-dir.ts';
import { TABLES } from '../../../../daemon/backend/model/tables/tables.ts';

const settings = { 'memory-limit': 1, 'entity-limit': 'unlimited', 'proxy-client-quota': 1_000_000 };

const sources = (prefix: string, count: number): object[] =>
  Array.from({ length: count }, (_, at) => ({
    source: `${prefix}-${String(at)}`,
    name: 'ping',
    output: 'pong',
    status: 0,
  }));

/** Returns a backend whose memory is full of clients, and the response to the results that filled it. */
async function fullBackend() {
  const backend = await startBackend({ settings });
  onTestFinished(() => backend[Symbol.asyncDispose]());
  const post = (target: string, body: unknown): Promise<Answer> =>
    send(backend.url, { method: 'POST', target, body: JSON.stringify(body) });
  const { body } = await post('/api/mon/v1/results', sources('flood', 5000));
  return { backend, post, flood: body as { accepted: number; rejected: { error: string }[] } };
}

test('new clients beyond memory-limit are rejected with the name of the setting, and known clients continue', async () => {
  const { backend, post, flood } = await fullBackend();
  expect(flood.accepted).toBeGreaterThan(500);
  expect(flood.accepted).toBeLessThan(2000);
  expect(flood.rejected[0]?.error).toMatch(/and the limit is 1 MiB \(memory-limit\): new objects are rejected/);

  expect((await post('/results', { source: 'flood-0', name: 'ping', output: 'again', status: 2 })).status).toBe(202);
  expect((await post('/resolve', { client: 'flood-0', check: 'ping' })).status).toBe(202);
  const api = openApiClient({ backend: backend.url });
  expect((await api.clients()).length).toBe(flood.accepted);
  expect((await api.result('flood-0', 'ping'))?.check.output).toBe('Resolving on request of the API');
});

test.each<{ title: string; target: string; body: object }>([
  { title: 'a result of an unknown client', target: '/results', body: { source: 'new', name: 'ping', output: '' } },
  { title: 'a new check', target: '/results', body: { source: 'flood-0', name: 'new', output: '' } },
  { title: 'a client', target: '/clients', body: { name: 'new', address: '10.0.0.1' } },
  {
    title: 'a client that becomes large',
    target: '/clients',
    body: {
      name: 'flood-0',
      address: 'a',
      subscriptions: Array.from({ length: 1000 }, (_, at) => `web-${String(at)}`),
    },
  },
  { title: 'a silence', target: '/silenced', body: { check: 'ping' } },
  { title: 'a stash', target: '/stashes', body: { path: 'a', content: {} } },
  {
    title: 'an entity',
    target: '/api/core/v2/namespaces/default/entities',
    body: { metadata: { name: 'new', namespace: 'default' }, entity_class: 'proxy' },
  },
  {
    title: 'an event',
    target: '/api/core/v2/namespaces/default/events',
    body: { entity: { metadata: { name: 'new' } }, check: { metadata: { name: 'ping' }, status: 0, output: '' } },
  },
])('a backend whose memory limit is reached rejects new objects with 507: $title', async ({ target, body }) => {
  const { post } = await fullBackend();
  const answer = await post(target, body);
  expect(answer.status).toBe(507);
  expect(answer.text).toContain('memory-limit');
});

test('deleting objects frees memory and is always possible', async () => {
  const { backend, post, flood } = await fullBackend();
  const api = openApiClient({ backend: backend.url });
  const names = (await api.clients()).slice(0, 20).map(({ name }) => name);
  expect((await post('/silenced', { check: 'ping' })).status).toBe(507);
  for (const name of names) await api.deleteClient(name);
  expect((await post('/silenced', { check: 'ping' })).status).toBe(201);
  expect((await api.clients()).length).toBe(flood.accepted - names.length);
});

test('an agent whose new check exceeds the memory limit is informed once and does not send the result again', async () => {
  const { backend } = await fullBackend();
  const known = await AgentPeer.connect(backend.url, 'flood-1');
  await known.join();
  known.say({
    type: 'results',
    results: [
      { id: 1, check: { name: 'new', output: '', status: 0 } },
      { id: 2, check: { name: 'ping', output: 'of its agent', status: 0 } },
    ],
  });
  await known.waitForAck(2);
  expect((await known.hears('rejected')).error).toMatch(/^flood-1\/new is new: .*memory-limit/);
  expect((await openApiClient({ backend: backend.url }).result('flood-1', 'ping'))?.check.output).toBe('of its agent');

  const stranger = await AgentPeer.connect(backend.url, 'stranger');
  stranger.say({ type: 'hello', client: { name: 'stranger', address: '10.0.0.1' }, spool: 's' });
  expect(await stranger.hears('error')).toMatchObject({
    code: 'no_memory',
    message: expect.stringContaining('memory-limit'),
  });
});

test('clients are accepted up to the memory limit, and the backend can start with them', async () => {
  const dir = await tempDir();
  const { program } = await loadConfig({ directories: [], env: {} });
  const open = () => openBackend({ dir, definitions: { program: { ...program, 'memory-limit': 1 } } });
  const text = 'x'.repeat(16 * 1024);
  const first = await open();
  const post = async (target: string, body: unknown): Promise<number> =>
    (await send(first.url, { method: 'POST', target, body: JSON.stringify(body) })).status;
  await post('/api/mon/v1/results', sources('flood', 1500));
  const statuses = await Promise.all(
    Array.from({ length: 600 }, (_, at) => post('/clients', { name: `fat-${String(at)}`, address: '10.0.0.1', text })),
  );
  await first.stop();
  const taken = statuses.filter((status) => status === 201).length;
  expect(taken).toBeLessThan(600);
  expect(statuses.filter((status) => status === 507)).toHaveLength(600 - taken);
  // The accepted texts exceed the memory limit of 1 MiB by far, so memory does not hold them.
  expect(taken * text.length).toBeGreaterThan(4 * 1024 * 1024);

  const second = await open();
  onTestFinished(() => second.stop());
  const api = openApiClient({ backend: second.url });
  expect((await api.clients()).filter(({ name }) => name.startsWith('fat-'))).toHaveLength(taken);
  expect(await api.client('fat-0')).toMatchObject({ text });
});

test('the metrics contain the used memory and the memory limit', async () => {
  const { backend } = await fullBackend();
  const metrics = (await send(backend.url, { method: 'GET', target: '/metrics' })).text;
  expect(metrics).toMatch(/^mon_memory_limit_bytes 1048576$/m);
  expect(Number(/^mon_memory_used_bytes (\d+)$/m.exec(metrics)?.[1])).toBeGreaterThanOrEqual(1048576);
  expect(Number(/^mon_memory_rejected_objects_total (\d+)$/m.exec(metrics)?.[1])).toBeGreaterThan(3000);
  const health = await send(backend.url, { method: 'GET', target: '/health?deep=1' });
  expect(health.status).toBe(412);
  expect(health.text).toContain('memory-limit');
  expect(backend.log.records.filter(({ message }) => message.includes('memory-limit'))).toHaveLength(1);
});

test('a store that exceeds the memory limit is not loaded, and the previous state stays', async () => {
  const store = await openLevelStore(await tempDir());
  onTestFinished(() => store.close());
  const lease = await store.acquire('main', 30_000);
  const ops = Array.from({ length: 1000 }, (_, at): StoreOp => {
    const name = `web-${String(at)}`;
    const client = { name, address: 'a', subscriptions: [`client:${name}`], timestamp: 1, version: '1.9.0' };
    return { type: 'put', key: clientKey('default', name), value: encodeClient({ client, signature: '' }) };
  });
  await store.write(lease, ops, []);
  let largest = 0;
  const refuseBeyond = (bytes: number): void => {
    largest = Math.max(largest, bytes);
    if (bytes > 50_000) throw new MonError('invalid', 'too much');
  };
  await expect(new Registry(TABLES, { refuseBeyond }).load(store)).rejects.toThrow('too much');
  expect(largest).toBeLessThan(51_000);
});

import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { administratorOf } from '../../../support/administrator.ts';
import { openApiClient, type ApiClient } from '../../../../shared/client/api-client.ts';
import { AgentPeer } from '../../../support/agent-peer.ts';
import { GoAgent } from '../../../support/go-agent.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';

const INTERVAL_S = 10;

const clock = new ManualClock(Date.now());
let backend: RunningBackend;
let api: ApiClient;

beforeAll(async () => {
  backend = await startBackend({
    clock,
    batcher: { batchLimit: 1 },
    fixedLimits: { quarantineSeconds: 0 },
    settings: {
      'agent-listener': { port: 0 },
      checks: { disk: { command: 'configured', subscribers: ['web'], interval: INTERVAL_S } },
    },
  });
  api = openApiClient({ backend: backend.url });
  await core('POST', 'namespaces', { name: 'shop' });
  await core('POST', 'namespaces/shop/checks', {
    metadata: { name: 'disk', namespace: 'shop' },
    command: 'stored',
    subscriptions: ['web'],
    interval: INTERVAL_S,
    publish: true,
    handlers: [],
    env_vars: ['A=1'],
    runtime_assets: ['tool'],
  });
});

afterAll(() => backend[Symbol.asyncDispose]());

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

async function core(method: string, path: string, body?: object): Promise<Answer> {
  const answer = await fetch(`${backend.url}/api/core/v2/${path}`, {
    method,
    headers: { ...administratorOf(backend.url), 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
}

const inShop = async (path: string): Promise<unknown> => (await core('GET', `namespaces/shop/${path}`)).body;

async function peer(namespace: string, name = 'web-1'): Promise<AgentPeer> {
  const agent = await AgentPeer.connect(backend.url, name, namespace);
  await agent.join(`spool-${namespace}`);
  return agent;
}

const commands = (agent: AgentPeer): unknown[] =>
  agent.heard.flatMap((message) => (message.type === 'check_request' ? [message.check.command] : []));

test('agents of the same name in two namespaces have separate events and the checks of their own namespace', async () => {
  const [here, there] = [await peer('default'), await peer('shop')];
  clock.advance(INTERVAL_S * 1000);
  await vi.waitFor(() => expect(commands(here)).toEqual(['configured']));
  await vi.waitFor(() => expect(commands(there)).toEqual(['stored']));

  here.say({ type: 'results', results: [{ id: 1, check: { name: 'disk', output: 'here', status: 1 } }] });
  there.say({ type: 'results', results: [{ id: 1, check: { name: 'disk', output: 'there', status: 2 } }] });
  await Promise.all([here.waitForAck(1), there.waitForAck(1)]);
  expect((await api.event('web-1', 'disk'))?.check).toMatchObject({ output: 'here', status: 1 });
  expect(await inShop('events/web-1/disk')).toMatchObject({ check: { output: 'there', status: 2 } });

  // The progress of a spool is stored in the namespace of its agent.
  there.cut();
  const again = await AgentPeer.connect(backend.url, 'web-1', 'shop');
  expect(await again.join('spool-shop')).toMatchObject({ acked: 1 });
  const elsewhere = await AgentPeer.connect(backend.url, 'web-1', 'default');
  expect(await elsewhere.join('spool-shop')).toMatchObject({ acked: 0 });
  for (const agent of [here, again, elsewhere]) agent.cut();
});

test('an agent may name its namespace only in the hello, and the hello is rejected if the namespace is unknown', async () => {
  const old = await AgentPeer.connect(backend.url, 'till');
  old.say({ type: 'hello', spool: 's', namespace: 'shop', client: { name: 'till', address: 'a', subscriptions: [] } });
  await old.hears('welcome');
  expect(await inShop('entities/till')).toMatchObject({ metadata: { name: 'till', namespace: 'shop' } });
  old.cut();
  const lost = await AgentPeer.connect(backend.url, 'till');
  lost.say({ type: 'hello', spool: 's', namespace: 'zz', client: { name: 'till', address: 'a', subscriptions: [] } });
  expect(await lost.hears('error')).toMatchObject({ code: 'not_found', message: 'namespace "zz" not found' });
});

test('a v2 agent in a namespace can register, get check requests, be silenced, reconfigured and deleted', async () => {
  const agent = await GoAgent.joined(backend.agentUrl, { name: 'shop-1', namespace: 'shop' });
  await agent.register();
  clock.advance(INTERVAL_S * 1000);
  const request = await agent.hears('check_request');
  expect(request['config']).toMatchObject({
    metadata: { name: 'disk', namespace: 'shop' },
    command: 'stored',
    env_vars: ['A=1'],
    runtime_assets: ['tool'],
  });
  agent.answerRequest(request, { status: 2, output: 'full' });
  await vi.waitFor(async () =>
    expect(await inShop('events/shop-1/disk')).toMatchObject({ check: { status: 2, state: 'failing' } }),
  );
  expect(await api.event('shop-1', 'disk')).toBeUndefined();

  await core('POST', 'namespaces/shop/silenced', {
    metadata: { namespace: 'shop' },
    subscription: 'entity:shop-1',
    reason: 'work',
  });
  expect(await inShop('events/shop-1/disk')).toMatchObject({
    check: { is_silenced: true, silenced: ['entity:shop-1:*'] },
  });

  const entity = (await inShop('entities/shop-1')) as object;
  expect((await core('PUT', 'namespaces/shop/entities/shop-1', { ...entity, subscriptions: ['db'] })).status).toBe(200);
  await agent.hears('entity_config', ({ subscriptions }) => String(subscriptions) === 'db,entity:shop-1');
  const asked = agent.payloads('check_request').length;
  clock.advance(INTERVAL_S * 1000);
  expect((await core('DELETE', 'namespaces/shop/entities/shop-1')).status).toBe(204);
  expect(await agent.ends()).toEqual({ code: 1000, reason: '' });
  expect(agent.payloads('check_request')).toHaveLength(asked);
});

test('results for a deleted namespace stay with the agent and do not appear in a new namespace of that name', async () => {
  await core('POST', 'namespaces', { name: 'fair' });
  const agent = await peer('fair');
  expect((await core('DELETE', 'namespaces/fair/entities/web-1')).status).toBe(204);
  expect((await core('DELETE', 'namespaces/fair')).status).toBe(204);
  agent.say({ type: 'results', results: [{ id: 1, check: { name: 'disk', output: 'late', status: 1 } }] });
  expect(await agent.ends()).toMatchObject({ code: 1013 });
  expect(agent.acked).toBe(0);
  await core('POST', 'namespaces', { name: 'fair' });
  expect((await core('GET', 'namespaces/fair/entities')).body).toEqual([]);
});

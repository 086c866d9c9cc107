import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { AgentPeer } from '../../../support/agent-peer.ts';
import { send, type Answer } from '../../../support/raw-http.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';

const proxy = (command: string, attributes: object): object => ({
  command,
  publish: false,
  subscribers: ['base'],
  proxy_requests: { client_attributes: attributes },
});

const CHECKS = {
  disk: { command: 'df :::mount|/:::', interval: 60, publish: false, subscribers: ['base', 'db'], team: 'ops' },
  own: { command: 'true', interval: 60, standalone: true },
  turns: { command: 'true', publish: false, subscribers: ['roundrobin:workers'] },
  ping: proxy('ping -c :::net.count|3::: :::address:::', { kind: 'switch' }),
  nested: proxy('true', { net: { vlan: '7' } }),
  rack: proxy('snmp :::rack:::', { kind: 'switch' }),
  computed: proxy('true', { kind: 'switch', net: { vlan: 'eval: value > 7' } }),
};

let backend: RunningBackend;
beforeEach(async () => {
  backend = await startBackend({ settings: { checks: CHECKS } });
  onTestFinished(() => backend[Symbol.asyncDispose]());
});

const ask = (target: string, body: unknown): Promise<Answer> =>
  send(backend.url, { method: 'POST', target, body: JSON.stringify(body) });
const request = (body: unknown): Promise<Answer> => ask('/request', body);

async function agent(name: string, ...subscriptions: readonly string[]): Promise<AgentPeer> {
  const peer = await AgentPeer.connect(backend.url, name);
  await peer.join(`spool-${name}`, { subscriptions });
  return peer;
}

/** Returns the check requests that an agent has received so far. */
async function receivedRequests(peer: AgentPeer): Promise<readonly Readonly<Record<string, unknown>>[]> {
  // Messages arrive in order: once this result is acknowledged, all earlier check requests have arrived.
  const id = peer.acked + 1;
  peer.say({ type: 'results', results: [{ id, check: { name: 'heard', output: '', status: 0 } }] });
  await peer.waitForAck(id);
  return peer.heard.flatMap((message) => (message.type === 'check_request' ? [message.check] : []));
}

describe('a check request', () => {
  test('a check request goes to every subscription of the check, with its definition but without the schedule', async () => {
    const [base, both, none] = [await agent('a', 'base'), await agent('b', 'base', 'db'), await agent('c', 'web')];
    const answer = await request({ check: 'disk', reason: 'looks odd', creator: 'ops' });
    expect(answer).toMatchObject({ status: 202, body: { issued: expect.any(Number) as number } });
    const { issued } = answer.body as { readonly issued: number };
    const asked = {
      // The tokens of the command stay in the request, because the agents substitute them.
      command: 'df :::mount|/:::',
      publish: false,
      team: 'ops',
      name: 'disk',
      api_requested: { reason: 'looks odd', creator: 'ops' },
      issued,
    };
    expect(await receivedRequests(base)).toEqual([asked]);
    expect(await receivedRequests(both)).toEqual([asked, asked]);
    expect(await receivedRequests(none)).toEqual([]);
  });

  test('a check request with subscribers is sent to these subscribers instead of the subscriptions', async () => {
    const [base, other] = [await agent('a', 'base'), await agent('b', 'web')];
    await request({ check: 'disk', subscribers: ['web', 'client:b', 5, null] });
    expect(await receivedRequests(base)).toEqual([]);
    expect(await receivedRequests(other)).toHaveLength(2);
  });

  test.each<{ name: string; body: object; requestCount: number }>([
    { name: 'null counts as absent (clients 1.14)', body: { check: 'disk', subscribers: null }, requestCount: 1 },
    { name: 'an empty list sends no request', body: { check: 'disk', subscribers: [] }, requestCount: 0 },
    { name: 'a standalone check has none by default', body: { check: 'own' }, requestCount: 0 },
    {
      name: 'a standalone check may be requested with some',
      body: { check: 'own', subscribers: ['base'] },
      requestCount: 1,
    },
    {
      name: 'attributes that dashboards add are ignored',
      body: { check: 'disk', dc: 'north', _id: 'x' },
      requestCount: 1,
    },
  ])('a check request is sent to the right subscribers: $name', async ({ body, requestCount }) => {
    const peer = await agent('a', 'base');
    expect((await request(body)).status).toBe(202);
    expect(await receivedRequests(peer)).toHaveLength(requestCount);
  });

  test('the result of a requested check run is marked as requested', async () => {
    const peer = await agent('a', 'base');
    await request({ check: 'disk', creator: 'ops' });
    const [check] = await receivedRequests(peer);
    const id = peer.acked + 1;
    peer.say({ type: 'results', results: [{ id, check: { ...check, name: 'disk', output: 'o', status: 0 } }] });
    await peer.waitForAck(id);
    const { body } = await send(backend.url, { method: 'GET', target: '/results/a/disk' });
    expect(body).toMatchObject({ check: { api_requested: { reason: null, creator: 'ops' } } });
  });

  test.each<{ name: string; body: unknown; status: number; error: string }>([
    { name: 'the check does not exist', body: { check: 'nope' }, status: 404, error: 'no check nope is defined' },
    { name: 'the request names no check', body: {}, status: 400, error: 'check: expected string, received undefined' },
    {
      name: 'the list of subscribers is empty',
      body: { check: 'disk', subscribers: 'base' },
      status: 400,
      error: 'subscribers: ',
    },
    {
      name: 'the list of subscribers is too long',
      body: { check: 'disk', subscribers: Array(1001).fill('base') },
      status: 400,
      error: 'subscribers: ',
    },
    { name: 'the reason is not a text', body: { check: 'disk', reason: 1 }, status: 400, error: 'reason: ' },
    { name: 'the creator is not a text', body: { check: 'disk', creator: {} }, status: 400, error: 'creator: ' },
  ])('a check request is rejected because $name', async ({ body, status, error }) => {
    const answer = await request(body);
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(error);
  });
});

describe('roundrobin: and direct: subscriptions', () => {
  test('a roundrobin check runs on its agents in turn, a new agent comes last, and an agent that left is skipped', async () => {
    const workers = [await agent('a', 'roundrobin:workers'), await agent('b', 'roundrobin:workers')];
    const counts = async (): Promise<number[]> =>
      await Promise.all(workers.map(async (peer) => (await receivedRequests(peer)).length));
    for (let run = 0; run < 4; run++) await request({ check: 'turns' });
    expect(await counts()).toEqual([2, 2]);
    workers.push(await agent('c', 'roundrobin:workers'));
    for (let run = 0; run < 3; run++) await request({ check: 'turns' });
    expect(await counts()).toEqual([3, 3, 1]);
    workers.shift()?.cut();
    for (let run = 0; run < 4; run++) await request({ check: 'turns' });
    expect((await counts()).reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(7);
  });

  test('a check request for a roundrobin or direct subscription without agents is accepted', async () => {
    expect((await request({ check: 'turns' })).status).toBe(202);
    expect((await request({ check: 'disk', subscribers: ['direct:nobody'] })).status).toBe(202);
  });

  test('a subscription with the prefix roundrobin: is not the same as the subscription without the prefix', async () => {
    const [turns, all] = [await agent('a', 'roundrobin:web'), await agent('b', 'web')];
    await request({ check: 'disk', subscribers: ['roundrobin:web'] });
    expect([(await receivedRequests(turns)).length, (await receivedRequests(all)).length]).toEqual([1, 0]);
  });
});

/** Requests a check, and returns source and command of each check request that an agent gets for it. */
async function requestsFor(check: string): Promise<unknown[][]> {
  const peer = await agent('prober', 'base');
  expect((await request({ check })).status).toBe(202);
  return (await receivedRequests(peer)).map(({ source, command }) => [source, command]);
}

describe('a check with proxy_requests', () => {
  beforeEach(async () => {
    for (const client of [
      { name: 'sw-1', address: '10.0.0.1', kind: 'switch', net: { vlan: 7 } },
      { name: 'sw-2', address: '10.0.0.2', kind: 'switch', net: { vlan: 8, count: 5 }, rack: ['r1', 'r2'] },
      { name: 'srv-1', address: '10.0.0.3', kind: 'server', net: { vlan: 7 } },
    ]) {
      await ask('/clients', client);
    }
  });

  test('a check with proxy_requests is requested once for each matching client, with its tokens substituted', async () => {
    expect(await requestsFor('ping')).toEqual([
      ['sw-1', 'ping -c 3 10.0.0.1'],
      ['sw-2', 'ping -c 5 10.0.0.2'],
    ]);
  });

  test('proxy_requests match nested attributes, and match numbers by their text', async () => {
    expect(await requestsFor('nested')).toEqual([
      ['srv-1', 'true'],
      ['sw-1', 'true'],
    ]);
  });

  test('no check request is sent for a client without a value for a token, and the log names the client', async () => {
    expect(await requestsFor('rack')).toEqual([['sw-2', 'snmp ["r1", "r2"]']]);
    expect(backend.log.records.filter(({ level }) => level === 'warn')).toMatchObject([
      {
        message: 'check requests were not sent: proxy clients lack attributes that the command uses as tokens',
        fields: { check: 'rack', unmatched_tokens: ['rack'], clients: 1, first_clients: ['sw-1'] },
      },
    ]);
  });

  test('proxy_requests can match clients by an expression', async () => {
    expect(await requestsFor('computed')).toEqual([['sw-2', 'true']]);
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openApiClient } from '../../../../shared/client/api-client.ts';
import { AgentPeer } from '../../../support/agent-peer.ts';
import { send, type Answer } from '../../../support/raw-http.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';

let backend: RunningBackend;

beforeAll(async () => {
  backend = await startBackend({ batcher: { batchLimit: 1 } });
});
afterAll(() => backend[Symbol.asyncDispose]());

const post = (target: string, body: object): Promise<Answer> =>
  send(backend.url, { method: 'POST', target, body: JSON.stringify(body) });

const LONG = 'x'.repeat(64 * 1024);
const MANY = Object.fromEntries(Array.from({ length: 1001 }, (_, at) => [`k${String(at)}`, 1]));
const names = (count: number): string[] => Array.from({ length: count }, (_, at) => `name-${String(at)}`);

const CLIENT = { name: 'web-1', address: '10.0.0.1' };
const RESULT = { source: 'web-1', name: 'disk', output: '' };
const ENTITY = { metadata: { name: 'web-2', namespace: 'default' }, entity_class: 'proxy' };
const EVENT = { entity: ENTITY, check: { metadata: { name: 'disk', namespace: 'default' }, status: 0, output: '' } };

describe('the limits of attributes (security S7)', () => {
  test.each<{ title: string; target: string; body: object; status: number }>([
    { title: 'a client of 64 KiB', target: '/clients', body: { ...CLIENT, a: LONG }, status: 413 },
    { title: 'a client with 1,001 keys in an object', target: '/clients', body: { ...CLIENT, a: MANY }, status: 400 },
    {
      title: 'a client with 1,000 subscriptions',
      target: '/clients',
      body: { ...CLIENT, subscriptions: names(1000) },
      status: 201,
    },
    {
      title: 'a client with 1,001 subscriptions',
      target: '/clients',
      body: { ...CLIENT, subscriptions: names(1001) },
      status: 400,
    },
    {
      title: 'a client with an address that is too long',
      target: '/clients',
      body: { ...CLIENT, address: 'x'.repeat(256) },
      status: 400,
    },
    {
      title: 'a client with 1,001 redacted keys',
      target: '/clients',
      body: { ...CLIENT, redact: names(1001) },
      status: 400,
    },
    { title: 'a result of 64 KiB', target: '/results', body: { ...RESULT, a: LONG }, status: 413 },
    { title: 'a result with 1,001 keys', target: '/results', body: { ...RESULT, ...MANY }, status: 400 },
    { title: 'a result with a long output', target: '/results', body: { ...RESULT, output: LONG }, status: 202 },
    {
      title: 'a result with 1,001 handlers',
      target: '/results',
      body: { ...RESULT, handlers: names(1001) },
      status: 400,
    },
    {
      title: 'a result with a handler name that is too long',
      target: '/results',
      body: { ...RESULT, handler: 'x'.repeat(256) },
      status: 400,
    },
    {
      title: 'an entity of 64 KiB',
      target: '/api/core/v2/namespaces/default/entities',
      body: { ...ENTITY, a: LONG },
      status: 413,
    },
    {
      title: 'an event of 64 KiB',
      target: '/api/core/v2/namespaces/default/events',
      body: { ...EVENT, check: { ...EVENT.check, a: LONG } },
      status: 413,
    },
    {
      title: 'an event with an entity of 64 KiB',
      target: '/api/core/v2/namespaces/default/events',
      body: { ...EVENT, entity: { ...ENTITY, a: LONG } },
      status: 413,
    },
  ])('sending $title returns $status', async ({ target, body, status }) => {
    expect((await post(target, body)).status).toBe(status);
  });

  test('an array of results stores its valid results and rejects results whose attributes are too large', async () => {
    const answer = await post('/api/mon/v1/results', [
      { ...RESULT, name: 'a' },
      { ...RESULT, name: 'b', a: LONG },
    ]);
    expect(answer.body).toMatchObject({ accepted: 1, rejected: [{ index: 1 }] });
  });

  test('an agent is informed that a result with too large attributes is rejected, and other results are stored', async () => {
    const agent = await AgentPeer.connect(backend.url, 'agent-1');
    await agent.join();
    const check = { name: 'disk', output: '', status: 0 };
    agent.say({
      type: 'results',
      results: [
        { id: 1, check: { ...check, a: LONG } },
        { id: 2, check },
      ],
    });
    await agent.waitForAck(2);
    expect((await agent.hears('rejected')).error).toMatch(/bytes as JSON, but at most 65536 are allowed: send less$/);
    expect(await openApiClient({ backend: backend.url }).result('agent-1', 'disk')).toBeDefined();
  });

  test('an agent whose client has too large attributes is rejected with a reason', async () => {
    const agent = await AgentPeer.connect(backend.url, 'agent-2');
    agent.say({ type: 'hello', client: { name: 'agent-2', address: '10.0.0.2', a: LONG }, spool: 's' });
    expect((await agent.hears('error')).code).toBe('too_large');
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { V2Event } from '../../../../shared/schemas/v2/event.ts';
import { V2Peer } from '../../../support/v2-peer.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';

const EVENTS = '/namespaces/default/events';
const ENTITIES = '/namespaces/default/entities';
const ROOT = `Basic ${Buffer.from('root:long enough').toString('base64')}`;

let backend: RunningBackend;
let root: V2Peer;

beforeAll(async () => {
  backend = await startBackend({
    clock: new ManualClock(),
    batcher: { batchLimit: 1 },
    settings: {
      api: { user: 'root', password: 'long enough' },
      checks: { sticky: { command: 'true', subscribers: ['linux'], interval: 60, auto_resolve: false } },
    },
  });
  root = new V2Peer(backend.url, { Authorization: ROOT });
  await root.post('/namespaces', { name: 'ops' });
  await root.put('/users/ada', {
    username: 'ada',
    // A bcrypt hash of "correct horse" with the lowest cost.
    password_hash: '$2b$04$5344ST3XhlAGx959etVgFOVKNdj4dabhF7t.bkZgOKSoGFcdALMZ.',
    groups: ['cluster-admins'],
  });
});

afterAll(() => backend[Symbol.asyncDispose]());

async function peerWithKey(limits: {
  readonly scopes: readonly string[];
  readonly namespace?: string;
}): Promise<V2Peer> {
  const { body } = await root.post('/apikeys', { metadata: {}, username: 'ada', ...limits });
  return new V2Peer(backend.url, { Authorization: `Key ${(body as { readonly key: string }).key}` });
}

const eventOf = (entity: string, check: string, status: number): Record<string, unknown> => ({
  entity: { metadata: { name: entity } },
  check: { metadata: { name: check }, status, output: 'x' },
});

const variables = async (peer: V2Peer): Promise<unknown> =>
  ((await peer.get(`${EVENTS}/env-1/cpu`)).body as V2Event).check['env_vars'];
const listNames = async (peer: V2Peer): Promise<unknown> =>
  ((await peer.get(`${EVENTS}?fieldSelector=event.entity.name==env-1`)).body as V2Event[])[0]?.check['env_vars'];

describe('the environment of a command', () => {
  test('only users who may write a check see the environment variables of the check in an event', async () => {
    const { entity, check } = eventOf('env-1', 'cpu', 1) as { entity: object; check: object };
    await root.post(EVENTS, { entity, check: { ...check, env_vars: ['TOKEN=hush'], password: 'hush' } });
    const reader = await peerWithKey({ scopes: ['read'] });
    for (const look of [variables, listNames]) {
      expect(await look(root)).toEqual(['TOKEN=hush']);
      expect(await look(reader)).toEqual(['TOKEN=REDACTED']);
    }
    expect((await root.get(`${EVENTS}/env-1/cpu`)).body).toMatchObject({ check: { password: 'REDACTED' } });
    // A field selector must not reveal the environment to the reader either.
    const asked = async (peer: V2Peer): Promise<unknown> =>
      (await peer.get(`${EVENTS}?fieldSelector=${encodeURIComponent('"TOKEN=hush" in event.check.env_vars')}`)).body;
    expect(await asked(root)).toHaveLength(1);
    expect(await asked(reader)).toEqual([]);
  });
});

describe('a program that has a key with the scope submit', () => {
  test('a key with the scope submit can send events and do nothing else', async () => {
    const telegraf = await peerWithKey({ scopes: ['submit'] });
    expect((await telegraf.post(`${EVENTS}/t-1/telegraf`, eventOf('t-1', 'telegraf', 0))).status).toBe(201);
    for (const answer of [
      await telegraf.get(`${EVENTS}/t-1/telegraf`),
      await telegraf.delete(`${EVENTS}/t-1/telegraf`),
      await telegraf.delete(`${ENTITIES}/t-1`),
      await telegraf.post('/namespaces/default/silenced', { check: 'telegraf' }),
    ]) {
      expect(answer).toMatchObject({ status: 403, body: { code: 4 } });
    }
  });

  test('a key with the scope submit cannot resolve an event that only a manual resolve can end', async () => {
    const reporter = await peerWithKey({ scopes: ['submit'] });
    const operator = await peerWithKey({ scopes: ['submit', 'resolve'] });
    const stateOf = async (): Promise<string> => ((await root.get(`${EVENTS}/t-2/sticky`)).body as V2Event).check.state;
    await reporter.put(`${EVENTS}/t-2/sticky`, eventOf('t-2', 'sticky', 2));
    await reporter.put(`${EVENTS}/t-2/sticky`, eventOf('t-2', 'sticky', 0));
    expect(await stateOf()).toBe('failing');
    await operator.put(`${EVENTS}/t-2/sticky`, eventOf('t-2', 'sticky', 0));
    expect(await stateOf()).toBe('passing');
  });

  test('a key with the scope submit cannot reveal the redacted attributes of an entity', async () => {
    const reporter = await peerWithKey({ scopes: ['read', 'submit'] });
    const entity = { metadata: { name: 'vault' }, entity_class: 'proxy', password: 'hush', redact: ['password'] };
    expect((await reporter.put(`${ENTITIES}/vault`, entity)).status).toBe(200);
    expect(await reporter.patch(`${ENTITIES}/vault`, { redact: [] })).toMatchObject({ status: 403, body: { code: 4 } });
    expect((await reporter.patch(`${ENTITIES}/vault`, { redact: ['password', 'pin'] })).status).toBe(200);
    expect((await root.patch(`${ENTITIES}/vault`, { redact: [] })).status).toBe(200);
    expect((await root.get(`${ENTITIES}/vault`)).body).toMatchObject({ password: 'hush' });
  });
});

test('a key of one namespace can neither read nor delete objects of another namespace', async () => {
  await root.post(EVENTS, eventOf('here', 'cpu', 2));
  await root.post('/namespaces/ops/events', eventOf('there', 'cpu', 2));
  await root.post('/namespaces/ops/silenced', { check: 'cpu', reason: 'x' });
  const kept = await peerWithKey({ scopes: ['read', 'submit', 'silence', 'resolve'], namespace: 'ops' });
  const namesIn = async (type: string): Promise<string> => JSON.stringify((await kept.get(`/${type}`)).body);
  expect(await namesIn('events')).toContain('there');
  for (const type of ['events', 'entities', 'silenced']) expect(await namesIn(type)).not.toContain('"default"');
  for (const path of [`${EVENTS}/here/cpu`, `${ENTITIES}/here`]) {
    expect(await kept.get(path)).toMatchObject({ status: 404, body: { code: 2 } });
    expect((await kept.delete(path)).status).toBe(404);
  }
  const body = { ...eventOf('here', 'cpu', 0), metadata: { namespace: 'default' } };
  expect((await kept.post('/events', body)).status).toBe(404);
  expect((await kept.post('/silenced', { check: 'cpu', metadata: { namespace: 'default' } })).status).toBe(404);
});

test('the audit trail contains the namespace of each action', async () => {
  await root.put('/namespaces/ops/entities/audited', { metadata: { name: 'audited' }, entity_class: 'proxy' });
  await root.put('/namespaces/ops/entities/audited', { metadata: { name: 'audited' }, entity_class: 'agent' });
  await root.post('/namespaces/ops/silenced', { subscription: 'entity:audited', reason: 'x' });
  await root.delete('/namespaces/ops/silenced/entity:audited:*');
  await root.delete('/namespaces/ops/entities/audited');
  const answer = await fetch(`${backend.url}/api/mon/v1/audit?limit=1000`, { headers: { Authorization: ROOT } });
  const records = (await answer.json()) as readonly { who: string; action: string; target: string }[];
  const about = records.filter(({ target }) => target.includes('audited'));
  expect(about.map(({ who, action, target }) => [who, action, target])).toEqual(
    expect.arrayContaining([
      ['root', 'client.create', 'ops/audited'],
      ['root', 'client.change', 'ops/audited'],
      ['root', 'silence.create', 'ops/client:audited:*'],
      ['root', 'silence.clear', 'ops/client:audited:*'],
      ['root', 'client.delete', 'ops/audited'],
    ]),
  );
});

test('percent-encoded names in paths of the v2 API are decoded exactly once', async () => {
  await root.post(ENTITIES, { metadata: { name: 'ab' }, entity_class: 'proxy' });
  expect((await root.get(`${ENTITIES}/a%62`)).status).toBe(200);
  expect((await root.get(`${ENTITIES}/a%2562`)).status).toBe(404);
});

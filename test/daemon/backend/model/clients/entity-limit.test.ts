import { expect, onTestFinished, test } from 'vitest';
import { EntityLimit } from '../../../../../daemon/backend/model/clients/entity-limit.ts';
import { Entities } from '../../../../../daemon/backend/clients/v2-write.ts';
import { Registry } from '../../../../../daemon/backend/model/registry/registry.ts';
import { DEFAULT_NAMESPACE } from '../../../../../shared/schemas/namespace.ts';
import { HandlingRig } from '../../../../support/handling-rig.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import { TABLES } from '../../../../../daemon/backend/model/tables/tables.ts';

const ADA = { who: 'ada', from: '127.0.0.1', how: 'PUT /' };
const machine = (name: string) => ({ name, address: '192.0.2.1', subscriptions: ['linux'] });

async function openRig() {
  const rig = await HandlingRig.open();
  onTestFinished(() => rig[Symbol.asyncDispose]());
  const limit = new EntityLimit(rig.registry, () => 100);
  const entities = new Entities({ batcher: rig.batcher, entityLimit: limit });
  const put = (name: string) => entities.put(DEFAULT_NAMESPACE, name, () => ({ metadata: { name } }), ADA);
  const counted = () => [limit.usage().total, limit.usage().proxies];
  return { rig, put, counted, clients: rig.clients, results: rig.results };
}

test('clients created over the v1 API do not count toward the entity limit', async () => {
  const { clients, results, counted } = await openRig();
  await clients.put(DEFAULT_NAMESPACE, machine('posted'));
  await results.submit(DEFAULT_NAMESPACE, [{ name: 'ping', source: 'switch-1', output: '', status: 2 }]);
  expect(counted()).toEqual([0, 0]);
});

test('registered agents and entities of the v2 API count toward the entity limit while they exist', async () => {
  const { clients, put, counted } = await openRig();
  await clients.keepalive(DEFAULT_NAMESPACE, machine('agent-1'));
  await put('switch-2');
  expect(counted()).toEqual([2, 1]);
  await clients.remove(DEFAULT_NAMESPACE, 'switch-2', { expireSeconds: undefined });
  expect(counted()).toEqual([1, 0]);
});

test('a client created over the v1 API counts toward the entity limit once its agent has registered', async () => {
  const { clients, counted } = await openRig();
  await clients.put(DEFAULT_NAMESPACE, machine('web-1'));
  await clients.keepalive(DEFAULT_NAMESPACE, machine('web-1'));
  expect(counted()).toEqual([1, 0]);
  await clients.put(DEFAULT_NAMESPACE, machine('web-1'));
  expect(counted()).toEqual([1, 0]);
});

test('a restarted backend knows which clients count toward the entity limit', async () => {
  const { rig, clients, put } = await openRig();
  await clients.put(DEFAULT_NAMESPACE, machine('posted'));
  await clients.keepalive(DEFAULT_NAMESPACE, machine('agent-1'));
  await put('switch-2');
  const again = new Registry(TABLES);
  await again.load(rig.store);
  expect(new EntityLimit(again, () => 100).usage()).toEqual({ total: 2, proxies: 1, limit: 100 });
});

test('a new entity beyond the entity limit is rejected, but an existing entity can be changed', async () => {
  const { rig, put } = await openRig();
  await put('web-1');
  const limit = new EntityLimit(rig.registry, () => 2, rig.clock);
  expect(limit.refuses(DEFAULT_NAMESPACE, 'web-2')).toBe(false);
  await put('web-2');
  expect(limit.refuses(DEFAULT_NAMESPACE, 'web-2')).toBe(false);
  expect(limit.refuses(DEFAULT_NAMESPACE, 'web-3')).toBe(true);
  expect(limit.refuses('shop', 'web-2')).toBe(true);
  expect(() => limit.refuseBeyond(DEFAULT_NAMESPACE, 'web-3')).toThrow('entity-limit is reached');
  expect([limit.refusals, limit.refusedNames()]).toEqual([3, ['shop/web-2', 'web-3']]);
});

test('the names of the last hundred entities that the entity limit rejected are kept for an hour', () => {
  const clock = new ManualClock();
  const limit = new EntityLimit(new Registry(TABLES), () => 0, clock);
  for (let at = 0; at < 101; at++) limit.refuses(DEFAULT_NAMESPACE, `n${String(at)}`);
  expect(limit.refusedNames()).toHaveLength(100);
  expect(limit.refusedNames()[0]).toBe('n1');
  clock.advance(1_800_000);
  limit.refuses(DEFAULT_NAMESPACE, 'n1');
  clock.advance(1_800_000);
  expect([limit.refusedNames(), limit.refusals]).toEqual([['n1'], 102]);
});

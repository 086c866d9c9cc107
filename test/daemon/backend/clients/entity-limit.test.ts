import { expect, onTestFinished, test } from 'vitest';
import { EntityLimit } from '../../../../daemon/backend/clients/entity-limit.ts';
import { Entities } from '../../../../daemon/backend/clients/v2-write.ts';
import { Registry } from '../../../../daemon/backend/registry/registry.ts';
import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';
import { HandlingRig } from '../../../support/handling-rig.ts';
import { TABLES } from '../../../../daemon/backend/tables/tables.ts';

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

test('what the legacy API makes does not count towards the limit of entities', async () => {
  const { clients, results, counted } = await openRig();
  await clients.put(DEFAULT_NAMESPACE, machine('posted'));
  await results.submit(DEFAULT_NAMESPACE, [{ name: 'ping', source: 'switch-1', output: '', status: 2 }]);
  expect(counted()).toEqual([0, 0]);
});

test('agents that register and entities of the newer API do, as long as they are there', async () => {
  const { clients, put, counted } = await openRig();
  await clients.keepalive(DEFAULT_NAMESPACE, machine('agent-1'));
  await put('switch-2');
  expect(counted()).toEqual([2, 1]);
  await clients.remove(DEFAULT_NAMESPACE, 'switch-2', { expireSeconds: undefined });
  expect(counted()).toEqual([1, 0]);
});

test('a client that was posted counts from when an agent of its name registers, and not less when it is posted again', async () => {
  const { clients, counted } = await openRig();
  await clients.put(DEFAULT_NAMESPACE, machine('web-1'));
  await clients.keepalive(DEFAULT_NAMESPACE, machine('web-1'));
  expect(counted()).toEqual([1, 0]);
  await clients.put(DEFAULT_NAMESPACE, machine('web-1'));
  expect(counted()).toEqual([1, 0]);
});

test('who made a client is known after a restart', async () => {
  const { rig, clients, put } = await openRig();
  await clients.put(DEFAULT_NAMESPACE, machine('posted'));
  await clients.keepalive(DEFAULT_NAMESPACE, machine('agent-1'));
  await put('switch-2');
  const again = new Registry(TABLES);
  await again.load(rig.store);
  expect(new EntityLimit(again, () => 100).usage()).toEqual({ total: 2, proxies: 1, limit: 100 });
});

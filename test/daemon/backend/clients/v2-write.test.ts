import { expect, onTestFinished, test } from 'vitest';
import { Entities } from '../../../../daemon/backend/clients/v2-write.ts';
import { EntityLimit } from '../../../../daemon/backend/model/clients/entity-limit.ts';
import type { SubmittedV2Entity } from '../../../../shared/schemas/v2/entity.ts';
import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';
import { readClient } from '../../../../daemon/backend/model/clients/queries.ts';
import { HandlingRig } from '../../../support/handling-rig.ts';

const ADA = { who: 'ada', from: '127.0.0.1', how: 'PUT /' };

async function rigWithAgent() {
  const rig = await HandlingRig.open();
  onTestFinished(() => rig[Symbol.asyncDispose]());
  const { batcher, registry, clients } = rig;
  const entities = new Entities({ batcher, entityLimit: new EntityLimit(registry, () => 1) });
  const keepalive = (attributes: Record<string, unknown> = {}) =>
    clients.keepalive(DEFAULT_NAMESPACE, {
      name: 'web-1',
      address: '10.0.0.9',
      subscriptions: ['linux'],
      ...attributes,
    });
  await keepalive({ signature: 'own' });
  const put = (entity: SubmittedV2Entity) => entities.put(DEFAULT_NAMESPACE, entity.metadata.name, () => entity, ADA);
  const clientOf = (name: string) => registry.namespace(DEFAULT_NAMESPACE).clients.get(name);
  return { keepalive, put, clientOf, recordOf: (name: string) => readClient(rig.store, clientOf(name)) };
}

test('labels that a user gives the entity of an agent survive keepalives, but labels of the agent override them', async () => {
  const { keepalive, put, recordOf } = await rigWithAgent();
  await put({ metadata: { name: 'web-1', labels: { region: 'eu' } }, entity_class: 'agent', subscriptions: ['web'] });
  expect(await recordOf('web-1')).toMatchObject({ subscriptions: ['web', 'client:web-1'], labels: { region: 'eu' } });
  await keepalive({ signature: 'own' });
  expect(await recordOf('web-1')).toMatchObject({
    subscriptions: ['linux', 'client:web-1'],
    labels: { region: 'eu' },
  });
  await keepalive({ signature: 'own', labels: { region: 'us' } });
  expect(await recordOf('web-1')).toMatchObject({ labels: { region: 'us' } });
});

test('an entity that is changed over the v2 API keeps the signature of its agent and its keepalive checks', async () => {
  const { keepalive, put, clientOf, recordOf } = await rigWithAgent();
  await put({ metadata: { name: 'web-1' }, entity_class: 'agent' });
  expect(clientOf('web-1')).toMatchObject({ signature: 'own' });
  expect((await recordOf('web-1'))?.keepalives).not.toBe(false);
  await expect(keepalive({ signature: 'forged' })).rejects.toMatchObject({ code: 'forbidden' });
});

test('storing a new entity beyond the entity limit is rejected', async () => {
  const { put, clientOf } = await rigWithAgent();
  await expect(put({ metadata: { name: 'web-2' } })).rejects.toMatchObject({ code: 'payment_required' });
  expect(clientOf('web-2')).toBeUndefined();
});

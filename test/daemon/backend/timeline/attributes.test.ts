import { expect, test } from 'vitest';
import { readPastLists } from '../../../../shared/client/past-lists.ts';
import { attributeTextOf } from '../../../../shared/domain/event-attributes.ts';
import type { PastChanges, PastState } from '../../../../shared/schemas/timeline.ts';
import { BackendRig } from '../../../support/backend-rig.ts';

const MON = '/api/mon/v1';

test('events of the past are searched by the current attributes of their client, and have them', async () => {
  const rig = await BackendRig.open();
  const { clock } = rig;
  await rig.ask('POST', '/clients', { name: 'web-1', address: '10.0.0.1', rack: 'r20' });
  await rig.ask('POST', '/clients', { name: 'web-2', address: '10.0.0.2', rack: 'r21' });
  for (const source of ['web-1', 'web-2']) {
    await rig.ask('POST', '/results', { source, name: 'disk', output: 'full', status: 2 });
  }
  const at = clock.now();
  clock.advance(60_000);
  await rig.ask('POST', '/results', { source: 'web-1', name: 'disk', output: 'fine', status: 0 });
  await rig.ask('POST', '/results', { source: 'web-2', name: 'disk', output: 'nearly full', status: 1 });
  const state = async (query: string): Promise<PastState> =>
    (await rig.ask('GET', `${MON}/timeline/state?at=${String(at)}${query}`)).body as PastState;
  expect((await state('&q=client.rack%3Dr20')).events).toMatchObject([{ client: 'web-1', check: 'disk' }]);
  expect((await state('&sort=-client.rack')).events.map(({ client }) => client)).toEqual(['web-2', 'web-1']);
  const { events } = await readPastLists(rig.api, at);
  expect(events.map((row) => attributeTextOf(row, 'rack')).toSorted()).toEqual(['r20', 'r21']);
  const response = await rig.ask('GET', `${MON}/timeline/changes?from=${String(at)}&at=${String(clock.now())}`);
  const changes = response.body as PastChanges;
  expect(changes.events.map(({ client, client_set: id = '' }) => [client, changes.attributes?.[id]])).toMatchObject([
    ['web-2', { attributes: { rack: 'r21' } }],
  ]);
});

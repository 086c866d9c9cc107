import { afterAll, beforeAll, expect, test } from 'vitest';
import { openApiClient, type ApiClient } from '../../../../shared/client/api-client.ts';
import { openV2Client } from '../../../../shared/client/v2-client.ts';
import { administratorOf } from '../../../support/administrator.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';

let backend: RunningBackend;
const clientOf = (namespace?: string): ApiClient =>
  openApiClient({ backend: backend.url, headers: administratorOf(backend.url), namespace });

beforeAll(async () => {
  backend = await startBackend();
  const v2 = openV2Client({ backend: backend.url, headers: administratorOf(backend.url) });
  await v2.create(['namespaces'], { name: 'team-a' });
  for (const namespace of ['default', 'team-a']) {
    const metadata = { name: 'disk', namespace };
    const check = { metadata, command: 'true', interval: 3600, subscriptions: ['linux'] };
    await v2.create(['namespaces', namespace, 'checks'], check);
  }
});

afterAll(() => backend[Symbol.asyncDispose]());

/** Performs actions over the API of a namespace, and returns what the client then reads, without times. */
async function performActions(api: ApiClient): Promise<unknown> {
  const about = { source: 'web-1', name: 'disk', status: 2, aggregate: 'disks', executed: 7, issued: 7 };
  await api.submitResult({ ...about, output: 'full' });
  await api.saveClient({ name: 'db-1', address: '192.0.2.7', subscriptions: ['linux'] });
  await api.silence({ check: 'disk', reason: 'move' });
  const responses = [
    (await api.events({ client: 'web-1' })).map(({ client, check, silenced_by: ids }) => [
      client.name,
      check.output,
      ids,
    ]),
    await api.events({ check: 'nothing' }),
    (await api.event('web-1', 'disk'))?.check.output,
    (await api.explainEvent('web-1', 'disk'))?.client,
    (await api.results({ client: 'web-1', check: 'disk' })).map(({ check }) => check.output),
    await api.results({ client: 'nobody' }),
    (await api.result('web-1', 'disk'))?.check.output,
    (await api.silenced({ check: 'disk' })).map(({ id }) => id),
    (await api.silenced({ subscription: 'linux' })).map(({ id }) => id),
    (await api.silencedEntry('*:disk'))?.reason,
    (await api.clients()).map(({ name, address }) => [name, address]),
    (await api.client('db-1'))?.subscriptions,
    await api.client('nobody'),
    (await api.clientHistory('web-1')).map(({ history }) => history),
    (await api.checks()).map(({ name }) => name),
    (await api.aggregates()).map(({ name }) => name),
    (await api.aggregate('disks'))?.results.critical,
    (await api.aggregateClients('disks'))?.map(({ name }) => name),
    (await api.aggregateChecks('disks'))?.map(({ name }) => name),
    (await api.aggregateResults('disks', 'critical'))?.map(({ check }) => check),
    (await api.requestCheck({ check: 'disk' })).issued > 0,
  ];
  const undone = [
    (await api.resolve({ client: 'web-1', check: 'disk' })).issued > 0,
    await api.event('web-1', 'disk'),
    await api.resolve({ client: 'web-1', check: 'disk' }).catch((error: unknown) => (error as { code: string }).code),
    await api.deleteResult('web-1', 'disk'),
    await api.deleteResult('web-1', 'disk'),
    await api.clearSilenced({ check: 'disk' }),
    await api.clearSilenced({ check: 'disk' }),
    (await api.deleteCheck('disk')).issued > 0,
    await api.deleteAggregate('disks'),
    (await api.deleteClient('db-1')).issued > 0,
    (await api.clients()).map(({ name }) => name),
  ];
  return { responses, undone };
}

test('the API client works alike in every namespace and changes nothing in other namespaces', async () => {
  const inDefault = await performActions(clientOf());
  expect(inDefault).toMatchObject({ responses: { 0: [['web-1', 'full', ['*:disk']]] } });
  await clientOf().submitResult({ source: 'own', name: 'mark', status: 1, output: 'of default' });
  expect(await performActions(clientOf('team-a'))).toEqual(inDefault);
  expect((await clientOf().events()).map(({ client }) => client.name)).toEqual(['own']);
});

test('the API client reports an invalid result with the code "invalid"', async () => {
  for (const namespace of [undefined, 'team-a']) {
    const refused = clientOf(namespace).submitResult({ source: 'a b', name: 'disk', output: '', status: 1 });
    await expect(refused).rejects.toMatchObject({ code: 'invalid' });
  }
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { CoreClient } from '../../../../support/core-client.ts';
import { startBackend, type RunningBackend } from '../../../../support/running-backend.ts';

let backend: RunningBackend;
let core: CoreClient;

beforeAll(async () => {
  backend = await startBackend({
    settings: {
      checks: {
        configured: { command: 'true', subscribers: ['all', 'client:web-1'], interval: 3600, handlers: ['mail'] },
      },
    },
  });
  core = new CoreClient(backend);
  await core.ask('POST', '/namespaces', { name: 'prod' });
});

afterAll(async () => backend[Symbol.asyncDispose]());

const disk = (name: string, attributes: object = {}): object => ({
  command: 'check-disk',
  subscriptions: ['linux'],
  interval: 60,
  publish: false,
  metadata: { name, namespace: 'prod' },
  ...attributes,
});

const NOT_FOUND = { message: 'not found', code: 2 };

test('a check is created, told of, replaced and deleted as the command-line tool asks for it', async () => {
  const path = '/namespaces/prod/checks';
  expect(await core.ask('POST', path, disk('disk'))).toMatchObject({ status: 201, text: '' });
  expect((await core.ask('POST', path, disk('disk'))).json).toEqual({ message: 'resource already exists', code: 3 });
  expect((await core.get(`${path}/disk`)).json).toEqual({
    ...disk('disk'),
    metadata: { name: 'disk', namespace: 'prod', created_by: 'anonymous' },
  });
  expect(await core.ask('PUT', `${path}/disk`, disk('disk', { interval: 30 }))).toMatchObject({
    status: 201,
    text: '',
  });
  expect((await core.get(`${path}/disk`)).json).toMatchObject({ interval: 30 });
  expect(await core.ask('DELETE', `${path}/disk`)).toMatchObject({ status: 204, text: '' });
  expect(await core.ask('DELETE', `${path}/disk`)).toMatchObject({ status: 404, json: NOT_FOUND });
  expect(await core.get(`${path}/disk`)).toMatchObject({ status: 404, json: NOT_FOUND });
});

test('a check of the configuration is shown in default, marked, and can be changed only there', async () => {
  const path = '/namespaces/default/checks/configured';
  const { json } = await core.get(path);
  expect(json).toMatchObject({
    metadata: { name: 'configured', namespace: 'default', annotations: { 'mon/source': 'configuration' } },
    subscriptions: ['all', 'entity:web-1'],
    publish: true,
    handlers: ['mail'],
  });
  expect((await core.get('/checks')).json).toContainEqual(json);
  expect(await core.ask('PUT', path, { ...disk('configured'), metadata: { name: 'configured' } })).toMatchObject({
    status: 409,
    json: { message: 'configured is defined in the configuration file; change it there', code: 3 },
  });
});

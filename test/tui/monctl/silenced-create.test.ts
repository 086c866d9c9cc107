import { hostname, userInfo } from 'node:os';
import { beforeAll, afterAll, expect, test } from 'vitest';
import { openApiClient } from '../../../shared/client/api-client.ts';
import { runMonctl, type MonctlRun } from '../../support/run-monctl.ts';
import { startBackend, type RunningBackend } from '../../support/running-backend.ts';

let backend: RunningBackend;

beforeAll(async () => {
  backend = await startBackend({ batcher: { lingerMs: 0 } });
  const api = openApiClient({ backend: backend.url });
  await api.submitResult({ name: 'disk', source: 'web-1', output: 'full', status: 2 });
  await api.submitResult({ name: 'load', source: 'web-1', output: 'high', status: 1 });
});

afterAll(async () => backend[Symbol.asyncDispose]());

const create = (...args: readonly string[]): Promise<MonctlRun> =>
  runMonctl(['silenced', 'create', ...args, '--backend', backend.url], {});

test('monctl silence create prints how many events the new silence matches now', async () => {
  const { code, stdout } = await create('--client', 'web-1', '--expire', '1h');
  expect([code, stdout.split('\n').slice(1)]).toEqual([0, ['it matches 2 events now', '']]);
});

test('monctl silence create warns of a client that does not exist, but creates the silence', async () => {
  const { code, stdout } = await create('--client', 'web-9', '--expire', '1h');
  expect([code, stdout.split('\n').slice(1)]).toEqual([
    0,
    ['it matches no events now', 'warning: there is no client web-9 now; the silence applies when it reports', ''],
  ]);
});

test('the JSON output of monctl silence create contains the number of matches and the unknown client', async () => {
  const { stdout } = await create('--client', 'web-8', '--output', 'json');
  expect(JSON.parse(stdout)).toMatchObject({ id: 'client:web-8:*', events_matched: 0, unknown_client: 'web-8' });
});

test('monctl silence create --dry-run warns of a client that does not exist', async () => {
  const { stdout } = await create('--client', 'web-7', '--dry-run');
  expect(stdout).toMatch(/it matches no events\nwarning: there is no client web-7 now/);
});

test('monctl silence create without the variable USER records the user of the process as creator', async () => {
  const { stdout } = await create('--check', 'disk', '--output', 'json');
  expect(JSON.parse(stdout)).toMatchObject({ creator: `${userInfo().username}@${hostname()}` });
});

test('monctl silence create rejects a begin in the past and says what to do instead', async () => {
  expect(await create('--check', 'disk', '--begin', '2020-01-01T00:00')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/--begin "2020-01-01T00:00" is .* in the past: write a later time, or now/) as string,
  });
});

import { expect, onTestFinished, test, vi } from 'vitest';
import { openApiClient, type ApiClient } from '../../../../shared/client/api-client.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { openBackend } from '../../../support/open-backend.ts';
import { tempDir } from '../../../support/temp-dir.ts';

interface Rig {
  readonly dir: string;
  readonly clock: ManualClock;
  readonly api: ApiClient;
  stop(): Promise<void>;
}

async function openRig(dir: string, clock = new ManualClock()): Promise<Rig> {
  const backend = await openBackend({ dir, clock, batcher: { batchLimit: 1 } });
  let isStopped = false;
  const stop = async (): Promise<void> => {
    if (!isStopped) await backend.stop();
    isStopped = true;
  };
  onTestFinished(stop);
  return { dir, clock, api: openApiClient({ backend: backend.url }), stop };
}

const report = (api: ApiClient, attributes: object = {}): Promise<unknown> =>
  api.submitResult({ name: 'backup', output: 'done', status: 0, source: 'db-1', ttl: 60, ...attributes });

/** Advances the clock in steps of one second, so that timers run as in a running backend. */
function pass({ clock }: Rig, seconds: number): void {
  for (let passed = 0; passed < seconds; passed++) clock.advance(1000);
}

async function becomes({ api }: Rig, output: string): Promise<void> {
  await vi.waitFor(async () => expect((await api.result('db-1', 'backup'))?.check.output).toBe(output));
}

test('a TTL event opens exactly when the TTL of the last result is over', async () => {
  const rig = await openRig(await tempDir());
  await report(rig.api);
  pass(rig, 59);
  expect(await rig.api.events()).toEqual([]);
  pass(rig, 1);
  await becomes(rig, 'Last check execution was 60 seconds ago');
  expect(await rig.api.event('db-1', 'backup')).toMatchObject({
    check: { status: 1, interval: 30, history: ['0', '1'], executed: ManualClock.START_MS / 1000 },
    occurrences: 1,
    action: 'create',
  });
});

test('a TTL event is repeated every 30 seconds, and the next result resolves it', async () => {
  const rig = await openRig(await tempDir());
  await report(rig.api);
  pass(rig, 60);
  await becomes(rig, 'Last check execution was 60 seconds ago');
  pass(rig, 30);
  await becomes(rig, 'Last check execution was 90 seconds ago');
  expect(await rig.api.event('db-1', 'backup')).toMatchObject({ occurrences: 2 });
  await report(rig.api);
  expect(await rig.api.events()).toEqual([]);
});

test.each([
  { name: 'ttl_status', attributes: { ttl_status: 2 }, status: 2 },
  { name: 'ttl_status for any value', attributes: { ttl_status: 77 }, status: 77 },
])('the TTL event has the status in $name', async ({ attributes, status }) => {
  const rig = await openRig(await tempDir());
  await report(rig.api, attributes);
  pass(rig, 60);
  await becomes(rig, 'Last check execution was 60 seconds ago');
  expect(await rig.api.event('db-1', 'backup')).toMatchObject({ check: { status } });
});

test('a shortened TTL applies from the first result that contains it', async () => {
  const rig = await openRig(await tempDir());
  await report(rig.api, { ttl: 86_400 });
  pass(rig, 10);
  await report(rig.api, { ttl: 60 });
  pass(rig, 59);
  expect(await rig.api.events()).toEqual([]);
  pass(rig, 1);
  await becomes(rig, 'Last check execution was 60 seconds ago');
  pass(rig, 30);
  await becomes(rig, 'Last check execution was 90 seconds ago');
  expect(await rig.api.event('db-1', 'backup')).toMatchObject({ occurrences: 2 });
});

test('new results prevent a TTL event, and a result without a TTL ends the TTL', async () => {
  const rig = await openRig(await tempDir());
  for (let round = 0; round < 4; round++) {
    await report(rig.api);
    pass(rig, 50);
  }
  await report(rig.api, { ttl: undefined });
  pass(rig, 300);
  expect((await rig.api.result('db-1', 'backup'))?.check.history).toEqual([0, 0, 0, 0, 0]);
});

test('a deleted result does not open a TTL event', async () => {
  const rig = await openRig(await tempDir());
  await report(rig.api);
  await rig.api.deleteResult('db-1', 'backup');
  pass(rig, 120);
  expect(await rig.api.results()).toEqual([]);
});

test('a manual resolve does not end the TTL of a check, unlike in Sensu Core', async () => {
  const rig = await openRig(await tempDir());
  await report(rig.api, { status: 2 });
  await rig.api.resolve({ client: 'db-1', check: 'backup' });
  pass(rig, 60);
  await becomes(rig, 'Last check execution was 60 seconds ago');
  expect(await rig.api.event('db-1', 'backup')).toMatchObject({ check: { status: 1 } });
});

test('no TTL event opens while the keepalive event of the client is open', async () => {
  const rig = await openRig(await tempDir());
  await report(rig.api);
  const keepalive = { name: 'keepalive', source: 'db-1' };
  await rig.api.submitResult({ ...keepalive, output: 'gone', status: 2 });
  pass(rig, 75);
  expect((await rig.api.events()).map(({ check }) => check.name)).toEqual(['keepalive']);
  await rig.api.submitResult({ ...keepalive, output: 'back', status: 0 });
  pass(rig, 15);
  await becomes(rig, 'Last check execution was 90 seconds ago');
});

test('a TTL that expired while the backend was stopped opens its event after the start', async () => {
  const first = await openRig(await tempDir());
  await report(first.api);
  await first.stop();
  pass(first, 45);
  const second = await openRig(first.dir, first.clock);
  pass(second, 15);
  await becomes(second, 'Last check execution was 60 seconds ago');
  expect(await second.api.event('db-1', 'backup')).toMatchObject({ check: { history: ['0', '1'] } });
});

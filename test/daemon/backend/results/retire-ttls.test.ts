import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Backend } from '../../../../daemon/backend/compose.ts';
import { loadConfig, type LoadedConfig } from '../../../../daemon/backend/config/load-config.ts';
import { openApiClient, type ApiClient } from '../../../../shared/client/api-client.ts';
import type { SubmittedResult } from '../../../../shared/schemas/result.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { openBackend } from '../../../support/open-backend.ts';
import { tempDir } from '../../../support/temp-dir.ts';
import { V2Peer } from '../../../support/v2-peer.ts';

type Checks = LoadedConfig['checks'];

const DEFINED: Checks = new Map([['backup', { command: 'true', subscribers: ['db'], interval: 3600, ttl: 60 }]]);
const WITHOUT_TTL: Checks = new Map([['backup', { command: 'true', subscribers: ['db'], interval: 3600 }]]);
const NONE: Checks = new Map();

interface Rig {
  readonly clock: ManualClock;
  readonly backend: Backend;
  readonly api: ApiClient;
  readonly v2: V2Peer;
  /** Replaces the checks of the configuration and reloads it. */
  reloadWith(checks: Checks): Promise<void>;
  stop(): Promise<void>;
}

async function openRig(checks: Checks, { dir = '', clock = new ManualClock() } = {}): Promise<Rig> {
  let configured = checks;
  const load = async (): Promise<LoadedConfig> => ({
    ...(await loadConfig({ directories: [], env: {} })),
    checks: configured,
    settings: { checks: Object.fromEntries(configured) },
  });
  const backend = await openBackend({
    dir: dir === '' ? await tempDir() : dir,
    clock,
    batcher: { batchLimit: 1 },
    definitions: { checks },
    loadConfig: load,
  });
  let isStopped = false;
  const stop = async (): Promise<void> => {
    if (!isStopped) await backend.stop();
    isStopped = true;
  };
  onTestFinished(stop);
  const reloadWith = async (next: Checks): Promise<void> => {
    configured = next;
    await backend.reload();
  };
  return {
    clock,
    backend,
    api: openApiClient({ backend: backend.url }),
    v2: new V2Peer(backend.url),
    reloadWith,
    stop,
  };
}

const report = ({ api }: Rig, attributes: Partial<SubmittedResult> = {}): Promise<unknown> =>
  api.submitResult({ name: 'backup', output: 'done', status: 0, source: 'db-1', ...attributes });

function pass({ clock }: Rig, seconds: number): void {
  for (let passed = 0; passed < seconds; passed++) clock.advance(1000);
}

/**
 * Advances the clock past the TTL, and waits until an event is open.
 *
 * @returns the names of the checks with an open event
 */
async function staleChecks(rig: Rig): Promise<readonly string[]> {
  pass(rig, 60);
  return vi.waitFor(async () => {
    const events = await rig.api.events();
    expect(events).not.toEqual([]);
    return events.map(({ check }) => check.name);
  });
}

/** Waits until the TTL of the stored result is removed. */
async function expectRetired({ api }: Rig): Promise<void> {
  await vi.waitFor(async () => expect((await api.result('db-1', 'backup'))?.check).not.toHaveProperty('ttl'));
}

/** Advances the clock by five minutes, and returns the events that are then open. */
async function eventsLater(rig: Rig): Promise<readonly unknown[]> {
  for (let minute = 0; minute < 5; minute++) {
    pass(rig, 60);
    await report(rig, { name: 'other' });
  }
  return rig.api.events();
}

describe('a removed check definition', () => {
  test('a check that was removed from the configuration no longer opens a TTL event', async () => {
    const rig = await openRig(DEFINED);
    await report(rig);
    await rig.reloadWith(NONE);
    await expectRetired(rig);
    expect(await eventsLater(rig)).toEqual([]);
  });

  test('removing a check from the configuration resolves its open TTL event with a reason', async () => {
    const rig = await openRig(DEFINED);
    await report(rig);
    expect(await staleChecks(rig)).toEqual(['backup']);
    await rig.reloadWith(NONE);
    await vi.waitFor(async () => expect(await rig.api.events()).toEqual([]));
    await expectRetired(rig);
    expect((await rig.api.result('db-1', 'backup'))?.check).toMatchObject({
      status: 0,
      output: 'The definition of backup no longer has a ttl: its results are no longer expected',
      force_resolve: true,
    });
    expect(await eventsLater(rig)).toEqual([]);
  });

  test('removing a check from the configuration keeps the event of a problem that the check reported', async () => {
    const rig = await openRig(DEFINED);
    await report(rig, { status: 2, output: 'disk full' });
    await rig.reloadWith(NONE);
    await expectRetired(rig);
    pass(rig, 120);
    await report(rig, { name: 'other' });
    expect(await rig.api.events()).toMatchObject([{ check: { name: 'backup', output: 'disk full' }, occurrences: 1 }]);
  });

  test('the TTL event of a check that was removed while no backend was running resolves at the next start', async () => {
    const dir = await tempDir();
    const first = await openRig(DEFINED, { dir });
    await report(first);
    expect(await staleChecks(first)).toEqual(['backup']);
    await first.stop();
    const second = await openRig(NONE, { dir, clock: first.clock });
    await vi.waitFor(async () => expect(await second.api.events()).toEqual([]));
    expect(await eventsLater(second)).toEqual([]);
  });

  test('the TTL of a removed check that is defined again expires again', async () => {
    const rig = await openRig(DEFINED);
    await report(rig);
    await rig.reloadWith(NONE);
    await expectRetired(rig);
    await rig.reloadWith(DEFINED);
    await report(rig);
    expect(await staleChecks(rig)).toEqual(['backup']);
  });

  test('a result in transit does not restart the TTL of a removed check', async () => {
    const rig = await openRig(DEFINED);
    await report(rig);
    await rig.reloadWith(NONE);
    await expectRetired(rig);
    const v2 = { check: { metadata: { name: 'backup' }, status: 0, output: 'late', ttl: 60, issued: 1 } };
    const answer = await rig.v2.put('/namespaces/default/events/db-1/backup', {
      entity: { metadata: { name: 'db-1', namespace: 'default' } },
      ...v2,
    });
    expect(answer.status).toBe(201);
    pass(rig, 60);
    await expectRetired(rig);
    expect(await eventsLater(rig)).toEqual([]);
  });

  test('a later result of a removed check that has its own TTL can expire', async () => {
    const rig = await openRig(DEFINED);
    await report(rig);
    await rig.reloadWith(NONE);
    await expectRetired(rig);
    pass(rig, 1);
    await report(rig, { ttl: 60 });
    expect(await staleChecks(rig)).toEqual(['backup']);
  });
});

test('removing the TTL from a check definition resolves the TTL event of the last result', async () => {
  const rig = await openRig(DEFINED);
  await report(rig);
  expect(await staleChecks(rig)).toEqual(['backup']);
  await rig.reloadWith(WITHOUT_TTL);
  await vi.waitFor(async () => expect(await rig.api.events()).toEqual([]));
});

test('deleting a check over the v2 API ends the TTL of its results', async () => {
  const rig = await openRig(NONE);
  const check = { command: 'true', subscriptions: ['db'], interval: 3600, ttl: 3700, publish: false };
  const metadata = { name: 'backup', namespace: 'default' };
  expect((await rig.v2.post('/namespaces/default/checks', { ...check, metadata })).status).toBe(201);
  await report(rig);
  pass(rig, 3700);
  await vi.waitFor(async () => expect(await rig.api.events()).toHaveLength(1));
  expect((await rig.v2.delete('/namespaces/default/checks/backup')).status).toBe(204);
  await vi.waitFor(async () => expect(await rig.api.events()).toEqual([]));
  expect(await eventsLater(rig)).toEqual([]);
});

test('a check that is renamed in the configuration opens no TTL event under its old or its new name', async () => {
  const rig = await openRig(DEFINED);
  await report(rig);
  await rig.reloadWith(new Map([['dump', { command: 'true', subscribers: ['db'], interval: 3600, ttl: 60 }]]));
  await expectRetired(rig);
  await rig.api.renameCheck('backup', 'dump', false);
  expect(await eventsLater(rig)).toEqual([]);
});

test('a TTL that no definition set still expires when another definition is removed', async () => {
  const rig = await openRig(DEFINED);
  await report(rig, { name: 'cron', ttl: 60 });
  await rig.reloadWith(NONE);
  expect(await staleChecks(rig)).toEqual(['cron']);
});

test('results of standalone checks keep their TTL when a definition of the same name is removed', async () => {
  const rig = await openRig(DEFINED);
  await report(rig, { standalone: true, ttl: 60 });
  await rig.reloadWith(NONE);
  expect(await staleChecks(rig)).toEqual(['backup']);
});

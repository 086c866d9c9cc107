import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Backend } from '../../../../daemon/backend/compose.ts';
import { DiskGuard } from '../../../../daemon/backend/store/disk-guard.ts';
import { loadConfig } from '../../../../daemon/backend/config/load-config.ts';
import { openingReserveBytes } from '../../../../shared/domain/disk-space.ts';
import { AgentPeer } from '../../../support/agent-peer.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { openBackend } from '../../../support/open-backend.ts';
import { send, type Answer } from '../../../support/raw-http.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';
import { SmallDisk } from '../../../support/small-disk.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const MIB = 1024 * 1024;

interface Rig {
  readonly backend: Backend;
  readonly disk: SmallDisk;
  readonly log: RecordedLog;
  readonly clock: ManualClock;
  /** Sets the free space in MiB, and waits until the backend has checked it. */
  readonly hasFree: (mebibytes: number) => Promise<void>;
  readonly ask: (method: string, target: string, body?: unknown) => Promise<Answer>;
  /** Waits until all requests and writes in progress have ended. */
  readonly settle: () => Promise<void>;
}

async function open(free: number, dir?: string): Promise<Rig> {
  const disk = new SmallDisk(free * MIB);
  const clock = new ManualClock();
  const log = new RecordedLog();
  const backend = await openBackend({
    dir: dir ?? (await tempDir()),
    disk,
    clock,
    log,
    batcher: { lingerMs: 0 },
    definitions: { program: { ...(await loadConfig({ directories: [], env: {} })).program, 'disk-floor': 256 * MIB } },
  });
  onTestFinished(() => backend.stop());
  const ask: Rig['ask'] = async (method, target, body) => {
    const answer = send(backend.url, { method, target, body: body === undefined ? null : JSON.stringify(body) });
    let isAnswered = false;
    void answer.finally(() => (isAnswered = true));
    // The batch delay ends only when the manual clock advances.
    await vi.waitFor(() => {
      clock.advance(1);
      expect(isAnswered).toBe(true);
    });
    return await answer;
  };
  return {
    backend,
    disk,
    log,
    clock,
    ask,
    settle: async () => {
      for (let round = 0; round < 20; round++) await ask('GET', '/results');
    },
    hasFree: async (mebibytes) => {
      disk.free = mebibytes * MIB;
      const level = mebibytes >= 600 ? 'ok' : mebibytes >= 300 ? 'low' : mebibytes >= 128 ? 'refusing' : 'reserve';
      await vi.waitFor(async () => {
        clock.advance(1000);
        expect((await ask('GET', '/health?deep=1')).body).toMatchObject({ disk: { level } });
      });
    },
  };
}

const REFUSED =
  'the disk of /var/lib/mon has 200 MiB free, less than the floor of 256 MiB (disk-floor): new results and new entries ' +
  'are rejected; free some space; silences can still be cleared, events resolved and objects deleted';

const result = (name: string, status = 2): object => ({ source: 'web-1', name, output: 'o', status });

describe('a disk with less free space than disk-floor', () => {
  test('a backend below disk-floor rejects new results and objects, but not resolving, deleting or replacing', async () => {
    const { ask, hasFree } = await open(1000);
    await ask('POST', '/results', result('disk'));
    await ask('POST', '/results', result('load'));
    await ask('POST', '/silenced', { subscription: 'web' });
    await ask('POST', '/stash/a', {});
    await ask('POST', '/clients', { name: 'db-1', address: '192.0.2.1', subscriptions: [] });
    await hasFree(200);

    const refused = { status: 503, body: { error: REFUSED }, headers: { 'retry-after': '1' } };
    expect(await ask('POST', '/results', result('disk'))).toMatchObject(refused);
    expect(await ask('POST', '/api/mon/v1/results', [result('new')])).toMatchObject(refused);
    expect(await ask('POST', '/silenced', { subscription: 'other' })).toMatchObject(refused);
    expect(await ask('POST', '/stash/b', {})).toMatchObject(refused);
    expect(await ask('POST', '/clients', { name: 'db-2', address: '192.0.2.2', subscriptions: [] })).toMatchObject(
      refused,
    );
    const silence = { op: 'silence', subscription: 'another', reason: 'CHG-1' };
    expect(await ask('POST', '/api/mon/v1/bulk', { operations: [silence] })).toMatchObject(refused);

    expect(await ask('GET', '/events')).toMatchObject({ status: 200 });
    expect(await ask('POST', '/silenced', { subscription: 'web', reason: 'longer' })).toMatchObject({ status: 201 });
    expect(await ask('POST', '/stash/a', { new: true })).toMatchObject({ status: 201 });
    expect(await ask('POST', '/silenced/clear', { subscription: 'web' })).toMatchObject({ status: 204 });
    expect(await ask('POST', '/resolve', { client: 'web-1', check: 'disk' })).toMatchObject({ status: 202 });
    expect(await ask('DELETE', '/results/web-1/load')).toMatchObject({ status: 204 });
    expect(await ask('DELETE', '/stash/a')).toMatchObject({ status: 204 });
    expect(await ask('DELETE', '/clients/db-1')).toMatchObject({ status: 202 });
    expect(await ask('GET', '/clients/db-1')).toMatchObject({ status: 404 });
    expect(await ask('GET', '/events/web-1/disk')).toMatchObject({ status: 404 });

    await hasFree(1000);
    expect(await ask('POST', '/results', result('disk'))).toMatchObject({ status: 202 });
  });

  test('agents keep their results while the backend is below disk-floor and deliver them afterwards', async () => {
    const { backend, ask, hasFree, settle, clock } = await open(1000);
    const agent = await AgentPeer.connect(backend.url);
    onTestFinished(() => agent.cut());
    agent.greet();
    await vi.waitFor(() => {
      clock.advance(1);
      expect(agent.heard).toContainEqual(expect.objectContaining({ type: 'welcome' }));
    });
    await hasFree(200);
    agent.say({ type: 'results', results: [{ id: 1, check: { name: 'disk', output: 'o', status: 2 } }] });
    await settle();
    expect([agent.acked, agent.ending]).toEqual([0, undefined]);
    await hasFree(1000);
    await vi.waitFor(() => {
      clock.advance(1);
      expect(agent.acked).toBe(1);
    });
    expect(await ask('GET', '/events/web-1/disk')).toMatchObject({ status: 200 });
  });

  test('a TTL does not expire while results are rejected below disk-floor and shortly afterwards', async () => {
    const { ask, hasFree, settle, clock } = await open(1000);
    await ask('POST', '/results', { ...result('disk', 0), ttl: 10 });
    await hasFree(200);
    clock.advance(60_000);
    await hasFree(1000);
    clock.advance(20_000);
    await settle();
    expect((await ask('GET', '/events')).body).not.toContainEqual(
      expect.objectContaining({ check: expect.objectContaining({ name: 'disk' }) }),
    );
    clock.advance(30_000);
    await vi.waitFor(async () => {
      clock.advance(1000);
      expect(await ask('GET', '/events/web-1/disk')).toMatchObject({ status: 200 });
    });
  });
});

describe('the event about the disk', () => {
  test('the disk event opens as a warning, becomes critical, and resolves with the free space', async () => {
    const { ask, hasFree } = await open(1000);
    const event = async (): Promise<unknown[]> =>
      ((await ask('GET', '/events')).body as { check: { name: string; status: number; output: string } }[])
        .filter(({ check }) => check.name === 'mon.disk')
        .map(({ check: { status, output } }) => [status, output]);
    expect((await ask('GET', '/clients')).body).toEqual([]);
    await hasFree(400);
    const text =
      'the disk of /var/lib/mon has 400 MiB free: at the floor of 256 MiB (disk-floor) new results are rejected';
    await expect.poll(event).toEqual([[1, `${text}; free some space`]]);
    await hasFree(200);
    await expect
      .poll(event)
      .toEqual([[2, REFUSED.replace('; silences can still be cleared, events resolved and objects deleted', '')]]);
    await hasFree(1000);
    await expect.poll(event).toEqual([]);
  });

  test('the disk event of an earlier run resolves after a restart with enough free space', async () => {
    const dir = await tempDir();
    const first = await open(200, dir);
    await first.hasFree(200);
    await expect.poll(async () => (await first.ask('GET', '/events')).body).toHaveLength(1);
    await first.backend.stop();
    const { ask, clock } = await open(1000, dir);
    await vi.waitFor(async () => {
      clock.advance(1000);
      expect((await ask('GET', '/events')).body).toEqual([]);
    });
  });
});

test('deep health and the metrics contain the free space and the state of the disk', async () => {
  const { ask, hasFree } = await open(1000);
  expect(await ask('GET', '/health?deep=1')).toMatchObject({
    status: 200,
    body: { disk: { level: 'ok', free: 1000 * MIB, reserved: 0, floor: 256 * MIB } },
  });
  await hasFree(200);
  expect(await ask('GET', '/health?deep=1')).toMatchObject({
    status: 412,
    body: {
      problems: [REFUSED.replace('; silences can still be cleared, events resolved and objects deleted', '')],
      disk: { level: 'refusing' },
    },
  });
  const { text } = await ask('GET', '/metrics');
  expect(text).toContain(`mon_disk_free_bytes ${String(200 * MIB)}\n`);
  expect(text).toContain('mon_disk_writes_blocked 1\n');
});

describe('the disk reserve of a running backend', () => {
  test('the disk reserve is allocated after the start and released when the disk is almost full', async () => {
    const { disk, clock, hasFree, log } = await open(1000);
    await hasFree(1000);
    expect(disk.done).toEqual([]);
    clock.advance(30_000);
    await hasFree(1000);
    expect(disk.done).toEqual([`set aside ${String(128 * MIB)}`]);
    await hasFree(200);
    expect(disk.reserved).toBe(128 * MIB);
    await hasFree(50);
    expect([disk.reserved, disk.done.at(-1)]).toEqual([0, 'given out']);
    expect(log.messages('warn')).toContain(
      'disk is full: the reserve file was deleted to keep the backend running; free some space',
    );
    await hasFree(700);
    expect(disk.reserved).toBe(128 * MIB);
  });

  test('the disk reserve is released before the store opens if the disk is full at the start', async () => {
    const dir = await tempDir();
    const disk = new SmallDisk(10 * MIB);
    disk.reserved = 128 * MIB;
    const backend = await openBackend({
      dir,
      disk,
      around: (store) => {
        disk.done.push('opened');
        return store;
      },
    });
    onTestFinished(() => backend.stop());
    expect(disk.done).toEqual(['given out', 'opened']);
  });
});

describe('the disk reserve for the next start', () => {
  test('the disk reserve for the next start is never released by a running backend', async () => {
    const { disk, hasFree } = await open(1000);
    await hasFree(1000);
    await vi.waitFor(async () => {
      await hasFree(1000);
      expect(disk.reservedForOpening).toBe(openingReserveBytes(256 * MIB));
    });
    await hasFree(10);
    expect([disk.reserved, disk.reservedForOpening]).toEqual([0, openingReserveBytes(256 * MIB)]);
  });

  test.each([
    { free: 10, left: 0, when: 'the disk is too full for the store to be opened' },
    { free: 100, left: openingReserveBytes(256 * MIB), when: 'the store can be opened without the reserve' },
  ])('a starting backend keeps $left bytes of the reserve for the start if $when', async ({ free, left }) => {
    const disk = new SmallDisk(free * MIB);
    disk.reservedForOpening = openingReserveBytes(256 * MIB);
    const guard = new DiskGuard({
      disk,
      floorBytes: () => 256 * MIB,
      clock: new ManualClock(),
      log: new RecordedLog(),
    });
    await guard.checkFreeSpace();
    expect(disk.reservedForOpening).toBe(left);
  });

  test('the reserve for the next start is allocated again when 1.5 times its size is free', async () => {
    const disk = new SmallDisk(10 * MIB);
    disk.reservedForOpening = openingReserveBytes(256 * MIB);
    const clock = new ManualClock();
    const guard = new DiskGuard({ disk, floorBytes: () => 256 * MIB, clock, log: new RecordedLog() });
    await guard.checkFreeSpace();
    clock.advance(60_000);
    await guard.checkFreeSpace();
    expect(disk.reservedForOpening).toBe(0);
    disk.free = 1.5 * openingReserveBytes(256 * MIB);
    await guard.checkFreeSpace();
    expect(disk.reservedForOpening).toBe(openingReserveBytes(256 * MIB));
  });
});

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openServiceManager, type ServiceManager } from '../../../daemon/service/service-manager.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { RecordedLog } from '../../support/recorded-log.ts';
import { tempDir } from '../../support/temp-dir.ts';

interface Rig {
  readonly manager: ServiceManager;
  readonly clock: ManualClock;
  readonly log: RecordedLog;
  /** Returns the messages that the service manager has received so far. */
  readonly notifications: () => Promise<readonly string[]>;
}

/** Opens a rig with a `systemd-notify` that records its environment and arguments. */
async function openRig(env: Readonly<Record<string, string>> = {}): Promise<Rig> {
  const dir = await tempDir();
  const file = join(dir, 'notifications');
  await writeFile(file, '');
  const program = `#!/bin/sh\nprintf '%s %s\\n' "$NOTIFY_SOCKET" "$*" >>${file}\n`;
  await writeFile(join(dir, 'systemd-notify'), program, { mode: 0o755 });
  const clock = new ManualClock();
  const log = new RecordedLog();
  const manager = openServiceManager({
    env: { PATH: `${dir}:${process.env['PATH'] ?? ''}`, NOTIFY_SOCKET: '/run/notify', ...env },
    clock,
    log,
  });
  onTestFinished(() => manager[Symbol.dispose]());
  return { manager, clock, log, notifications: async () => (await readFile(file, 'utf8')).split('\n').slice(0, -1) };
}

test('the service manager gets the address, the start and the stop of the program, in this order', async () => {
  const { manager, notifications } = await openRig();
  manager.ready('serving at http://127.0.0.1:4567 $(true) `true`');
  manager.stopping();
  await vi.waitFor(async () => expect(await notifications()).toHaveLength(3));
  expect(await notifications()).toEqual([
    '/run/notify STATUS=serving at http://127.0.0.1:4567 $(true) `true`',
    '/run/notify READY=1',
    '/run/notify STOPPING=1',
  ]);
});

test('the watchdog of the service manager is notified three times within its timeout', async () => {
  const { clock, notifications } = await openRig({ WATCHDOG_USEC: '120000000', WATCHDOG_PID: String(process.pid) });
  clock.advance(120_000);
  await vi.waitFor(async () => expect(await notifications()).toEqual(Array(3).fill('/run/notify WATCHDOG=1')));
});

test.each<{ readonly name: string; readonly env: Readonly<Record<string, string>> }>([
  { name: 'of another process', env: { WATCHDOG_USEC: '120000000', WATCHDOG_PID: '1' } },
  { name: 'with a timeout of 0', env: { WATCHDOG_USEC: '0' } },
])('a systemd watchdog $name is not notified', async ({ env }) => {
  const { manager, clock, notifications } = await openRig(env);
  clock.advance(600_000);
  manager.ready('serving');
  await vi.waitFor(async () => expect(await notifications()).toHaveLength(2));
});

test('the program sends nothing to the service manager if NOTIFY_SOCKET is not set', async () => {
  const { manager, notifications, log } = await openRig({ NOTIFY_SOCKET: '' });
  manager.ready('serving');
  manager.stopping();
  expect(await notifications()).toEqual([]);
  expect(log.records).toEqual([]);
});

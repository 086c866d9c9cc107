/** @module-tag slow */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freePort } from '../../scripts/lib/free-port.ts';
import { MIGRATIONS, schemaAfterMigrations } from '../../daemon/backend/store/migrations/list.ts';
import { openUpgradeClient } from '../../shared/client/plan-client.ts';
import { contentOf, earlierStore } from '../support/earlier-stores.ts';
import { builtPrograms } from '../support/built-programs.ts';
import { Pty } from '../support/pty.ts';
import { startDaemon } from '../support/start-daemon.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const BUILT = builtPrograms();

const CTRL_S = '\u0013';
const CTRL_U = '\u0015';

test('an upgrade in the console fixes a blocking finding, makes a backup, survives a restart and migrates the store', async () => {
  const dir = await earlierStore({ schema: 2, checks: { gone: ['db', 'web'] } });
  await using first = await startDaemon({ stateDir: dir, port: await freePort() });
  const upgrades = openUpgradeClient({ backend: first.url });
  const states = async (): Promise<Readonly<Record<string, string>>> =>
    Object.fromEntries((await upgrades.plan(1))?.steps.map(({ id, state }) => [id, state]) ?? []);
  await using pty = new Pty(process.execPath, [join(BUILT, 'mon.js'), '--backend', first.url], {
    cwd: ROOT,
    env: { USER: 'alice' },
  });
  /** Waits until this step is the current one and the cursor is on it. */
  const turnOf = (number: number, title: string): Promise<void> =>
    pty.waitForText(new RegExp(`> › +${String(number)} +${title}`));
  const isDone = (number: number): Promise<void> => pty.waitForText(new RegExp(`✓ +${String(number)} .* done`));
  /** Confirms a manual step, as an operator does after carrying it out. */
  const byHand = async (number: number, title: string): Promise<void> => {
    await turnOf(number, title);
    pty.write('\r');
    await pty.waitForText('do this step, then confirm with Enter');
    pty.write('\r');
    await pty.waitForText('[[ Cancel ]]   [ Yes, it is done ]');
    pty.write('\t\r');
    await isDone(number);
  };
  /** Runs a step that the backend executes, and confirms it. */
  const byBackend = async (number: number, title: string): Promise<void> => {
    await turnOf(number, title);
    pty.write('\r');
    await pty.waitForText(`[[ Run step ${String(number)} ]]`);
    pty.write('\r');
    await isDone(number);
  };

  await pty.waitForText('LIVE');
  pty.write('7n');
  await pty.waitForText('New upgrade plan');
  pty.write(`${CTRL_U}6.1.0\t6.5.0${CTRL_S}`);
  await pty.waitForText('UPGRADE 6.1.0 → 6.5.0');
  await pty.waitForText('(this console)');

  // The pre-flight checks name the problem that blocks the upgrade, and how to fix it.
  await turnOf(1, 'Run the pre-flight checks');
  pty.write('\r');
  await isDone(1);
  await pty.waitForText('later steps will fix: 6.2.0-namespaces');
  expect(await states()).toMatchObject({ rules: 'done' });
  pty.write('d');
  await pty.waitForText('the namespace gone does not exist, but has checks: db, web');
  await pty.waitForText('→ monctl check delete db --namespace gone --skip-confirm');
  pty.write('q');

  // To confirm the fix, the operator must type the name of the namespace.
  await turnOf(2, 'Delete 2 checks');
  pty.write('\r');
  await pty.waitForText('This cannot be undone');
  pty.write(`go${CTRL_S}`);
  await pty.waitForText('type "gone" exactly to confirm; Esc cancels');
  pty.write(`ne${CTRL_S}`);
  await isDone(2);
  await pty.waitForText('deleted 2 checks of gone');
  expect(await upgrades.facts()).toMatchObject({ namespaces: ['default'], checks: [] });
  await turnOf(3, '');
  pty.write('X');
  await pty.waitForText('Skip step 3');
  pty.write(`no TLS here${CTRL_S}`);
  await pty.waitForText(/- +3 .* skipped/);

  await byBackend(4, 'Back up the store');
  const { backup } = (await upgrades.plan(1)) ?? {};
  expect(await readdir(backup ?? '')).toContain('manifest.json');
  await byHand(5, 'Install the packages');
  await byHand(6, 'Reload the systemd units');
  await byHand(7, 'Restart the agents');

  // The plan and its owner survive a restart, and the console reconnects by itself.
  await turnOf(8, 'Restart the backend');
  pty.write('\r');
  await pty.waitForText('$ systemctl restart mon-backend');
  // Wait until the backend has recorded that the step is in progress: only then can the operator confirm it after the
  // restart.
  await pty.waitForText('Restart the backend: do this step, then confirm with Enter');
  await first.end('SIGTERM');
  await pty.waitForText('DISCONNECTED');
  await using second = await startDaemon({ stateDir: dir, port: Number(new URL(first.url).port) });
  pty.write('R');
  await pty.waitForText('● LIVE');
  await pty.waitForText('(this console)');
  pty.write('\r');
  await pty.waitForText('[[ Cancel ]]   [ Yes, it is done ]');
  pty.write('\t\r');
  await isDone(8);

  await turnOf(9, 'Repeat the pre-flight checks');
  pty.write('\r');
  await isDone(9);
  await turnOf(10, 'Upgrade the database');
  // A second operator watches: that console shows every change, but its keys change nothing.
  await using watcher = new Pty(process.execPath, [join(BUILT, 'mon.js'), '--backend', first.url], { cwd: ROOT });
  await watcher.waitForText('LIVE');
  watcher.write('7');
  await watcher.waitForText(/owner: local administrator +/);
  watcher.write('\r');
  await watcher.waitForText('local administrator owns the plan: press Y to take ownership');
  pty.write('\r');
  await pty.waitForText('Except by restoring the backup (Z)');
  pty.write(`6.5.0${CTRL_S}`);
  await pty.waitForText(`upgraded the database from schema 2 to ${String(schemaAfterMigrations(MIGRATIONS))}`);
  await watcher.waitForText(/✓ +10 .* done/);
  expect(watcher.screen.text).not.toContain('(this console)');
  await turnOf(11, 'Compare the versions');
  pty.write('\r');
  await isDone(11);
  await turnOf(12, 'Count the entities');
  pty.write('\r');
  await pty.waitForText('✓ upgrade complete');
  expect(await upgrades.plan(1)).toMatchObject({ state: 'done', holder: null, backup });
  pty.write('q');
  expect(await pty.exited).toEqual({ exitCode: 0, signal: 0 });

  await second.end('SIGTERM');
  const keys = (await contentOf(dir)).map(([key]) => key.join('/'));
  expect(keys).toContain('upgrade/1');
  expect(keys.filter((key) => key.includes('gone'))).toEqual([]);
});

/** @module-tag slow */
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LOCAL_ACCESS_FILE } from '../../../../../shared/client/local-access.ts';
import { openSchema } from '../../../../../daemon/backend/store/open-schema.ts';
import {
  besidesId,
  checkRecordsOf,
  contentOf,
  earlierStore,
  upgradeStore,
} from '../../../../support/earlier-stores.ts';
import { startDaemon } from '../../../../support/start-daemon.ts';
import { tempDir } from '../../../../support/temp-dir.ts';
import { runUpgradeProgram, type UpgradeProgram } from '../../../../support/upgrade-program.ts';

const messagesOf = ({ records }: UpgradeProgram): string[] => records.map(({ message }) => message);

/** One test covers the steps of an operator in sequence, so that few processes are started. */
test('an operator can preview, decline, confirm, repeat and revert an upgrade', async () => {
  const dir = await earlierStore({ schema: 1 });
  const before = await contentOf(dir);

  const look = runUpgradeProgram(['upgrade', '--state-dir', dir, '--dry-run']);
  expect(await look.ended).toEqual({ code: 0, stderr: '' });
  expect(messagesOf(look)[0]).toBe('the database has schema 1, an upgrade would bring it to 5:');

  const no = await runUpgradeProgram(['upgrade', '--state-dir', dir], { stdin: 'n\n' }).ended;
  expect(no.code).toBe(1);
  expect(no.stderr).toMatch(/^Are you sure .* database! \[y\/N\] mon-backend: upgrade aborted by operator\n$/);
  expect(await contentOf(dir)).toEqual(before);

  const yes = runUpgradeProgram(['upgrade', '--state-dir', dir], { stdin: 'y\n' });
  expect(await yes.ended).toMatchObject({ code: 0 });
  expect(yes.records).toMatchObject([
    { level: 'warn', message: 'migrating embedded database to a new version', component: 'backend' },
    { level: 'info', message: 'backup taken and verified' },
    { level: 'info', message: 'successfully upgraded database', database_version: 5 },
  ]);

  // The upgrade ignores the settings `log` and `log-level`, which are for the backend.
  const settings = join(await tempDir(), 'backend.yml');
  await writeFile(settings, `log: /dev/null\nlog-level: error\nstate-dir: ${dir}\n`);
  const again = runUpgradeProgram(['upgrade', '-c', settings]);
  expect(await again.ended).toEqual({ code: 0, stderr: '' });
  expect(again.records).toMatchObject([{ level: 'info', message: 'database already up to date', database_version: 5 }]);

  const [backup = ''] = await readdir(join(dir, 'backups'));
  const back = ['restore-backup', join(dir, 'backups', backup), '--state-dir', dir, '--skip-confirm', '--no-backup'];
  expect(await runUpgradeProgram(back).ended).toEqual({ code: 0, stderr: '' });
  expect(besidesId(await contentOf(dir))).toEqual(besidesId(before));
});

test('an upgrade of a store that a backend uses is done by that backend', async () => {
  const dir = await earlierStore({ schema: 2 });
  await using daemon = await startDaemon({ stateDir: dir });
  const upgrade = (): UpgradeProgram => runUpgradeProgram(['upgrade', '--state-dir', dir, '--skip-confirm']);
  const first = upgrade();
  expect(await first.ended).toEqual({ code: 0, stderr: '' });
  expect(messagesOf(first)).toEqual([
    'the store is in use by a running backend: that backend upgrades it',
    'migrating embedded database to a new version',
    'successfully upgraded database',
  ]);
  const again = upgrade();
  expect(await again.ended).toEqual({ code: 0, stderr: '' });
  expect(messagesOf(again).at(-1)).toBe('database already up to date');

  await rm(join(dir, LOCAL_ACCESS_FILE));
  const held = await upgrade().ended;
  expect(held.code).toBe(2);
  expect(held.stderr).toContain(`in use by process ${String(daemon.pid)} on `);
});

test('an upgrade through a running backend reports the obstacles', async () => {
  const dir = await earlierStore({ schema: 2, checks: { gone: ['disk'] } });
  await using daemon = await startDaemon({ stateDir: dir });
  const asked = runUpgradeProgram(['upgrade', '--through', daemon.url, '--skip-confirm']);
  const { code, stderr } = await asked.ended;
  expect(code).toBe(2);
  expect(stderr).toContain('  monctl namespace create gone\n');
  expect(asked.records).toMatchObject([
    { level: 'warn', message: 'migrating embedded database to a new version' },
    {
      level: 'error',
      message: 'error enabling round robin scheduling,backend restart required',
      component: 'store-providers',
      error: 'the namespace gone does not exist',
    },
    { level: 'error', message: 'error upgrading database' },
  ]);
});

test.each([
  {
    name: 'a timeout in fractions of a second',
    args: ['upgrade', '--timeout', '0.5'],
    stderr: /--timeout must be a whole number of seconds/,
  },
  {
    name: 'two backups',
    args: ['restore-backup', 'a', 'b'],
    stderr: /missing argument: use mon-backend restore-backup/,
  },
])('mon-backend upgrade with wrong usage exits with 2 and a reason: $name', async ({ args, stderr }) => {
  const ended = await runUpgradeProgram(args).ended;
  expect(ended).toEqual({ code: 2, stderr: expect.stringMatching(stderr) });
});

test('an upgrade that a full disk stopped completes when there is space again', async () => {
  const size = { schema: 1, clients: 80, checksEach: 100 } as const;
  const [dir, clean] = await Promise.all([earlierStore(size), earlierStore(size)]);
  await upgradeStore(clean);
  const args = ['upgrade', '--state-dir', dir, '--skip-confirm', '--no-backup'];
  // No file may exceed 2048 blocks, which are one or two MiB depending on the shell; the log reaches that after some
  // batches.
  const full = runUpgradeProgram(args, { blocksMax: 2048 });
  const { code, stderr } = await full.ended;
  expect(code).toBe(1);
  expect(stderr).toMatch(/migration 2 \(check records\) of the store in .* failed: .*File too large/);
  expect(messagesOf(full)).toEqual(['migrating embedded database to a new version', 'error upgrading database']);

  const halfway = (await checkRecordsOf(dir)).map(([, value]) => value.startsWith('{"history":{'));
  expect(new Set(halfway)).toEqual(new Set([true, false]));
  await (await openSchema(dir))[Symbol.asyncDispose]();

  expect(await runUpgradeProgram(args).ended).toEqual({ code: 0, stderr: '' });
  expect(await contentOf(dir)).toEqual(await contentOf(clean));
});

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { openSchema } from '../../../../../daemon/backend/store/open-schema.ts';
import { encodeTuple } from '../../../../../daemon/backend/store/tuple.ts';
import { commandRig, FLAGS, loggedRecords, upgradeDir } from '../../../../support/command-rig.ts';
import { contentOf, earlierStore, onClosed, upgradeStore } from '../../../../support/earlier-stores.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import { tempDir } from '../../../../support/temp-dir.ts';
import type { Database } from '../../../../../daemon/backend/store/database.ts';

const QUESTION =
  'Are you sure you want to upgrade your embedded database? This operation cannot be undone; make sure you back up your database!';

test('an upgrade asks for confirmation, takes a backup, upgrades, and logs the messages of Sensu Go', async () => {
  const dir = await earlierStore({ schema: 1 });
  const before = await contentOf(dir);
  const rig = commandRig();
  await upgradeDir(dir, FLAGS, rig);
  expect(rig.questions).toEqual([QUESTION]);
  expect(loggedRecords(rig.log)).toEqual([
    ['warn', 'migrating embedded database to a new version', { database_version: 1, new_version: 5 }],
    ['info', 'backup taken and verified', {}],
    ['info', 'successfully upgraded database', { database_version: 5 }],
  ]);
  const [backup = ''] = await readdir(join(dir, 'backups'));
  expect(await contentOf(join(dir, 'backups', backup, 'store'))).toEqual(before);
  const clean = await earlierStore({ schema: 1 });
  await upgradeStore(clean);
  expect(await contentOf(dir)).toEqual(await contentOf(clean));
});

test('a second upgrade reports that the store is up to date and asks for no confirmation', async () => {
  const dir = await earlierStore({ schema: 2 });
  await upgradeDir(dir, { ...FLAGS, skipConfirm: true }, commandRig());
  const after = await contentOf(dir);
  const rig = commandRig({ answer: false });
  await upgradeDir(dir, FLAGS, rig);
  expect(loggedRecords(rig.log)).toEqual([['info', 'database already up to date', { database_version: 5 }]]);
  expect(rig.questions).toEqual([]);
  expect(await contentOf(dir)).toEqual(after);
  expect(await readdir(join(dir, 'backups'))).toHaveLength(1);
});

describe('upgrades that change nothing', () => {
  test('an upgrade that the operator declines changes nothing', async () => {
    const dir = await earlierStore({ schema: 1 });
    const before = await contentOf(dir);
    const rig = commandRig({ answer: false });
    await expect(upgradeDir(dir, FLAGS, rig)).rejects.toMatchObject({
      code: 'unavailable',
      message: 'upgrade aborted by operator',
    });
    expect(rig.log.records).toEqual([]);
    expect(await contentOf(dir)).toEqual(before);
  });

  test('an upgrade of a store with checks of a missing namespace changes nothing and prints a remedy', async () => {
    const dir = await earlierStore({ schema: 1, checks: { gone: ['disk'] } });
    const before = await contentOf(dir);
    for (let run = 0; run < 2; run++) {
      const rig = commandRig();
      const upgrade = upgradeDir(dir, { ...FLAGS, skipConfirm: true }, rig);
      await expect(upgrade).rejects.toMatchObject({ code: 'conflict' });
      const wayOut = [
        'the namespace gone does not exist, and checks refer to it; nothing was changed. To fix this, run:',
        '  monctl namespace create gone',
        '  monctl check delete disk --namespace gone --skip-confirm',
        '  monctl namespace delete gone --skip-confirm',
        '  mon-backend upgrade',
      ].join('\n');
      await expect(upgrade).rejects.toThrow(wayOut);
      expect(loggedRecords(rig.log)).toEqual([
        ['warn', 'migrating embedded database to a new version', { database_version: 1, new_version: 5 }],
        [
          'error',
          'error enabling round robin scheduling,backend restart required',
          { component: 'store-providers', error: 'the namespace gone does not exist' },
        ],
        ['error', 'error upgrading database', { error: wayOut }],
      ]);
    }
    expect(await contentOf(dir)).toEqual(before);
    expect(await readdir(dir)).not.toContain('backups');
  });

  test('a dry run of an upgrade changes nothing and prints what would be done', async () => {
    const dir = await earlierStore({ schema: 1, clients: 200, checks: { default: ['disk'] } });
    const before = await contentOf(dir);
    const rig = commandRig();
    await upgradeDir(dir, { ...FLAGS, dryRun: true }, rig);
    expect(rig.printed.join('')).toBe(
      'the database has schema 1, an upgrade would bring it to 5:\n' +
        '  to 2: check records, 1,600 entries\n' +
        '  to 3: check configurations, 1 entries\n' +
        '  to 4: results stored as differences, 0 entries\n' +
        '  to 5: notification log, 1,600 entries\n',
    );
    expect([rig.questions, rig.log.records]).toEqual([[], []]);
    expect(await contentOf(dir)).toEqual(before);
  });

  test('a dry run of an upgrade fails if there is an obstacle', async () => {
    const dir = await earlierStore({ schema: 2, checks: { gone: ['disk'] } });
    const rig = commandRig();
    await expect(upgradeDir(dir, { ...FLAGS, dryRun: true }, rig)).rejects.toThrow('the namespace gone does not');
    expect(rig.printed.join('')).toContain('an upgrade would bring it to 5');
  });

  test('an upgrade of a store in use is rejected, and the error names the process and an alternative', async () => {
    const dir = await earlierStore({ schema: 1 });
    await using holder = await openSchema(dir);
    await expect(upgradeDir(dir, FLAGS, commandRig())).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(
        new RegExp(
          `in use by process ${String(process.pid)} on .*; stop that process first.*; or upgrade the store through the running backend, with --through URL$`,
        ),
      ),
    });
    expect(holder.schema.version).toBe(1);
  });
});

test.each<{ name: string; damage: (database: Database) => Promise<void> }>([
  { name: 'the namespace is created', damage: (database) => database.put(encodeTuple(['namespace', 'gone']), '{}') },
  {
    name: 'the check is deleted',
    damage: (database) => database.del(encodeTuple(['definition', 'checks', 'gone', 'disk'])),
  },
])('an upgrade with a check of a missing namespace succeeds once $name', async ({ damage }) => {
  const dir = await earlierStore({ schema: 2, checks: { gone: ['disk'] } });
  await onClosed(dir, damage);
  const rig = commandRig();
  await upgradeDir(dir, { ...FLAGS, skipConfirm: true }, rig);
  expect(rig.log.messages('info').at(-1)).toBe('successfully upgraded database');
});

describe('the backup of an upgrade', () => {
  test('the backup of an upgrade is written into the requested directory', async () => {
    const dir = await earlierStore({ schema: 2 });
    const place = join(await tempDir(), 'copy');
    await upgradeDir(dir, { ...FLAGS, backup: { dir: place } }, commandRig());
    expect(await readdir(place)).toEqual(['manifest.json', 'store']);
    expect(await readdir(dir)).not.toContain('backups');
  });

  test('an upgrade takes no backup if the operator turns the backup off', async () => {
    const dir = await earlierStore({ schema: 2 });
    await upgradeDir(dir, { ...FLAGS, backup: false }, commandRig());
    expect(await readdir(dir)).not.toContain('backups');
  });

  test('an upgrade whose backup fails does not start', async () => {
    const dir = await earlierStore({ schema: 2, checks: { default: ['disk'] } });
    const before = await contentOf(dir);
    const upgrade = upgradeDir(dir, { ...FLAGS, backup: { dir: '/dev/null/copy' } }, commandRig());
    await expect(upgrade).rejects.toThrow('the backup into /dev/null/copy failed');
    expect(await contentOf(dir)).toEqual(before);
  });
});

test('an upgrade that exceeds --timeout stops, and the next upgrade continues it', async () => {
  const dir = await earlierStore({ schema: 1, clients: 100, checksEach: 50 });
  const clock = new ManualClock();
  const rig = commandRig({ clock });
  // The message about the backup advances the clock, as if the backup took ten seconds.
  vi.spyOn(rig.log, 'info').mockImplementation(() => clock.advance(10_000));
  await expect(upgradeDir(dir, { ...FLAGS, timeout: 10 }, rig)).rejects.toMatchObject({
    code: 'unavailable',
    message: 'the upgrade took longer than 10 seconds and was stopped; run it again to continue',
  });
  // The progress is logged every five seconds, which is twice here.
  expect(rig.log.messages('warn')).toEqual([
    'migrating embedded database to a new version',
    'upgrading database',
    'upgrading database',
  ]);
  expect(rig.log.messages('error')).toEqual(['error upgrading database']);
  const again = commandRig();
  await upgradeDir(dir, FLAGS, again);
  expect(again.log.messages('info').at(-1)).toBe('successfully upgraded database');
});

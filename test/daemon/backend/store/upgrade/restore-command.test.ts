import { readdir, writeFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SCHEMA_VERSION } from '../../../../../daemon/backend/store/keys.ts';
import { openSchema } from '../../../../../daemon/backend/store/open-schema.ts';
import { encodeTuple } from '../../../../../daemon/backend/store/tuple.ts';
import { restoreCommand } from '../../../../../daemon/backend/store/upgrade/restore-command.ts';
import { commandRig, FLAGS, upgradeDir } from '../../../../support/command-rig.ts';
import { besidesId, contentOf, earlierStore, onClosed } from '../../../../support/earlier-stores.ts';
import { tempDir } from '../../../../support/temp-dir.ts';

/** Upgrades a store, and returns its directory, its earlier content and the path of the backup. */
async function upgradedStore(): Promise<{
  dir: string;
  before: Awaited<ReturnType<typeof contentOf>>;
  backup: string;
}> {
  const dir = await earlierStore({ schema: 1 });
  const before = await contentOf(dir);
  await upgradeDir(dir, FLAGS, commandRig());
  const [name = ''] = await readdir(join(dir, 'backups'));
  return { dir, before, backup: join(dir, 'backups', name) };
}

test('restoring the backup of an upgrade reverts the upgrade, and backs up the replaced store first', async () => {
  const { dir, before, backup } = await upgradedStore();
  const after = await contentOf(dir);
  const rig = commandRig();
  await restoreCommand(backup, dir, FLAGS, rig);
  expect(rig.questions).toEqual([
    expect.stringMatching(
      `^Are you sure you want to replace everything that is stored in ${dir} by the backup of .*, with schema 1\\?$`,
    ),
  ]);
  expect(rig.log.messages('info')).toEqual(['backup taken and verified', 'successfully restored database']);
  expect(besidesId(await contentOf(dir))).toEqual(besidesId(before));
  const [, replaced = ''] = (await readdir(join(dir, 'backups'))).toSorted((a, b) => a.length - b.length);
  expect(replaced).toMatch(/-schema-5-before-restore$/);
  expect(await contentOf(join(dir, 'backups', replaced, 'store'))).toEqual(after);
});

test('restoring into a new directory asks for no confirmation', async () => {
  const { before, backup } = await upgradedStore();
  const dir = join(await tempDir(), 'moved');
  const rig = commandRig({ answer: false });
  await restoreCommand(backup, dir, FLAGS, rig);
  expect(rig.questions).toEqual([]);
  expect(besidesId(await contentOf(dir))).toEqual(besidesId(before));
});

test('an earlier version can restore its backup over a store that a later version has upgraded', async () => {
  const { dir, before, backup } = await upgradedStore();
  await onClosed(dir, (database) => database.put(encodeTuple(SCHEMA_VERSION), '99'));
  await restoreCommand(backup, dir, { ...FLAGS, skipConfirm: true }, commandRig());
  expect(besidesId(await contentOf(dir))).toEqual(besidesId(before));
  expect(await readdir(join(dir, 'backups'))).toContainEqual(expect.stringMatching(/-schema-99-before-restore$/));
});

describe('restores that change nothing', () => {
  test('a restore that the operator declines changes nothing', async () => {
    const { dir, backup } = await upgradedStore();
    const after = await contentOf(dir);
    await expect(restoreCommand(backup, dir, FLAGS, commandRig({ answer: false }))).rejects.toThrow(
      'restore aborted by operator',
    );
    expect(await contentOf(dir)).toEqual(after);
  });

  test('a restore of a damaged backup changes nothing', async () => {
    const { dir, backup } = await upgradedStore();
    const after = await contentOf(dir);
    await onClosed(join(backup, 'store'), (database) => database.put('~', '1'));
    await expect(restoreCommand(backup, dir, FLAGS, commandRig())).rejects.toThrow('is damaged: ');
    expect(await contentOf(dir)).toEqual(after);
  });

  test('restoring a backup of a later version changes nothing', async () => {
    const { dir, backup } = await upgradedStore();
    const after = await contentOf(dir);
    const file = join(backup, 'manifest.json');
    await writeFile(file, (await readFile(file, 'utf8')).replace('"schema": 1', '"schema": 99'));
    await expect(restoreCommand(backup, dir, FLAGS, commandRig())).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringMatching(
        /has schema 99, but this version of mon supports at most 5: use the version that created the backup/,
      ),
    });
    expect(await contentOf(dir)).toEqual(after);
  });

  test('a restore is rejected while a backend uses the store', async () => {
    const { dir, backup } = await upgradedStore();
    await using holder = await openSchema(dir);
    await expect(restoreCommand(backup, dir, FLAGS, commandRig())).rejects.toMatchObject({ code: 'conflict' });
    expect(holder.schema.version).toBe(5);
  });
});

import { cp, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  backUp,
  backupDir,
  backupProblem,
  readBackup,
  verifyBackup,
  type Backup,
} from '../../../../daemon/backend/store/backup.ts';
import { closeDatabase, openDatabase } from '../../../../daemon/backend/store/open-database.ts';
import { openSchema } from '../../../../daemon/backend/store/open-schema.ts';
import { openLevelStore } from '../../../../daemon/backend/store/level-store.ts';
import { isRestorable, restoreBackup } from '../../../../daemon/backend/store/restore-backup.ts';
import { besidesId, contentOf, earlierStore, emptyDatabase, onClosed } from '../../../support/earlier-stores.ts';
import { put } from '../../../support/store-contract.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const BUFFER_BYTES = 1024 * 1024;
const neverAborted = new AbortController().signal;

/** Creates a store of schema 1 and a backup of it. */
async function aBackup(): Promise<{ backup: Backup; dir: string }> {
  const dir = await earlierStore({ schema: 1 });
  const { dir: place } = await (async () => {
    await using opened = await openSchema(dir);
    return await opened.schema.backUp({ signal: neverAborted });
  })();
  return { dir, backup: await readBackup(place) };
}

test('a backup is a private directory that is named by its time and schema', async () => {
  expect(backupDir('/var/lib/mon', 1, new Date('2026-11-21T20:17:00.123Z'))).toBe(
    '/var/lib/mon/backups/20261121T201700.123Z-schema-1',
  );
  const { backup, dir } = await aBackup();
  expect(backup.dir).toMatch(/\/backups\/\d{8}T\d{6}\.\d{3}Z-schema-1$/);
  expect((await stat(backup.dir)).mode & 0o777).toBe(0o700);
  const content = await contentOf(dir);
  expect(await contentOf(join(backup.dir, 'store'))).toEqual(content);
  expect(backup.manifest).toMatchObject({
    format: 1,
    store: '11111111-2222-3333-4444-555555555555',
    schema: 1,
    entries: content.length,
  });
  expect(await readdir(join(dir, 'backups'))).toHaveLength(1);
});

test('a backup contains the store as it was between two writes, even if writes continue', async () => {
  const dir = await earlierStore({ schema: 2, clients: 40, checksEach: 50 });
  const store = await openLevelStore(dir);
  onTestFinished(() => store.close());
  const lease = await store.acquire('main', 30_000);
  const first = store.lastSeq('main') + 1;
  const taking = store.schema.backUp({ signal: neverAborted });
  for (let at = 0; at < 30; at++) {
    const value = String(at);
    await store.write(lease, [put(['left', at], value), put(['right', at], value)], []);
  }
  const { dir: place } = await taking;
  const copied = await contentOf(join(place, 'store'));
  const numbers = (table: string): unknown[] => copied.filter(([key]) => key[0] === table).map(([key]) => key[1]);
  const last = Number(copied.find(([key]) => key.join('/') === '0/seq/main')?.[1]);
  expect(numbers('left')).toEqual(Array.from({ length: last + 1 - first }, (_, at) => at));
  expect(numbers('right')).toEqual(numbers('left'));
});

describe('a failed backup', () => {
  test('a backup into an existing directory is rejected and changes nothing', async () => {
    const { dir, backup } = await aBackup();
    await using opened = await openSchema(dir);
    await expect(opened.schema.backUp({ dir: backup.dir, signal: neverAborted })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('already exists: set another directory with --backup-dir'),
    });
  });

  test('a backup into a directory without write permission fails and leaves no files behind', async () => {
    const dir = await earlierStore({ schema: 1 });
    await writeFile(join(dir, 'backups'), 'a file');
    await using opened = await openSchema(dir);
    await expect(opened.schema.backUp({ signal: neverAborted })).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/^the backup into .* failed: /),
    });
  });

  test('an aborted backup leaves no files behind', async () => {
    const dir = await earlierStore({ schema: 1 });
    const place = join(await tempDir(), 'backup');
    const stop = new AbortController();
    stop.abort(new Error('enough'));
    await using opened = await openSchema(dir);
    await expect(opened.schema.backUp({ dir: place, signal: stop.signal })).rejects.toThrow('enough');
    await expect(readdir(join(place, '..'))).resolves.toEqual([]);
  });

  test('a backup onto a full disk fails and leaves no files behind', async () => {
    const dir = await earlierStore({ schema: 1 });
    await using opened = await openSchema(dir);
    // `/proc` stands for a disk without any space: no file can be created there.
    await expect(opened.schema.backUp({ dir: '/proc/backup', signal: neverAborted })).rejects.toMatchObject({
      code: 'unavailable',
    });
  });
});

describe('a backup that was changed', () => {
  test.each<{ name: string; change: (backup: Backup) => Promise<void>; message: RegExp }>([
    {
      name: 'a value',
      change: ({ dir }) => onClosed(join(dir, 'store'), (database) => database.put('!check\u0000', 'other')),
      message: /is damaged: it has \d+ entries \(checksum [0-9a-f]{64}\) instead of \d+/,
    },
    {
      name: 'a missing file',
      change: async ({ dir }) => writeFile(join(dir, 'store', 'CURRENT'), 'MANIFEST-999999\n'),
      message: /cannot be opened/,
    },
  ])('verifying a backup detects a change: $name', async ({ change, message }) => {
    const { backup } = await aBackup();
    await verifyBackup(backup, { signal: neverAborted });
    await change(backup);
    await expect(verifyBackup(backup, { signal: neverAborted })).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringMatching(message),
    });
  });

  test.each([
    { name: 'a missing manifest', text: undefined, message: /there is no usable backup in/ },
    { name: 'a manifest that is not JSON', text: '{', message: /is damaged or from a later version/ },
    { name: 'a manifest of a later program', text: '{"format": 2}', message: /is damaged or from a later version/ },
  ])('opening a backup is rejected with a reason: $name', async ({ text, message }) => {
    const dir = await tempDir();
    if (text !== undefined) await writeFile(join(dir, 'manifest.json'), text);
    await expect(readBackup(dir)).rejects.toMatchObject({ code: 'invalid', message: expect.stringMatching(message) });
  });
});

test.each([
  {
    reason: 'IO error: /mnt/store/LOCK: Read-only file system',
    remedy: /; copy it to a directory where this user may write/,
  },
  { reason: 'IO error: /mnt/store/LOCK: Permission denied', remedy: /; copy it to a directory where this user may/ },
  { reason: 'Corruption: bad block type', remedy: /; use another backup$/ },
])('the error for a backup that cannot be opened contains the reason and a remedy: $reason', ({ reason, remedy }) => {
  const { message } = backupProblem('/mnt', new Error('Database failed to open', { cause: new Error(reason) }));
  expect(message).toContain(reason);
  expect(message).toMatch(remedy);
});

describe('the restore of a backup', () => {
  test('a backup can be restored into an empty directory and over another store, down to the last key', async () => {
    const { backup, dir } = await aBackup();
    const content = await contentOf(dir);
    const empty = await tempDir();
    const other = await earlierStore({ schema: 2, clients: 7 });
    for (const place of [empty, other]) {
      const database = await openDatabase(place, BUFFER_BYTES);
      await restoreBackup(database, backup, neverAborted);
      await closeDatabase(database);
      const restored = await contentOf(place);
      expect(besidesId(restored)).toEqual(besidesId(content));
      // The restored store has another id, so that no follower of the original store continues with it.
      expect(restored).not.toEqual(content);
    }
  });

  test('a copy of the store directory in a backup can be opened as a store', async () => {
    const { backup, dir } = await aBackup();
    const place = join(await tempDir(), 'state');
    await cp(join(backup.dir, 'store'), place, { recursive: true });
    expect(await contentOf(place)).toEqual(await contentOf(dir));
    await (await openLevelStore(place)).close();
  });

  test('a store whose restore was interrupted can only be used after another restore', async () => {
    const { backup } = await aBackup();
    const content = await contentOf(join(backup.dir, 'store'));
    const dir = await earlierStore({ schema: 2 });
    const stop = new AbortController();
    stop.abort(new Error('enough'));
    const cut = await openDatabase(dir, BUFFER_BYTES);
    expect(await isRestorable(cut)).toBe(false);
    await expect(restoreBackup(cut, backup, stop.signal)).rejects.toThrow('enough');
    await closeDatabase(cut);

    const message = expect.stringContaining(
      `was only partially restored: run mon-backend restore-backup ${backup.dir} again`,
    );
    await expect(openLevelStore(dir)).rejects.toMatchObject({ code: 'invalid', message });
    await expect(openSchema(dir)).rejects.toMatchObject({ code: 'invalid', message });

    const again = await openDatabase(dir, BUFFER_BYTES);
    expect(await isRestorable(again)).toBe(true);
    await restoreBackup(again, backup, neverAborted);
    await closeDatabase(again);
    expect(besidesId(await contentOf(dir))).toEqual(besidesId(content));
  });
});

test('the next backup removes the remains of a backup that was killed', async () => {
  const dir = await earlierStore({ schema: 2 });
  const rest = join(dir, 'backups', '20261121T201700.123Z-schema-1.unfinished');
  await mkdir(rest, { recursive: true });
  await writeFile(join(rest, 'rest'), '');
  await using opened = await openSchema(dir);
  const { dir: place } = await opened.schema.backUp({ signal: neverAborted });
  expect(await readdir(join(dir, 'backups'))).toEqual([basename(place)]);
});

test('a backup of an empty store can be taken', async () => {
  const database = await emptyDatabase();
  const place = join(await tempDir(), 'backup');
  await backUp(database, place, { schema: 1, storeId: 'x', signal: neverAborted });
  expect(JSON.parse(await readFile(join(place, 'manifest.json'), 'utf8'))).toMatchObject({ entries: 0, bytes: 0 });
});

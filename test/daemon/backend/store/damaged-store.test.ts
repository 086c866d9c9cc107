import { chmod, readdir, readFile, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inspectStore } from '../../../../daemon/backend/store/inspect/inspect-store.ts';
import { scanLog } from '../../../../daemon/backend/store/inspect/log-scan.ts';
import { rethrowPermissionError, storeFiles } from '../../../../daemon/backend/store/inspect/store-files.ts';
import { openLevelStore } from '../../../../daemon/backend/store/level-store.ts';
import { MIGRATIONS, schemaAfterMigrations } from '../../../../daemon/backend/store/migrations/list.ts';
import { repairStore } from '../../../../daemon/backend/store/repair-store.ts';
import { errorMessage } from '../../../../shared/errors.ts';
import { filesOf, flip, storedValues, newestOf, writtenStore } from '../../../support/damaged-store.ts';

const WRITES = 300;
const neverAborted = new AbortController().signal;

type Damager = (dir: string) => Promise<void>;

const newestLog = async (dir: string): Promise<string> => join(dir, (await storeFiles(dir)).logs.at(-1) ?? '');
const firstTable = async (dir: string): Promise<string> => join(dir, (await storeFiles(dir)).tables[0] ?? '');
const manifest = async (dir: string): Promise<string> => join(dir, (await storeFiles(dir)).manifests.at(-1) ?? '');

describe('a damaged store', () => {
  test.each<{ name: string; damage: Damager; expectedMessage: RegExp; isServable?: boolean }>([
    {
      name: 'CURRENT is missing',
      damage: (dir) => rm(join(dir, 'CURRENT')),
      expectedMessage: /: CURRENT is missing, although there are files of a store/,
    },
    {
      name: 'the manifest is missing',
      damage: async (dir) => rm(await manifest(dir)),
      expectedMessage: /: MANIFEST-\d+ is missing, although CURRENT refers to it/,
    },
    {
      name: 'a bit of the manifest is flipped',
      damage: async (dir) => flip(await manifest(dir), 20),
      expectedMessage: /: MANIFEST-\d+ has a wrong checksum at byte 0/,
    },
    {
      name: 'the manifest is cut off after its first record',
      damage: async (dir) => truncate(await manifest(dir), scanLog(await readFile(await manifest(dir))).records[1]?.at),
      expectedMessage: /: MANIFEST-\d+ is damaged: the manifest is incomplete: it ends shortly after its beginning/,
    },
    {
      name: 'a table is missing',
      damage: async (dir) => rm(await firstTable(dir)),
      expectedMessage: /: \d+\.ldb is missing/,
    },
    {
      name: 'a bit of a table is flipped, which LevelDB ignores',
      damage: async (dir) => flip(await firstTable(dir), 700),
      expectedMessage: /: \d+\.ldb 1 of its \d+ blocks have a wrong checksum/,
    },
    {
      name: 'a table was cut off',
      damage: async (dir) => truncate(await firstTable(dir), 5000),
      expectedMessage: /: \d+\.ldb has 5000 bytes, not \d+/,
    },
    {
      name: 'a bit in the middle of the log is flipped, which LevelDB skips silently',
      damage: async (dir) => flip(await newestLog(dir), 2000),
      expectedMessage:
        /: \d+\.log \d+ bytes from byte \d+ on have a wrong checksum: \d+ changes cannot be read, \d+ writes before and \d+ after can/,
      isServable: true,
    },
    {
      name: 'a bit of the last write is flipped, which was acknowledged',
      damage: async (dir) => flip(await newestLog(dir), (await stat(await newestLog(dir))).size - 30),
      expectedMessage:
        /: \d+\.log \d+ bytes from byte \d+ on have a wrong checksum: the last writes, or one of them cannot be read/,
      isServable: true,
    },
    {
      name: 'the log was cut off since the stop',
      damage: async (dir) => truncate(await newestLog(dir), (await stat(await newestLog(dir))).size - 100),
      expectedMessage: /: \d+\.log has \d+ bytes, and had \d+ when the backend stopped: the newest writes are missing/,
      isServable: true,
    },
    {
      name: 'the log is missing',
      damage: async (dir) => rm(await newestLog(dir)),
      expectedMessage: /: \d+\.log is missing, so the latest writes are lost/,
      isServable: true,
    },
  ])(
    'a damaged store is rejected with its problem and a remedy, and is not changed: $name',
    async ({ damage, expectedMessage, isServable = false }) => {
      const { dir, story } = await writtenStore(WRITES);
      await damage(dir);
      const before = await filesOf(dir);
      const message = await openLevelStore(dir).then(() => 'opened', String);
      expect(message).toMatch(expectedMessage);
      expect(message).toContain(`mon-backend repair ${dir}`);
      expect(message.includes('--accept-loss')).toBe(isServable);
      expect(await filesOf(dir)).toEqual(before);

      const target = `${dir}-repaired`;
      const { lost } = await repairStore(dir, target, {
        signal: neverAborted,
        schema: schemaAfterMigrations(MIGRATIONS),
      });
      expect(await filesOf(dir)).toEqual(before);
      const held = await storedValues(target);
      for (const [name, value] of held) expect(story.get(name)).toContain(value);
      expect(lost.length).toBeGreaterThan(0);
      await rm(target, { recursive: true });
    },
  );
});

test.each<{ name: string; fileOf: (dir: string) => Promise<string> }>([
  { name: 'CURRENT', fileOf: (dir) => Promise.resolve(join(dir, 'CURRENT')) },
  { name: 'the manifest', fileOf: manifest },
  { name: 'a table', fileOf: firstTable },
  { name: 'the log', fileOf: newestLog },
])('a store file without read permission is not reported as damage: $name', async ({ fileOf }) => {
  const { dir } = await writtenStore(WRITES);
  await chmod(await fileOf(dir), 0o000);
  // For root there is no error, because root can read every file.
  const expected = process.getuid?.() === 0 ? '' : `no permission to write to the state directory ${dir} `;
  const answer = storedValues(dir).then(
    () => '',
    (error: unknown) => errorMessage(error),
  );
  expect(await answer).toContain(expected);
});

test.each(['EACCES', 'EPERM'])('the error %s of the inspection stops the start, but an I/O error does not', (code) => {
  const refused = Object.assign(new Error('open'), { code });
  expect(() => rethrowPermissionError(refused)).toThrow(refused);
  expect(() => rethrowPermissionError(Object.assign(new Error('read'), { code: 'EIO' }))).not.toThrow();
});

test('a last write that was cut off by a kill was not acknowledged and does not prevent the store from opening', async () => {
  const { dir, story } = await writtenStore(WRITES, true);
  const log = await newestLog(dir);
  await truncate(log, (await stat(log)).size - 100);
  expect(await inspectStore(dir)).toEqual([]);
  const held = await storedValues(dir);
  const newest = newestOf(story);
  expect([...newest].filter(([name, value]) => held.get(name) !== value).length).toBeLessThanOrEqual(1);
});

test('the manifest of an interrupted first start does not prevent the store from opening', async () => {
  const { dir } = await writtenStore(0);
  const files = await storeFiles(dir);
  for (const name of [...files.logs, 'CURRENT', 'closed.json']) await rm(join(dir, name));
  const path = await manifest(dir);
  await truncate(path, scanLog(await readFile(path)).records[1]?.at);
  expect(await storedValues(dir)).toEqual(new Map());
});

describe('a store opened with accepted loss', () => {
  test('a store opened with accepted loss serves the rest under a new id and keeps copies of the damaged files', async () => {
    const { dir, id, story } = await writtenStore(WRITES);
    const log = await newestLog(dir);
    await flip(log, 2000);
    const accepted: { readonly damages: string; readonly evidence: string }[] = [];
    const held = await storedValues(dir, { loss: { onAccepted: (loss) => accepted.push(loss) } });
    expect(accepted).toMatchObject([{ damages: expect.stringMatching(/^\d+\.log \d+ bytes from byte/) }]);
    expect(await readdir(accepted[0]?.evidence ?? '')).toEqual(
      expect.arrayContaining([log.slice(dir.length + 1), 'CURRENT', expect.stringMatching(/^MANIFEST-/)]),
    );
    for (const [name, value] of held) expect(story.get(name)).toContain(value);
    expect(held.size).toBeGreaterThan(10);
    // From now on the store opens without accepted loss.
    expect(await storedValues(dir)).toEqual(held);
    const store = await openLevelStore(dir);
    expect(store.id).not.toBe(id);
    await store.close();
  });

  test('a store that needs a repair is rejected even if the operator accepts the loss', async () => {
    const { dir } = await writtenStore(WRITES);
    await rm(await firstTable(dir));
    await expect(openLevelStore(dir, { loss: { onAccepted: () => undefined } })).rejects.toThrow(/ldb is missing/);
  });
});

describe('a repair', () => {
  test('repairing a store without the file CURRENT loses no data', async () => {
    const { dir, story } = await writtenStore(WRITES);
    await rm(join(dir, 'CURRENT'));
    const { lost, kept } = await repairStore(dir, `${dir}-repaired`, { signal: neverAborted });
    expect(lost).toEqual([{ file: 'CURRENT', problem: 'is missing' }]);
    expect(kept).toMatchObject({ client: newestOf(story).size });
    expect(await storedValues(`${dir}-repaired`)).toEqual(newestOf(story));
    await rm(`${dir}-repaired`, { recursive: true });
  });

  test('a repair reports the keys between which entries are lost', async () => {
    const { dir } = await writtenStore(WRITES);
    await flip(await firstTable(dir), 700);
    const { lost } = await repairStore(dir, `${dir}-repaired`, { signal: neverAborted });
    expect(lost).toEqual([
      {
        file: (await firstTable(dir)).slice(dir.length + 1),
        problem: 'the block at byte 0 has a wrong checksum',
        between: ['', expect.any(String)],
      },
    ]);
    await rm(`${dir}-repaired`, { recursive: true });
  });

  test('a repair asks for the schema of the store if the schema entry is lost', async () => {
    const { dir } = await writtenStore(WRITES);
    await rm(await firstTable(dir));
    await expect(repairStore(dir, `${dir}-repaired`, { signal: neverAborted })).rejects.toThrow(/set --schema/);
    await expect(stat(`${dir}-repaired`)).rejects.toThrow('ENOENT');
  });

  test('repairing a directory without a store is rejected', async () => {
    const { dir } = await writtenStore(0);
    for (const name of await readdir(dir)) await rm(join(dir, name));
    await expect(repairStore(dir, `${dir}-repaired`, { signal: neverAborted })).rejects.toThrow(
      `there is no store in ${dir}`,
    );
    expect((await readdir(join(dir, '..'))).filter((name) => join(dir, '..', name).startsWith(`${dir}-`))).toEqual([]);
  });
});

import { cp, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Level } from 'level';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ChangeRecord, Key, Store } from '../../../../daemon/backend/ports.ts';
import { changeKey, lastSeqKey, SCHEMA_VERSION, STORE_ID } from '../../../../daemon/backend/store/keys.ts';
import { LevelStore, openLevelStore } from '../../../../daemon/backend/store/level-store.ts';
import { repairStore } from '../../../../daemon/backend/store/repair-store.ts';
import { encodeTuple } from '../../../../daemon/backend/store/tuple.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { del, entriesOf, put, storeContract } from '../../../support/store-contract.ts';
import { tempDir } from '../../../support/temp-dir.ts';
import type { Database } from '../../../../daemon/backend/store/database.ts';

storeContract('LevelDB', openLevelStore);

/** Opens the database of a closed store, and changes its raw data. */
async function tamper(dir: string, change: (database: Database) => Promise<void>): Promise<void> {
  const database = new Level(dir);
  await database.open();
  await change(database);
  await database.close();
}

/** Creates a store whose shard `main` has this number of writes with one change each, and returns its directory. */
async function storeWithWrites(writes: number): Promise<string> {
  const dir = await tempDir();
  const store = await openLevelStore(dir);
  const lease = await store.acquire('main', 30_000);
  for (let count = 1; count <= writes; count++) {
    await store.write(lease, [put(['count'], String(count))], [['client', 'default', String(count)]]);
  }
  await store.close();
  return dir;
}

/** Creates another store, which must stay unchanged, and returns its directory. */
const another = (): Promise<string> => storeWithWrites(3);

/** Returns every file of a directory with its content, in hexadecimal. */
async function contentOf(dir: string): Promise<Readonly<Record<string, string>>> {
  const names = (await readdir(dir)).toSorted();
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, (await readFile(join(dir, name))).toString('hex')] as const)),
  );
}

describe('a store that has lost its directory', () => {
  const PROBLEM = {
    code: 'unavailable',
    message: expect.stringMatching(
      /were deleted or replaced while the store was open.*stop the backend, and restore a backup/,
    ),
  };

  test.each<{ name: string; damageDirectory: (dir: string) => Promise<void> }>([
    { name: 'deleted', damageDirectory: (dir) => rm(dir, { recursive: true }) },
    {
      name: 'replaced by its own copy',
      damageDirectory: async (dir) => {
        await cp(dir, `${dir}-copy`, { recursive: true });
        await rm(dir, { recursive: true });
        await rename(`${dir}-copy`, dir);
      },
    },
    {
      name: 'replaced by another store',
      damageDirectory: async (dir) => {
        await rm(dir, { recursive: true });
        await cp(await another(), dir, { recursive: true });
      },
    },
    {
      name: 'emptied and filled with another store',
      damageDirectory: async (dir) => {
        for (const name of await readdir(dir)) await rm(join(dir, name));
        await cp(await another(), dir, { recursive: true });
      },
    },
    {
      name: 'moved away, with another store in its place',
      damageDirectory: async (dir) => {
        await rename(dir, `${dir}-away`);
        await cp(await another(), dir, { recursive: true });
      },
    },
    {
      name: 'replaced by a symbolic link to another store',
      damageDirectory: async (dir) => {
        await rename(dir, `${dir}-away`);
        await symlink(await another(), dir);
      },
    },
  ])(
    'a store whose directory is $name acknowledges no more writes and changes no file there',
    async ({ damageDirectory }) => {
      const dir = join(await tempDir(), 'store');
      const clock = new ManualClock();
      const store = await openLevelStore(dir, { clock });
      const lease = await store.acquire('main', 30_000);
      await store.write(lease, [put(['a'], '1')], []);
      await damageDirectory(dir);
      const before = await contentOf(dir).catch(() => undefined);
      await expect(store.write(lease, [put(['a'], '2')], [])).rejects.toMatchObject(PROBLEM);
      expect(store.refusal).toMatchObject(PROBLEM);
      for (let second = 0; second < 20; second++) {
        clock.advance(1000);
        await expect(store.write(lease, [put(['a'], '3')], [])).rejects.toMatchObject(PROBLEM);
      }
      // The store can still be read.
      expect(await store.getMany([['a']])).toEqual(['1']);
      await store.close();
      expect(await contentOf(dir).catch(() => undefined)).toEqual(before);
    },
  );

  test('a store whose directory is moved away and back accepts writes again', async () => {
    const dir = join(await tempDir(), 'store');
    const clock = new ManualClock();
    const store = await openLevelStore(dir, { clock });
    onTestFinished(() => store.close());
    const lease = await store.acquire('main', 30_000);
    await rename(dir, `${dir}-away`);
    await expect(store.write(lease, [put(['a'], '1')], [])).rejects.toMatchObject(PROBLEM);
    await rename(`${dir}-away`, dir);
    await vi.waitFor(async () => {
      clock.advance(1000);
      await store.write(lease, [put(['a'], '2')], []);
    });
    expect(await store.getMany([['a']])).toEqual(['2']);
  });

  test('a store whose directory was replaced can be repaired into another directory', async () => {
    const dir = join(await tempDir(), 'store');
    const clock = new ManualClock();
    const store = await openLevelStore(dir, { clock });
    onTestFinished(() => store.close());
    const lease = await store.acquire('main', 30_000);
    await rm(dir, { recursive: true });
    await cp(await another(), dir, { recursive: true });
    await expect(store.write(lease, [put(['a'], '1')], [])).rejects.toMatchObject(PROBLEM);
    const { signal } = new AbortController();
    const repairing = repairStore(dir, `${dir}-repaired`, { signal, schema: undefined });
    for (let second = 0; second < 20; second++) clock.advance(1000);
    expect((await repairing).lost).toEqual([]);
  });
});

describe('the opening of a store', () => {
  test('opening a directory that is in use is rejected, and is possible once the other store is closed', async () => {
    const dir = await tempDir();
    const holder = await openLevelStore(dir);
    await expect(openLevelStore(dir)).rejects.toMatchObject({ code: 'conflict' });
    await holder.acquire('main', 30_000);
    await holder.close();
    const next = await openLevelStore(dir);
    await next.close();
  });

  test.each<{ name: string; key: Key; value: string | undefined; message: RegExp }>([
    {
      name: 'a last sequence number below that of the newest change record',
      key: lastSeqKey('main'),
      value: '2',
      message: /last sequence number of shard main is 2, but its newest change record is 3/,
    },
    {
      name: 'a last sequence number above that of the newest change record',
      key: lastSeqKey('main'),
      value: '4',
      message: /last sequence number of shard main is 4, but its newest change record is 3/,
    },
    {
      name: 'no last sequence number',
      key: lastSeqKey('main'),
      value: undefined,
      message: /last sequence number of shard main is 0, but its newest change record is 3/,
    },
    {
      name: 'an invalid sequence number',
      key: lastSeqKey('main'),
      value: 'x',
      message: /seq main has the invalid value "x"/,
    },
    { name: 'no store id', key: STORE_ID, value: undefined, message: /has no id/ },
    { name: 'an invalid schema version', key: SCHEMA_VERSION, value: '?', message: /schema version .* damaged/ },
  ])('a store with $name is rejected, and its directory is released', async ({ key, value, message }) => {
    const dir = await storeWithWrites(3);
    await tamper(dir, async (database) =>
      value === undefined ? database.del(encodeTuple(key)) : database.put(encodeTuple(key), value),
    );
    const refused = { code: 'internal', message: expect.stringMatching(message) };
    await expect(openLevelStore(dir)).rejects.toMatchObject(refused);
    await expect(openLevelStore(dir)).rejects.toMatchObject(refused);
  });

  test('a store without change records opens, but no feed can resume from it', async () => {
    const dir = await storeWithWrites(3);
    await tamper(dir, async (database) => {
      for (const seq of [1, 2, 3]) await database.del(encodeTuple(changeKey('main', seq)));
    });
    const store = await openLevelStore(dir);
    const records: ChangeRecord[] = [];
    const { first } = await store.watch('main', 0, (record) => records.push(record));
    expect([store.lastSeq('main'), first, records]).toEqual([3, 4, []]);
    await store.close();
  });

  test('a store with a gap in its change records opens only with accepted loss and keeps the records after it', async () => {
    const dir = await storeWithWrites(6);
    await tamper(dir, async (database) => database.del(encodeTuple(changeKey('main', 3))));
    await expect(openLevelStore(dir)).rejects.toThrow('the writes 3 to 3 of shard main are lost');
    await (await openLevelStore(dir, { loss: { onAccepted: () => undefined } })).close();
    await tamper(dir, async (database) => {
      const seqs = [1, 2, 3, 4, 5, 6].map((seq) => encodeTuple(changeKey('main', seq)));
      expect(await database.hasMany(seqs)).toEqual([false, false, false, true, true, true]);
    });
    const store = await openLevelStore(dir);
    const seqs: number[] = [];
    expect((await store.watch('main', 0, ({ seq }) => seqs.push(seq))).first).toBe(4);
    expect(seqs).toEqual([4, 5, 6]);
    await store.close();
  });
});

const change = (count: number): ['client', string, string][] =>
  Array.from({ length: count }, (_, index) => ['client', 'default', String(index)]);

describe('the retention of change records', () => {
  test.each<{ name: string; records: number; changes: number; writes: number[]; retained: number[] }>([
    { name: 'to a number of records', records: 3, changes: 100, writes: [1, 1, 1, 1, 1], retained: [3, 4, 5] },
    { name: 'to a number of changes', records: 100, changes: 5, writes: [2, 2, 2, 0, 1], retained: [2, 3, 4, 5] },
    {
      name: 'to a number of changes except for the newest record',
      records: 100,
      changes: 5,
      writes: [1, 1, 50],
      retained: [3],
    },
  ])(
    'change records are limited $name, also after the store is opened again',
    async ({ records, changes, writes, retained }) => {
      const dir = await tempDir();
      const retention = { records, changes };
      const store = await openLevelStore(dir, { retention });
      const lease = await store.acquire('main', 30_000);
      for (const count of writes) await store.write(lease, [], change(count));
      const now: number[] = [];
      expect((await store.watch('main', 0, ({ seq }) => now.push(seq))).first).toBe(retained[0]);
      await store.close();
      const again = await openLevelStore(dir, { retention });
      const later: number[] = [];
      expect((await again.watch('main', 0, ({ seq }) => later.push(seq))).first).toBe(retained[0]);
      await again.close();
      expect([now, later]).toEqual([retained, retained]);
      await tamper(dir, async (database) => {
        const all = writes.map((_, index) => index + 1);
        const stored = await database.hasMany(all.map((seq) => encodeTuple(changeKey('main', seq))));
        expect(all.filter((_, index) => stored[index])).toEqual(retained);
      });
    },
  );

  test('change records are deleted when the store opens with a lower retention', async () => {
    const dir = await storeWithWrites(6);
    const store = await openLevelStore(dir, { retention: { records: 2, changes: 100 } });
    const seqs: number[] = [];
    await store.watch('main', 0, ({ seq }) => seqs.push(seq));
    expect(seqs).toEqual([5, 6]);
    await store.close();
  });
});

/** The moment of the disk failure: before the batch reaches the log, or after all of it is in the log. */
type Moment = 'before' | 'after';

/** Makes the next write of a database fail. */
function failNextWrite(database: Database, moment: Moment): void {
  const batch = database.batch();
  const write = batch.write.bind(batch);
  vi.spyOn(batch, 'write').mockImplementationOnce(async (...options) => {
    if (moment === 'after') await write(...options);
    throw new Error('the disk is on fire');
  });
  vi.spyOn(database, 'batch').mockReturnValueOnce(batch);
}

async function onDatabase(): Promise<{ store: Store; database: Database; dir: string; clock: ManualClock }> {
  const dir = await tempDir();
  const clock = new ManualClock();
  const database = new Level(dir);
  await database.open();
  const store = await LevelStore.onDatabase(database, { writeBufferBytes: 1024 * 1024, clock });
  onTestFinished(() => store.close());
  return { store, database, dir, clock };
}

/** Resolves once the store accepts writes, which may be immediately. */
async function waitUntilWritable(store: Store): Promise<void> {
  if (store.refusal !== undefined) await new Promise<void>((resolve) => void store.onMended(resolve));
}

describe('a write that the disk rejects', () => {
  test.each<{ moment: Moment }>([{ moment: 'before' }, { moment: 'after' }])(
    'a failed write leaves no trace if it failed $moment it reached the log',
    async ({ moment }) => {
      const { store, database, dir } = await onDatabase();
      const lease = await store.acquire('main', 30_000);
      const records: ChangeRecord[] = [];
      await store.watch('main', 0, (record) => records.push(record));
      await store.write(lease, [put(['old'], '1'), put(['both'], '1')], [['client', 'default', 'a']]);
      failNextWrite(database, moment);
      const failed = store.write(
        lease,
        [put(['new'], '2'), put(['both'], '2'), del(['old'])],
        [['client', 'default', 'b']],
      );
      await expect(failed).rejects.toMatchObject({
        code: 'unavailable',
        message: `the store in ${dir} cannot write: the disk is on fire`,
        cause: expect.objectContaining({ message: 'the disk is on fire' }),
      });
      await waitUntilWritable(store);
      expect(await store.write(lease, [put(['next'], '3')], [['client', 'default', 'c']])).toBe(2);
      const expected = [
        [['both'], '1'],
        [['next'], '3'],
        [['old'], '1'],
      ];
      expect(await entriesOf(store.scan([]))).toEqual(expected);
      expect(records).toEqual([
        { seq: 1, changes: [['client', 'default', 'a']] },
        { seq: 2, changes: [['client', 'default', 'c']] },
      ]);
      await store.close();
      const again = await openLevelStore(dir);
      expect(await entriesOf(again.scan([]))).toEqual(expected);
      expect(again.lastSeq('main')).toBe(2);
      await again.close();
    },
  );

  test('a failed attempt to acquire the lease leaves no trace', async () => {
    const { store, database } = await onDatabase();
    const lease = await store.acquire('main', 30_000);
    failNextWrite(database, 'after');
    await expect(store.acquire('main', 30_000)).rejects.toMatchObject({ code: 'unavailable' });
    await lease.renew();
    await waitUntilWritable(store);
    expect(await store.write(lease, [], [])).toBe(1);
  });

  test('after a failed write all writes are rejected until a retry finds that the disk works', async () => {
    const { store, database, clock } = await onDatabase();
    const lease = await store.acquire('main', 30_000);
    await store.write(lease, [put(['a'], '1')], []);
    failNextWrite(database, 'before');
    const open = vi.spyOn(database, 'open').mockRejectedValue(new Error('no such device'));
    await expect(store.write(lease, [put(['a'], '2')], [])).rejects.toThrow('the disk is on fire');
    for (let tries = 1; tries <= 5; tries++) {
      await vi.waitFor(() => expect(open).toHaveBeenCalledTimes(tries));
      await vi.waitFor(() => expect(clock.pending).toBe(1));
      await expect(store.write(lease, [put(['a'], '3')], [])).rejects.toMatchObject({ code: 'unavailable' });
      await expect(store.getMany([['a']])).rejects.toMatchObject({ code: 'unavailable' });
      expect(() => store.scan([])).toThrow(expect.objectContaining({ code: 'unavailable' }));
      clock.advance(1000);
    }
    await vi.waitFor(() => expect(clock.pending).toBe(1));
    open.mockRestore();
    const repair = waitUntilWritable(store);
    clock.advance(1000);
    await repair;
    expect(await store.write(lease, [put(['b'], '4')], [])).toBe(2);
    expect(await store.getMany([['a'], ['b']])).toEqual(['1', '4']);
  });

  test('a store stays closed for writes if another process has used it after a failed write', async () => {
    const { store, database, dir, clock } = await onDatabase();
    const lease = await store.acquire('main', 30_000);
    failNextWrite(database, 'before');
    const open = vi.spyOn(database, 'open').mockRejectedValueOnce(new Error('no such device'));
    await expect(store.write(lease, [], [])).rejects.toMatchObject({ code: 'unavailable' });
    await vi.waitFor(() => expect(clock.pending).toBe(1));
    const other = await openLevelStore(dir);
    await other.acquire('main', 30_000);
    await other.close();
    clock.advance(1000);
    await vi.waitFor(() => expect(open).toHaveBeenCalledTimes(2));
    await vi.waitFor(() => expect(clock.pending).toBe(1));
    await expect(store.write(lease, [], [])).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('a scan that runs during a failed write continues, but fails if the disk does not recover in time', async () => {
    const { store, database, clock } = await onDatabase();
    const lease = await store.acquire('main', 30_000);
    await store.write(
      lease,
      Array.from({ length: 7000 }, (_, index) => put(['k', index], 'v')),
      [],
    );
    let seen = 0;
    const reading = (async () => {
      for await (const [key] of store.scan(['k'])) {
        seen = Number(key[1]);
        if (seen === 0) {
          failNextWrite(database, 'before');
          await store.write(lease, [], []).catch(() => undefined);
        }
        if (seen === 3000) {
          clock.advance(2000);
          await waitUntilWritable(store);
        }
      }
    })();
    await expect(reading).rejects.toMatchObject({ code: 'unavailable' });
    expect(seen).toBe(5999);
  });
});

import { access, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { StoreOp } from '../../../../../daemon/backend/ports.ts';
import { readBackup, verifyBackup } from '../../../../../daemon/backend/store/backup.ts';
import { openLevelStore } from '../../../../../daemon/backend/store/level-store.ts';
import { migrateStore } from '../../../../../daemon/backend/store/migrate-store-command.ts';
import { openSchema } from '../../../../../daemon/backend/store/open-schema.ts';
import { openPostgresStore } from '../../../../../daemon/backend/store/postgres/postgres-store.ts';
import { openStore, locationOf } from '../../../../../daemon/backend/store/open-store.ts';
import { SystemClock } from '../../../../../daemon/clock/system-clock.ts';
import { RecordedLog } from '../../../../support/recorded-log.ts';
import { startPostgres, type PostgresServer } from '../../../../../scripts/lib/postgres-server.ts';
import { del, entriesOf, put } from '../../../../support/store-contract.ts';
import { tempDir } from '../../../../support/temp-dir.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres(['fsync=off']);
});
afterAll(async () => server[Symbol.asyncDispose]());

const rigOf = (signal = new AbortController().signal) => ({ clock: new SystemClock(), log: new RecordedLog(), signal });

async function write(place: string, ops: readonly StoreOp[]): Promise<void> {
  const store = await openStore(locationOf(place));
  await store.write(await store.acquire('main', 30_000), ops, []);
  await store.close();
}

async function contentOf(place: string): Promise<unknown> {
  const store = await openStore(locationOf(place));
  const entries = await entriesOf(store.scan([]));
  await store.close();
  return entries;
}

/** Creates a store of some thousand entries, and returns its directory. */
async function filled(): Promise<string> {
  const dir = join(await tempDir(), 'from');
  await write(
    dir,
    Array.from({ length: 3500 }, (_, at) =>
      put(['check', 'default', `web-${String(at)}`, 'disk'], `{"n":${String(at)}}`),
    ),
  );
  await write(dir, [put(['stash', 'default', 'ä/\u{1f600}'], '"x"'), put(['audit', 1], '1'), put(['audit', 10], '2')]);
  return dir;
}

describe('migrate-store', () => {
  test('migrate-store copies a store from a directory to a database and back without a difference', async () => {
    const [from, database] = [await filled(), await server.database()];
    const rig = rigOf();
    expect(await migrateStore({ from, to: database }, rig)).toEqual({ entries: 3503, written: 3503 });
    expect(rig.log.messages('info')).toContain('store copied and verified: both stores are identical');
    const back = join(await tempDir(), 'back');
    await migrateStore({ from: database, to: back }, rigOf());
    const wanted = await contentOf(from);
    expect(await contentOf(database)).toEqual(wanted);
    expect(await contentOf(back)).toEqual(wanted);
  });

  test('migrate-store copies into an empty directory, even if its path ends with a slash', async () => {
    const from = await filled();
    const to = `${await tempDir()}/`;
    await migrateStore({ from, to }, rigOf());
    expect(await contentOf(to)).toEqual(await contentOf(from));
  });

  test('migrate-store from a backup does not change the backup, so that the backup can still be restored', async () => {
    const { signal } = new AbortController();
    const schema = await openSchema(await filled());
    const { dir } = await schema.schema.backUp({ signal });
    await schema[Symbol.asyncDispose]();
    const database = await server.database();
    await migrateStore({ from: join(dir, 'store'), to: database }, rigOf());
    await expect(verifyBackup(await readBackup(dir), { signal })).resolves.toBeUndefined();
  });

  test('an interrupted migrate-store continues, writes only missing entries, and copies later changes', async () => {
    const [from, to] = [await filled(), await server.database()];
    const stop = new AbortController();
    const rig = rigOf(stop.signal);
    vi.spyOn(rig.log, 'info').mockImplementation((fields: { readonly entries?: number }) => {
      if ((fields.entries ?? 0) > 0) stop.abort(new Error('stopped'));
    });
    await expect(migrateStore({ from, to }, { ...rig, clock: tellingOften() })).rejects.toThrow('stopped');
    // A backend does not start on a partial copy.
    await expect(openPostgresStore(to)).rejects.toMatchObject({
      message: expect.stringMatching(/only partially copied/),
    });
    await write(from, [put(['audit', 1], 'changed'), del(['audit', 10]), put(['audit', 2], 'new')]);
    const { entries, written } = await migrateStore({ from, to }, rigOf());
    expect(entries).toBe(3503);
    expect(written).toBeLessThan(3503);
    expect(await contentOf(to)).toEqual(await contentOf(from));
  });

  test('migrate-store rejects targets and sources that would lose or mix data, with a remedy', async () => {
    const [from, other, database] = [await filled(), await filled(), await server.database()];
    await migrateStore({ from, to: database }, rigOf());
    await expect(migrateStore({ from: other, to: database }, rigOf())).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/already contains a store.*DROP SCHEMA mon CASCADE/),
    });
    await expect(migrateStore({ from: other, to: from }, rigOf())).rejects.toMatchObject({ code: 'conflict' });
    const missing = join(await tempDir(), 'missing');
    await expect(migrateStore({ from: missing, to: database }, rigOf())).rejects.toMatchObject({ code: 'not_found' });
    await expect(access(missing)).rejects.toThrow('ENOENT');
    const full = await tempDir();
    await mkdir(join(full, 'sub'));
    await writeFile(join(full, 'notes.txt'), '');
    await expect(migrateStore({ from, to: full }, rigOf())).rejects.toMatchObject({ code: 'conflict' });
  });

  test('migrate-store rejects a store that a backend uses', async () => {
    const database = await server.database();
    const serving = await openPostgresStore(database);
    await serving.acquire('main', 30_000);
    const to = join(await tempDir(), 'to');
    await expect(migrateStore({ from: database, to }, rigOf())).rejects.toMatchObject({ code: 'conflict' });
    await serving.close();
    const dir = await filled();
    const held = await openLevelStore(dir);
    await expect(migrateStore({ from: dir, to: database }, rigOf())).rejects.toMatchObject({ code: 'conflict' });
    await held.close();
  });
});

/** Returns a clock whose periodic tasks run every millisecond, for frequent progress messages. */
function tellingOften(): SystemClock {
  const clock = new SystemClock();
  const every = clock.every.bind(clock);
  clock.every = (_periodMs, task) => every(1, task);
  return clock;
}

import { Level } from 'level';
import { describe, expect, onTestFinished, test } from 'vitest';
import { SCHEMA_VERSION } from '../../../../../daemon/backend/store/keys.ts';
import { applyMigrations } from '../../../../../daemon/backend/store/migrations/apply-migrations.ts';
import { MIGRATIONS } from '../../../../../daemon/backend/store/migrations/list.ts';
import type { Migration } from '../../../../../daemon/backend/store/migrations/migration.ts';
import type { Database } from '../../../../../daemon/backend/store/open-database.ts';
import { encodeTuple } from '../../../../../daemon/backend/store/tuple.ts';
import { tempDir } from '../../../../support/temp-dir.ts';

async function database(): Promise<Database> {
  const opened = new Level(await tempDir());
  await opened.open();
  onTestFinished(() => opened.close());
  return opened;
}

const schemaOf = async (opened: Database): Promise<string | undefined> => opened.get(encodeTuple(SCHEMA_VERSION));

/** Steps 1 to `count` that leave a mark each; those in `failing` fail in the middle of their first run. */
function steps(count: number, failing: number[] = []): { migrations: Migration[]; ran: number[] } {
  const ran: number[] = [];
  const toFail = new Set(failing);
  const migrations = Array.from({ length: count }, (_, index): Migration => {
    const version = index + 1;
    return {
      version,
      name: `step-${String(version)}`,
      async migrate(opened) {
        ran.push(version);
        await opened.put(encodeTuple(['step', version]), 'begun');
        if (toFail.delete(version)) throw new Error('power cut');
        await opened.put(encodeTuple(['step', version]), 'done');
      },
    };
  });
  return { migrations, ran };
}

test('the released steps are numbered from 1 without a gap', () => {
  expect(MIGRATIONS.map(({ version }) => version)).toEqual(MIGRATIONS.map((_, index) => index + 1));
});

describe('an empty database', () => {
  test('takes every step in order', async () => {
    const opened = await database();
    const { migrations, ran } = steps(3);
    await applyMigrations(opened, migrations);
    expect(ran).toEqual([1, 2, 3]);
    expect(await schemaOf(opened)).toBe('3');
  });

  test('gets its name in the first released one, and keeps it when that step is repeated', async () => {
    const opened = await database();
    await applyMigrations(opened, MIGRATIONS);
    const before = await opened.iterator().all();
    await opened.del(encodeTuple(SCHEMA_VERSION));
    await applyMigrations(opened, MIGRATIONS);
    expect(await opened.iterator().all()).toEqual(before);
  });
});

describe('an older database', () => {
  test('takes only the steps that it lacks', async () => {
    const opened = await database();
    await applyMigrations(opened, steps(2).migrations);
    const { migrations, ran } = steps(4);
    await applyMigrations(opened, migrations);
    await applyMigrations(opened, migrations);
    expect(ran).toEqual([3, 4]);
    expect(await schemaOf(opened)).toBe('4');
  });

  test('goes on with the step in which it was cut off', async () => {
    const opened = await database();
    await applyMigrations(opened, steps(1).migrations);
    const { migrations, ran } = steps(3, [2]);
    await expect(applyMigrations(opened, migrations)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/migration 2 \(step-2\).*power cut.*next start tries it again/),
    });
    expect(await schemaOf(opened)).toBe('1');
    await applyMigrations(opened, migrations);
    expect(ran).toEqual([2, 2, 3]);
    expect(await opened.get(encodeTuple(['step', 2]))).toBe('done');
  });
});

describe('refused and left as it is', () => {
  test('a database of a newer program', async () => {
    const opened = await database();
    await applyMigrations(opened, steps(3).migrations);
    const { migrations, ran } = steps(2);
    await expect(applyMigrations(opened, migrations)).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('has schema 3, this program knows up to 2'),
    });
    expect(ran).toEqual([]);
    expect(await schemaOf(opened)).toBe('3');
  });

  test.each(['x', '0', '1.5', ''])('a database whose version reads "%s"', async (text) => {
    const opened = await database();
    await opened.put(encodeTuple(SCHEMA_VERSION), text);
    await expect(applyMigrations(opened, MIGRATIONS)).rejects.toMatchObject({ code: 'internal' });
  });

  test('a database of another program', async () => {
    const opened = await database();
    await opened.put('somebody', 'else');
    await expect(applyMigrations(opened, MIGRATIONS)).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('another program'),
    });
    expect(await opened.keys().all()).toEqual(['somebody']);
  });
});

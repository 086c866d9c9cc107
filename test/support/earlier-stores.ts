import { onTestFinished } from 'vitest';
import { STORE_ID } from '../../daemon/backend/store/keys.ts';
import { openSchema } from '../../daemon/backend/store/open-schema.ts';
import { decodeTuple, encodeTuple } from '../../daemon/backend/store/tuple.ts';
import { writeEarlierStore, type EarlierStore } from '../../scripts/fixtures/earlier-store.ts';
import { Level } from 'level';
import { tempDir } from './temp-dir.ts';
import type { Database } from '../../daemon/backend/store/database.ts';

/** Creates a store in the format of an earlier schema, by default a small one, and returns its directory. */
export async function earlierStore(store: Partial<EarlierStore> & Pick<EarlierStore, 'schema'>): Promise<string> {
  const dir = await tempDir();
  await writeEarlierStore(dir, { clients: 3, checksEach: 8, ...store });
  return dir;
}

/** Returns all keys and values of a store that no process has open. */
export async function contentOf(dir: string): Promise<[(string | number)[], string][]> {
  return await onClosed(dir, async (database) =>
    (await database.iterator().all()).map(([key, value]) => [decodeTuple(key), value]),
  );
}

/** Returns the content without the id of the store, which a restore does not change. */
export function besidesId(content: Awaited<ReturnType<typeof contentOf>>): typeof content {
  return content.filter(([key]) => encodeTuple(key) !== encodeTuple(STORE_ID));
}

/** Returns the check records of a store that no process has open. */
export async function checkRecordsOf(dir: string): Promise<[(string | number)[], string][]> {
  return (await contentOf(dir)).filter(([[table]]) => table === 'check');
}

/** Opens the database of a store that no process has open, and passes it to `work`. */
export async function onClosed<T>(dir: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = new Level(dir);
  await database.open();
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Upgrades a store that no process has open, without confirmation and backup. */
export async function upgradeStore(dir: string): Promise<void> {
  await using opened = await openSchema(dir);
  await opened.schema.upgrade({ signal: new AbortController().signal, onProgress: () => undefined });
}

/** Returns an empty database that contains no store. It is closed when the test finishes. */
export async function emptyDatabase(): Promise<Database> {
  const database = new Level(await tempDir());
  await database.open();
  onTestFinished(() => database.close());
  return database;
}

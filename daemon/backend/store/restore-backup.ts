import { resolve } from 'node:path';
import { MonError } from '../../../shared/errors.ts';
import { assertEqual, assertSpaceForCopy, openBackup, type Backup } from './backup.ts';
import { diskError } from './disk-error.ts';
import { newStoreId, RESTORING, STORE_ID } from './keys.ts';
import { digestStore, rawPages } from './store-digest.ts';
import { encodeTuple } from './tuple.ts';
import type { Database } from './database.ts';

const MARK = encodeTuple(RESTORING);

/**
 * Replaces the content of an open database with a verified backup. Meanwhile a mark is set: a partly restored store is
 * rejected by everything but another restore. The result gets a new id and its feed starts again. A follower of the
 * previous store must not continue, because the two stores differ since the backup.
 *
 * @throws MonError `unavailable` if the disk fails, `invalid` if the backup cannot be read; the reason of `signal`
 */
export async function restoreBackup(database: Database, backup: Backup, signal: AbortSignal): Promise<void> {
  const source = await openBackup(backup);
  try {
    await assertSpaceForCopy(source.location, database.location);
    await database.put(MARK, resolve(backup.dir), { sync: true });
    await database.clear({ lt: MARK });
    await database.clear({ gt: MARK });
    for await (const page of rawPages(source, { signal })) {
      const batch = database.batch();
      for (const [key, value] of page) {
        batch.put<Buffer, Buffer>(key, value, { keyEncoding: 'buffer', valueEncoding: 'buffer' });
      }
      // Synced, so that no power cut loses a batch and keeps the removal of the mark.
      await batch.write({ sync: true });
    }
    assertEqual(await digestStore(database, { signal, except: MARK }), backup);
    await database.batch().put(encodeTuple(STORE_ID), newStoreId()).del(MARK).write({ sync: true });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw error instanceof MonError ? error : diskError(database.location, 'write', error);
  } finally {
    await source.close();
  }
}

/** True if nothing would be lost: the database is empty, or holds the rest of an interrupted restore. */
export async function isRestorable(database: Database): Promise<boolean> {
  if ((await database.get(MARK)) !== undefined) return true;
  return (await database.keys({ limit: 1 }).all()).length === 0;
}

import { resolve } from 'node:path';
import { MonError } from '../../../shared/errors.ts';
import { assertEqual, assertSpaceForCopy, openBackup, type Backup } from './backup.ts';
import { diskError } from './disk-error.ts';
import { newStoreId, RESTORING_KEY, STORE_ID } from './keys.ts';
import { digestStore, rawPages } from './store-digest.ts';
import { encodeTuple } from './tuple.ts';
import type { Database } from './database.ts';

const RESTORING_MARK = encodeTuple(RESTORING_KEY);

/**
 * Replaces the content of an open database with a backup, and verifies the result by the checksum of the backup. Until
 * the restore is complete, a marker entry in the database prevents every use except another restore. The restored store
 * gets a new id, because its data and that of the previous store have differed since the backup. So no follower and no
 * consumer of the feed continues from the previous store.
 *
 * @throws MonError `unavailable` if the disk fails or has too little space, `invalid` if the backup cannot be read or
 *   is damaged; the reason of `signal` if the restore was aborted
 */
export async function restoreBackup(database: Database, backup: Backup, signal: AbortSignal): Promise<void> {
  const source = await openBackup(backup);
  try {
    await assertSpaceForCopy(source.location, database.location);
    await database.put(RESTORING_MARK, resolve(backup.dir), { sync: true });
    await database.clear({ lt: RESTORING_MARK });
    await database.clear({ gt: RESTORING_MARK });
    for await (const page of rawPages(source, { signal })) {
      const batch = database.batch();
      for (const [key, value] of page) {
        batch.put<Buffer, Buffer>(key, value, { keyEncoding: 'buffer', valueEncoding: 'buffer' });
      }
      // Each batch is synced. Otherwise a power cut could lose a batch after the mark was removed.
      await batch.write({ sync: true });
    }
    assertEqual(await digestStore(database, { signal, except: RESTORING_MARK }), backup);
    await database.batch().put(encodeTuple(STORE_ID), newStoreId()).del(RESTORING_MARK).write({ sync: true });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw error instanceof MonError ? error : diskError(database.location, 'write', error);
  } finally {
    await source.close();
  }
}

/** True if a restore would overwrite no data: the database is empty, or contains an incomplete restore. */
export async function isRestorable(database: Database): Promise<boolean> {
  if ((await database.get(RESTORING_MARK)) !== undefined) return true;
  return (await database.keys({ limit: 1 }).all()).length === 0;
}

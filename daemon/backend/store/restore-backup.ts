import { resolve } from 'node:path';
import { MonError } from '../../../shared/errors.ts';
import { assertEqual, assertSpaceForCopy, openBackup, type Backup } from './backup.ts';
import { diskError } from './disk-error.ts';
import { newStoreId, RESTORING, STORE_ID } from './keys.ts';
import { digestOf, rawPages } from './store-digest.ts';
import { encodeTuple } from './tuple.ts';
import type { Database } from './database.ts';

const MARK = encodeTuple(RESTORING);

/**
 * Puts a backup that was verified in place of all that an open database holds. A mark says so meanwhile: a store that was
 * restored only in part is refused by everything but another restore. It is another store then, whose feed begins anew: who
 * has followed the one before, or what it has become since the backup, must not go on where this one goes another way.
 *
 * @throws MonError `unavailable` when the disk refuses, `invalid` when the backup cannot be read; the reason of `signal`
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
      // Synced, so that no power cut takes one of them and leaves the end of the mark.
      await batch.write({ sync: true });
    }
    assertEqual(await digestOf(database, { signal, except: MARK }), backup);
    await database.batch().put(encodeTuple(STORE_ID), newStoreId()).del(MARK).write({ sync: true });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw error instanceof MonError ? error : diskError(database.location, 'write', error);
  } finally {
    await source.close();
  }
}

/** Whether nothing would be lost: there is nothing, or what a restore that was cut off has left. */
export async function isRestorable(database: Database): Promise<boolean> {
  if ((await database.get(MARK)) !== undefined) return true;
  return (await database.keys({ limit: 1 }).all()).length === 0;
}

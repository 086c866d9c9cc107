import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { MonError } from '../../../shared/errors.ts';
import { SystemClock } from '../../clock/system-clock.ts';
import { AtomicWriter } from './atomic-writer.ts';
import { SCHEMA_VERSION, STORE_ID } from './keys.ts';
import { LevelSchema } from './level-schema.ts';
import { LevelUpgradeTarget } from './level-upgrade-target.ts';
import { MIGRATIONS } from './migrations/list.ts';
import type { Migration } from './migrations/migration.ts';
import { PendingMigrations } from './migrations/pending-migrations.ts';
import { readSchemaVersion } from './migrations/schema-version.ts';
import { closeDatabase, openDatabase, WRITE_BUFFER_BYTES } from './open-database.ts';
import { encodeTuple } from './tuple.ts';
import { type Database } from './database.ts';

/** A store that no backend serves, opened for an upgrade. Disposal closes the store. */
export interface OpenSchema extends AsyncDisposable {
  readonly schema: LevelSchema;
}

/**
 * Opens the store in `dir` for an upgrade only: it loads no state and offers no reads or writes.
 *
 * @param migrations the migrations that lead to the newest schema
 * @throws MonError `not_found` if there is no store; `conflict` if another process has it open; see `openDatabase` and
 *   `readSchemaVersion`
 */
export async function openSchema(dir: string, migrations: readonly Migration[] = MIGRATIONS): Promise<OpenSchema> {
  await requireDatabase(dir);
  const database = await openDatabase(dir, WRITE_BUFFER_BYTES);
  try {
    const version = await readSchemaVersion(database, migrations);
    if (version === undefined) throw noStore(dir);
    const writer = new AtomicWriter(database, WRITE_BUFFER_BYTES, new SystemClock());
    const target = new LevelUpgradeTarget(database, {
      write: (entries) => writer.write(entries, 'power'),
      // Nothing else writes to this database, so the task need not wait.
      runExclusive: (task) => task(),
    });
    const pending = new PendingMigrations(target, version, migrations);
    const schema = new LevelSchema(database, await readStoreId(database), pending);
    return {
      schema,
      [Symbol.asyncDispose]: async () => {
        await closeDatabase(database);
        await writer.close();
      },
    };
  } catch (error) {
    await closeDatabase(database);
    throw error;
  }
}

/**
 * Returns the schema version and the id of a store, for a backup of the store. The store can be too new for this
 * program.
 */
export async function describeStore(
  database: Database,
): Promise<{ readonly schema: number; readonly storeId: string }> {
  return {
    schema: Number((await database.get(encodeTuple(SCHEMA_VERSION))) ?? 1),
    storeId: await readStoreId(database),
  };
}

async function readStoreId(database: Database): Promise<string> {
  const id = await database.get(encodeTuple(STORE_ID));
  return id === undefined ? '' : String(JSON.parse(id));
}

/** Throws if there is no database in `dir`, because opening a missing database would create it. */
async function requireDatabase(dir: string): Promise<void> {
  try {
    await access(join(dir, 'CURRENT'));
  } catch (error) {
    throw noStore(dir, error);
  }
}

function noStore(dir: string, cause?: unknown): MonError {
  return new MonError(
    'not_found',
    `there is no store in ${dir}: set --state-dir to the directory of the store. A new installation has no store yet and needs no upgrade.`,
    { cause },
  );
}

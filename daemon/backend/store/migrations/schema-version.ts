import { MonError } from '../../../../shared/errors.ts';
import { newStoreId, RESTORING_KEY, SCHEMA_VERSION, STORE_ID } from '../keys.ts';
import { encodeTuple } from '../tuple.ts';
import { FIRST_SCHEMA, schemaAfterMigrations } from './list.ts';
import type { Migration } from './migration.ts';
import type { Database } from '../database.ts';

const SCHEMA_KEY = encodeTuple(SCHEMA_VERSION);
const ID_KEY = encodeTuple(STORE_ID);

/**
 * Initializes an empty database as a store with the newest schema version. An existing store is left unchanged.
 *
 * @returns the schema version of the store
 * @throws MonError as `readSchemaVersion` does
 */
export async function ensureSchema(database: Database, migrations: readonly Migration[]): Promise<number> {
  const version = await readSchemaVersion(database, migrations);
  if (version !== undefined) return version;
  const newest = schemaAfterMigrations(migrations);
  const id = (await database.get(ID_KEY)) ?? newStoreId();
  await database.batch().put(ID_KEY, id).put(SCHEMA_KEY, String(newest)).write({ sync: true });
  return newest;
}

/**
 * Returns the schema version of the store in a database; undefined if the database contains no store yet.
 *
 * @throws MonError `invalid` if the schema version is newer than `migrations` can reach, the database is not a store of
 *   mon, or a restore into it was interrupted; `internal` if the version is damaged
 */
export async function readSchemaVersion(
  database: Database,
  migrations: readonly Migration[],
): Promise<number | undefined> {
  const [text, restoring] = await database.getMany([SCHEMA_KEY, encodeTuple(RESTORING_KEY)]);
  if (restoring !== undefined) throw restoredInPart(database, restoring);
  if (text === undefined) {
    // An early build wrote the store id first. If its first start was interrupted, that id is the only key.
    const [firstKey] = await database.keys({ limit: 1 }).all();
    if (firstKey === undefined || firstKey === ID_KEY) return undefined;
    throw new MonError(
      'invalid',
      `${database.location} is not a mon database, or the start of its data is missing; ` +
        'use another state directory, or repair this directory with mon-backend repair',
    );
  }
  return supportedVersion(database, text, schemaAfterMigrations(migrations));
}

function supportedVersion(database: Database, text: string, newest: number): number {
  const version = Number(text);
  if (!Number.isSafeInteger(version) || version < FIRST_SCHEMA) {
    throw new MonError(
      'internal',
      `the schema version of the store in ${database.location} is damaged (${JSON.stringify(text)}); restore a backup`,
    );
  }
  if (version <= newest) return version;
  throw new MonError(
    'invalid',
    `the store in ${database.location} has schema ${String(version)}, but this version of mon supports at most ${String(newest)}: ` +
      'start the newer version that wrote the store or a later one, or use another state directory',
  );
}

function restoredInPart(database: Database, backup: string): MonError {
  return new MonError(
    'invalid',
    `the store in ${database.location} was only partially restored: run mon-backend restore-backup ${backup} again`,
  );
}

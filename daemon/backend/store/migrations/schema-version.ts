import { MonError } from '../../../../shared/errors.ts';
import { newStoreId, RESTORING, SCHEMA_VERSION, STORE_ID } from '../keys.ts';
import { encodeTuple } from '../tuple.ts';
import { FIRST_SCHEMA, newestSchema } from './list.ts';
import type { Migration } from './migration.ts';
import type { Database } from '../database.ts';

const SCHEMA_KEY = encodeTuple(SCHEMA_VERSION);
const ID_KEY = encodeTuple(STORE_ID);

/**
 * Makes an empty database a store with the newest schema; any other database is left unchanged.
 *
 * @returns its schema version
 * @throws MonError see `readSchemaVersion`
 */
export async function ensureSchema(database: Database, migrations: readonly Migration[]): Promise<number> {
  const version = await readSchemaVersion(database, migrations);
  if (version !== undefined) return version;
  const newest = newestSchema(migrations);
  const id = (await database.get(ID_KEY)) ?? newStoreId();
  await database.batch().put(ID_KEY, id).put(SCHEMA_KEY, String(newest)).write({ sync: true });
  return newest;
}

/**
 * @returns undefined if the database is no store yet
 * @throws MonError `invalid` if the database is newer than the program, is not a store of mon, or was restored only in
 *   part; `internal` if the version is damaged
 */
export async function readSchemaVersion(
  database: Database,
  migrations: readonly Migration[],
): Promise<number | undefined> {
  const [text, restoring] = await database.getMany([SCHEMA_KEY, encodeTuple(RESTORING)]);
  if (restoring !== undefined) throw restoredInPart(database, restoring);
  if (text === undefined) {
    // The only key that may exist is the id that an early build left behind when its first start was interrupted.
    const [firstKey] = await database.keys({ limit: 1 }).all();
    if (firstKey === undefined || firstKey === ID_KEY) return undefined;
    throw new MonError(
      'invalid',
      `${database.location} is not a mon database, or the start of its data is missing; ` +
        'use another state directory, or repair this directory with mon-backend repair',
    );
  }
  return supportedVersion(database, text, newestSchema(migrations));
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

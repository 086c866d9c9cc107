import { errorMessage, MonError } from '../../../../shared/errors.ts';
import { SCHEMA_VERSION, STORE_ID } from '../keys.ts';
import type { Database } from '../open-database.ts';
import { encodeTuple } from '../tuple.ts';
import type { Migration } from './migration.ts';

const SCHEMA_KEY = encodeTuple(SCHEMA_VERSION);

/**
 * Brings the schema of an open database to the last of `migrations`. The version is written after each step, so that a
 * start that was cut off goes on with the step that it was in.
 *
 * @param migrations in order, versions 1, 2, 3 ...
 * @throws MonError `invalid` when the database is newer than the program or is not a store of mon; `unavailable`, naming
 *   the step, when one fails
 */
export async function applyMigrations(database: Database, migrations: readonly Migration[]): Promise<void> {
  const current = await schemaVersion(database);
  const newest = migrations.length;
  if (current > newest) {
    throw new MonError(
      'invalid',
      `the store in ${database.location} has schema ${String(current)}, this program knows up to ${String(newest)}: ` +
        'a newer mon has written it; start that version or a later one, or use another state directory',
    );
  }
  for (const migration of migrations.slice(current)) {
    const { version, name } = migration;
    try {
      await migration.migrate(database);
      await database.put(SCHEMA_KEY, String(version), { sync: true });
    } catch (error) {
      throw new MonError(
        'unavailable',
        `migration ${String(version)} (${name}) of the store in ${database.location} failed: ${errorMessage(error)}; ` +
          'the next start tries it again',
        { cause: error },
      );
    }
  }
}

/** 0 for a database that no migration has finished in. */
async function schemaVersion(database: Database): Promise<number> {
  const text = await database.get(SCHEMA_KEY);
  if (text === undefined) {
    // Only what the first step leaves behind when it is cut off may be there.
    const [firstKey] = await database.keys({ limit: 1 }).all();
    if (firstKey === undefined || firstKey === encodeTuple(STORE_ID)) return 0;
    throw new MonError(
      'invalid',
      `${database.location} holds a database of another program; use another state directory`,
    );
  }
  const version = Number(text);
  if (!Number.isSafeInteger(version) || version < 1) {
    throw new MonError(
      'internal',
      `the schema version of the store in ${database.location} is damaged (${JSON.stringify(text)}); restore a backup`,
    );
  }
  return version;
}

import { MonError } from '../../../../shared/errors.ts';
import { MIGRATIONS, schemaAfterMigrations } from '../migrations/list.ts';
import { RETENTION_DEFAULT } from '../retention.ts';
import { databaseError } from './database-error.ts';
import { parseDatabaseUrl } from './database-url.ts';
import { readShards } from './read-shards.ts';
import { ensureTables } from './open-postgres.ts';
import { PostgresStore } from './postgres-store.ts';
import { DatabaseServer, closeConnection } from './server.ts';

/** A database into which another store is being copied. No backend starts on it before `finish` was called. */
interface UnfinishedCopy extends AsyncDisposable {
  readonly store: PostgresStore;
  finish(): Promise<void>;
}

/**
 * Prepares a database for a copy: it must be empty, or hold an interrupted copy of the same store.
 *
 * @param sourceId the id of the store that is copied
 * @throws MonError `conflict` if the database holds any other store
 */
export async function openUnfinishedCopy(url: string, sourceId: string): Promise<UnfinishedCopy> {
  const server = new DatabaseServer(parseDatabaseUrl(url));
  const client = await server.connect(() => undefined);
  try {
    const row = await ensureTables(client, server.shown, schemaAfterMigrations(MIGRATIONS), sourceId);
    if (row.copying !== sourceId) throw holdsAnother(server.shown);
    const store = new PostgresStore(server, row, await readShards(client, RETENTION_DEFAULT));
    return { store, finish: () => finishCopy(url), [Symbol.asyncDispose]: () => store.close() };
  } catch (error) {
    throw databaseError(server.shown, 'read', error);
  } finally {
    closeConnection(client);
  }
}

async function finishCopy(url: string): Promise<void> {
  const server = new DatabaseServer(parseDatabaseUrl(url));
  const client = await server.connect(() => undefined);
  try {
    await client.query('update mon.store set copying = null');
  } catch (error) {
    throw databaseError(server.shown, 'write', error);
  } finally {
    closeConnection(client);
  }
}

function holdsAnother(shown: string): MonError {
  return new MonError(
    'conflict',
    `${shown} already contains a store: name an empty database with --to, or remove that store with DROP SCHEMA mon CASCADE`,
  );
}

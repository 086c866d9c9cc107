import { afterAll, beforeAll } from 'vitest';
import { openPostgresStore } from '../../../../../daemon/backend/store/postgres/postgres-store.ts';
import { startPostgres, type PostgresServer } from '../../../../../scripts/lib/postgres-server.ts';
import { storeContract } from '../../../../support/store-contract.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres(['fsync=off']);
});
afterAll(async () => server[Symbol.asyncDispose]());

const databases = new Map<string, string>();

/**
 * Returns the URL of the database for a directory, because the shared tests of stores identify a store by its
 * directory.
 */
async function databaseFor(dir: string): Promise<string> {
  const known = databases.get(dir);
  if (known !== undefined) return known;
  const url = await server.database();
  databases.set(dir, url);
  return url;
}

storeContract('PostgreSQL', async (dir) => openPostgresStore(await databaseFor(dir)));

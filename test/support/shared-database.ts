import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { startPostgres, type PostgresServer } from '../../scripts/lib/postgres-server.ts';
import { startBackend, type RunningBackend } from './running-backend.ts';

/** A PostgreSQL for the tests of a file. To be called once, outside of them. @returns gives it, within them */
export function postgresOfFile(): () => PostgresServer {
  let server: PostgresServer | undefined;
  beforeAll(async () => {
    server = await startPostgres(['fsync=off']);
  });
  afterAll(async () => server?.[Symbol.asyncDispose]());
  return () => {
    if (server === undefined) throw new Error('the database is there within tests only');
    return server;
  };
}

/** A backend in this process that shares a database, until the test is over. */
export async function startSharing(
  database: string,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<RunningBackend> {
  const backend = await startBackend({ database, settings });
  onTestFinished(() => backend[Symbol.asyncDispose]());
  return backend;
}

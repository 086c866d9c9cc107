import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { BackendOptions } from '../../daemon/backend/compose/options.ts';
import { startPostgres, type PostgresServer } from '../../scripts/lib/postgres-server.ts';
import { startBackend, type RunningBackend } from './running-backend.ts';
import { tempDir } from './temp-dir.ts';

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

/** The key that backends of a test have in common; each test file has its own. */
const PEER_KEY = randomBytes(32).toString('base64');

/** A file that holds a peer key, until the test is over. */
export async function peerKeyFile(key = PEER_KEY): Promise<string> {
  const file = join(await tempDir(), 'peer.key');
  await writeFile(file, `${key}\n`, { mode: 0o600 });
  return file;
}

/**
 * A backend in this process that shares a database, until the test is over.
 *
 * @param settings get the `peer-key-file` of all, unless they name another one; undefined: the backend has no such key
 */
export async function startSharing(
  database: string,
  settings: Readonly<Record<string, unknown>> = {},
  fixedLimits: BackendOptions['fixedLimits'] = {},
): Promise<RunningBackend> {
  const keyed = 'peer-key-file' in settings ? settings : { ...settings, 'peer-key-file': await peerKeyFile() };
  const backend = await startBackend({ database, settings: keyed, fixedLimits });
  onTestFinished(() => backend[Symbol.asyncDispose]());
  return backend;
}

import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { BackendOptions } from '../../daemon/backend/compose/options.ts';
import { startPostgres, type PostgresServer } from '../../scripts/lib/postgres-server.ts';
import { startBackend, type RunningBackend } from './running-backend.ts';
import { tempDir } from './temp-dir.ts';

/**
 * Starts a PostgreSQL for the tests of a file. Call it once, outside of them.
 *
 * @returns a function that returns it, within the tests
 */
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

/** The common key of a test's backends; each test file has its own. */
const PEER_KEY = randomBytes(32).toString('base64');

/** Returns a file that contains a peer key, until the test is over. */
export async function peerKeyFile(key = PEER_KEY): Promise<string> {
  const file = join(await tempDir(), 'peer.key');
  await writeFile(file, `${key}\n`, { mode: 0o600 });
  return file;
}

/**
 * Starts a backend in this process that shares a database, until the test is over.
 *
 * @param settings get the common `peer-key-file`, unless they name one; `undefined` means no key
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

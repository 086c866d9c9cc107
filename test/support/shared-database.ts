import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { BackendOptions } from '../../daemon/backend/compose/options.ts';
import { startPostgres, type PostgresServer } from '../../scripts/lib/postgres-server.ts';
import { startBackend, type RunningBackend } from './running-backend.ts';
import { tempDir } from './temp-dir.ts';

/**
 * Starts a PostgreSQL server for the tests of a file. Must be called outside of the tests, once per file.
 *
 * @returns a function that returns the server, and that only tests may call
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

/** Peer key that all backends of a test file share. */
const PEER_KEY = randomBytes(32).toString('base64');

/** Writes a peer key to a file, which is removed when the test finishes, and returns its path. */
export async function peerKeyFile(key = PEER_KEY): Promise<string> {
  const file = join(await tempDir(), 'peer.key');
  await writeFile(file, `${key}\n`, { mode: 0o600 });
  return file;
}

/**
 * Starts a backend in this process that shares a database with others. It is stopped when the test finishes.
 *
 * @param settings configuration of the backend; it gets the common `peer-key-file` unless it contains this setting,
 * where `undefined` means no key
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

import { startPostgres, type PostgresServer } from '../lib/postgres-server.ts';
import { startBackend, type BenchBackend } from './backend-process.ts';

/** Starts a database server with settings that are typical for this load. */
export function startDatabase(): Promise<PostgresServer> {
  return startPostgres(['shared_buffers=256MB', 'max_wal_size=4GB']);
}

/** Starts backends on one database, one after the other, so that the first one becomes the leader. */
export async function startMembers(
  count: number,
  store: string,
  settings: object = {},
): Promise<AsyncDisposable & { readonly members: readonly BenchBackend[] }> {
  await using started = new AsyncDisposableStack();
  const members: BenchBackend[] = [];
  for (let at = 0; at < count; at++) {
    members.push(started.use(await startBackend({ settings, env: { MON_STORE: store } })));
  }
  const running = started.move();
  return { members, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

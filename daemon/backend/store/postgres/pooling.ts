import type { Client } from 'pg';
import { MonError } from '../../../../shared/errors.ts';
import { closeConnection, type DatabaseServer } from './server.ts';

/** Number of comparisons: other clients of the pooler can use the session that one comparison would have found. */
const ROUNDS = 3;

const SESSION_ID = 'select pg_backend_pid() as id';

/**
 * Verifies that each connection has a session of its own at the server. A pooler in transaction mode lends the same
 * session to another connection after each transaction. Then settings, prepared statements and notifications get lost,
 * some of them only under load.
 *
 * @param client a connection without a transaction
 * @throws MonError `invalid` if a pooler in transaction or statement mode is between this backend and the server
 */
export async function refuseTransactionPooling(server: DatabaseServer, client: Client): Promise<void> {
  const other = await server.connect(() => undefined);
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const own = await sessionOf(client);
      await other.query('begin').catch((error: unknown) => {
        throw poolingError(server.shown, error);
      });
      const ofOther = await sessionOf(other);
      if (own === ofOther || own !== (await sessionOf(client))) throw poolingError(server.shown);
      await other.query('commit');
    }
  } finally {
    closeConnection(other);
  }
}

async function sessionOf(client: Client): Promise<number | undefined> {
  const { rows } = await client.query<{ id: number }>(SESSION_ID);
  return rows[0]?.id;
}

function poolingError(shown: string, cause?: unknown): unknown {
  // Only a pooler in statement mode rejects the begin of a transaction.
  if (cause !== undefined && !(cause instanceof Error && /pooling mode/.test(cause.message))) return cause;
  return new MonError(
    'invalid',
    `the store ${shown} is behind a connection pooler that shares sessions: set pool_mode = session for this database ` +
      'in pgbouncer.ini, or name the PostgreSQL server itself in the setting store',
    { cause },
  );
}

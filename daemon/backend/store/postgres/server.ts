import pg from 'pg';
import { MonError } from '../../../../shared/errors.ts';
import { databaseError, isServerResponse } from './database-error.ts';
import type { DatabaseUrl } from './database-url.ts';

/** Timeout in milliseconds of a connection attempt to one host. An available server responds much earlier. */
const CONNECT_MS_MAX = 5000;

/**
 * Timeout in milliseconds of a statement. A statement that takes longer counts as failed: the connection is cut, or the
 * server hangs.
 */
const ANSWER_MS_MAX = 10_000;

/** Timeout in milliseconds of a query on a connection for reads. A page of a scan may take long on a busy server. */
const READ_MS_MAX = 60_000;

/** Maximum number of connections for reads. A scan occupies one connection until its last page was read. */
const READERS_MAX = 8;

/**
 * TCP keepalive options of this process. With them a dead idle connection, such as the one that receives notifications,
 * is detected after about 15 seconds instead of hours.
 */
const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 5000 };

/**
 * Returns PostgreSQL settings by name, with which the server soon releases the locks of a client that is gone. Settings
 * that the server does not support are skipped.
 *
 * The TCP keepalive detects a dead connection after seconds, instead of two hours. It does not detect a suspended
 * process, so timeouts end the transactions of such a process. For a process that is suspended while it sends a write,
 * that is `transaction_timeout`. It exists from PostgreSQL 17 on.
 */
const settingsOf = (answerMs: number): Readonly<Record<string, string>> => ({
  tcp_keepalives_idle: '5',
  tcp_keepalives_interval: '3',
  tcp_keepalives_count: '3',
  idle_in_transaction_session_timeout: String(2 * answerMs),
  transaction_timeout: String(2 * answerMs),
});

/** Applies the settings that the server supports, and selects whether it is a standby. $1 settings as a JSON object. */
const SET_UP = `
select pg_is_in_recovery() as standby, (
  select count(set_config(name, value, false)) from json_each_text($1) as wanted(name, value)
  where current_setting(name, true) is not null
)`;

/**
 * Connections to a database with one or more hosts. This class finds the host that accepts writes, also after a
 * failover.
 */
export class DatabaseServer implements AsyncDisposable {
  readonly shown: string;
  readonly #hosts: readonly [string, ...string[]];
  readonly #answerMs: number;
  /** Index of the host that most recently accepted a connection for writes. */
  #current = 0;
  #readers: pg.Pool | undefined;

  constructor({ hosts, shown }: DatabaseUrl, answerMs = ANSWER_MS_MAX) {
    this.#hosts = hosts;
    this.#answerMs = answerMs;
    this.shown = shown;
  }

  /**
   * Opens a dedicated connection to the host that accepts writes.
   *
   * @param onLost callback that is called once if the returned connection is lost
   * @throws MonError `unavailable` if no host accepts writes
   */
  async connect(onLost: (error: unknown) => void): Promise<pg.Client> {
    let problem: unknown;
    for (let tried = 0; tried < this.#hosts.length; tried++) {
      const at = (this.#current + tried) % this.#hosts.length;
      try {
        const client = await connectTo(this.#hosts[at] ?? '', this.#answerMs, onLost);
        if (at !== this.#current) this.#switchTo(at);
        return client;
      } catch (error) {
        // If all hosts fail, the response of a server, such as a wrong password, is reported instead of an unreachable
        // host.
        problem = problem === undefined || isServerResponse(error) ? error : problem;
      }
    }
    throw databaseError(this.shown, 'connect', problem);
  }

  /** The connection pool for reads, on the host that most recently accepted a connection for writes. */
  get readers(): pg.Pool {
    this.#readers ??= openReaders(this.#hosts[this.#current] ?? '');
    return this.#readers;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#readers?.end();
  }

  #switchTo(at: number): void {
    this.#current = at;
    void this.#readers?.end();
    this.#readers = undefined;
  }
}

async function connectTo(url: string, answerMs: number, onLost: (error: unknown) => void): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'mon-backend',
    ...KEEP_ALIVE,
    connectionTimeoutMillis: CONNECT_MS_MAX,
    query_timeout: answerMs,
    // The server cancels a statement that runs for so long that the client has stopped waiting for it.
    statement_timeout: 2 * answerMs,
  });
  // Without a listener, an error would end the process. This listener is for errors during the connection setup, and
  // for a connection that `closeConnection` closes.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ standby: boolean }>(SET_UP, [JSON.stringify(settingsOf(answerMs))]);
    if (rows[0]?.standby !== false)
      throw new MonError('unavailable', 'the database server is a standby and accepts no writes');
    client.once('error', onLost);
    return client;
  } catch (error) {
    closeConnection(client);
    throw error;
  }
}

function openReaders(url: string): pg.Pool {
  const readers = new pg.Pool({
    connectionString: url,
    application_name: 'mon-backend reads',
    ...KEEP_ALIVE,
    max: READERS_MAX,
    connectionTimeoutMillis: CONNECT_MS_MAX,
    query_timeout: READ_MS_MAX,
  });
  // The pool itself removes an idle connection that is lost, so its error is ignored.
  readers.on('error', () => undefined);
  // If a connection is lost while it is in use, its next query fails, so the error is ignored here.
  readers.on('connect', (client) => client.on('error', () => undefined));
  return readers;
}

/** Closes a connection that may already be lost, without waiting for the result. */
export function closeConnection(client: pg.Client): void {
  void client.end().catch(() => undefined);
}

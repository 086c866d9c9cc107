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

/**
 * Maximum number of connections for reads. A scan occupies one connection until its last page was read. With the
 * connections for writes and for membership and one that replaces a hanging connection, a backend has at most eight.
 */
const READERS_MAX = 5;

/**
 * The share of a timeout after which the server itself cancels the statement. If only the client gave up, the hanging
 * session would stay at the server, and each new attempt would add another one.
 */
const CANCEL_SHARE = 0.9;

/**
 * TCP keepalive options of this process. With them a dead idle connection, such as the one that receives notifications,
 * is detected after about 15 seconds instead of hours.
 */
const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 5000 };

/** Timeouts of a session at the database. */
export interface SessionLimits {
  /** Time in milliseconds after which the client gives up a statement and the connection counts as lost. */
  readonly answerMs: number;
  /** Time in milliseconds after which the server cancels a statement. Default: slightly less than `answerMs`. */
  readonly cancelMs?: number;
  /**
   * Whether a commit waits until it is on the disk of the server and of its synchronous standbys. Default: as the
   * server is configured.
   */
  readonly isDurable?: boolean;
}

/**
 * Returns PostgreSQL settings by name, with which the server soon releases the sessions and locks of a client that is
 * gone. Settings that the server does not support are skipped. They are set by a statement, because PgBouncer rejects
 * a connection whose startup message contains them.
 *
 * The TCP keepalive detects a dead connection after seconds, instead of two hours.
 */
const settingsOf = ({
  answerMs,
  cancelMs = CANCEL_SHARE * answerMs,
  isDurable = true,
}: SessionLimits): Readonly<Record<string, string>> => ({
  tcp_keepalives_idle: '5',
  tcp_keepalives_interval: '3',
  tcp_keepalives_count: '3',
  statement_timeout: String(Math.ceil(cancelMs)),
  ...(isDurable ? {} : { synchronous_commit: 'off' }),
});

/**
 * Returns the settings that end a transaction. The TCP keepalive does not detect a suspended process, so timeouts end
 * the transactions of such a process. For a process that is suspended while it sends a write, that is
 * `transaction_timeout`. It exists from PostgreSQL 17 on. The connections for reads lack these limits, because a scan
 * may take long.
 */
const transactionLimits = ({ answerMs }: SessionLimits): Readonly<Record<string, string>> => ({
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
   * @param limits timeouts of the connection; default: those of the connection that writes
   * @param onLost callback that is called once if the returned connection is lost
   * @throws MonError `unavailable` if no host accepts writes
   */
  async connect(
    onLost: (error: unknown) => void,
    limits: SessionLimits = { answerMs: this.#answerMs },
  ): Promise<pg.Client> {
    let problem: unknown;
    for (let tried = 0; tried < this.#hosts.length; tried++) {
      const at = (this.#current + tried) % this.#hosts.length;
      try {
        const client = await connectTo(this.#hosts[at] ?? '', limits, onLost);
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

async function connectTo(url: string, limits: SessionLimits, onLost: (error: unknown) => void): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'mon-backend',
    ...KEEP_ALIVE,
    connectionTimeoutMillis: CONNECT_MS_MAX,
    query_timeout: limits.answerMs,
  });
  // Without a listener, an error would end the process. This listener is for errors during the connection setup, and
  // for a connection that `closeConnection` closes.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const isStandby = await setUp(client, { ...settingsOf(limits), ...transactionLimits(limits) });
    if (isStandby) throw new MonError('unavailable', 'the database server is a standby and accepts no writes');
    client.once('error', onLost);
    return client;
  } catch (error) {
    closeConnection(client);
    throw error;
  }
}

/** Applies the settings to the session. @returns true if the server is a standby, which accepts no writes */
async function setUp(client: pg.ClientBase, settings: Readonly<Record<string, string>>): Promise<boolean> {
  const query: pg.QueryConfig & { readonly query_timeout: number } = {
    text: SET_UP,
    values: [JSON.stringify(settings)],
    query_timeout: CONNECT_MS_MAX,
  };
  const { rows } = await client.query<{ standby: boolean }>(query);
  return rows[0]?.standby !== false;
}

/** @param done callback that receives the error if the settings cannot be applied */
async function setUpReader(client: pg.ClientBase, done: (error?: Error) => void): Promise<void> {
  let problem: Error | undefined;
  try {
    await setUp(client, settingsOf({ answerMs: READ_MS_MAX }));
  } catch (error) {
    problem = error instanceof Error ? error : new Error(String(error));
  }
  done(problem);
}

function openReaders(url: string): pg.Pool {
  const readers = new pg.Pool({
    connectionString: url,
    application_name: 'mon-backend reads',
    ...KEEP_ALIVE,
    max: READERS_MAX,
    connectionTimeoutMillis: CONNECT_MS_MAX,
    query_timeout: READ_MS_MAX,
    verify: (client, done) => void setUpReader(client, done),
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

import pg from 'pg';
import { MonError } from '../../../../shared/errors.ts';
import { databaseError, isAnswer } from './database-error.ts';
import type { DatabaseUrl } from './database-url.ts';

/** Timeout of a connection attempt. An available server responds earlier, and a wrong address fails much earlier. */
const CONNECT_MS_MAX = 5000;

/** Timeout of a statement. After it no response will come: the connection is cut, or the server hangs. */
const ANSWER_MS_MAX = 10_000;

/** Timeout of a page of a scan, which may take longer on a busy server. */
const READ_MS_MAX = 60_000;

/** Maximum number of reading connections. A scan holds one until its end; the others are for single reads. */
const READERS_MAX = 8;

/**
 * Keepalive options of idle connections, such as the listening one: a dead one is detected after some 15 seconds, not
 * after hours.
 */
const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 5000 };

/**
 * Returns the keepalive settings of the server. Without them the server holds the locks of a dead connection for the
 * two hours of its system. For TCP a stopped process is still alive. If it stops in the middle of a write, whose last
 * message the server awaits, the transaction times out from PostgreSQL 17 on. The keys are names of settings; the
 * server accepts those it knows.
 */
const settingsOf = (answerMs: number): Readonly<Record<string, string>> => ({
  tcp_keepalives_idle: '5',
  tcp_keepalives_interval: '3',
  tcp_keepalives_count: '3',
  idle_in_transaction_session_timeout: String(2 * answerMs),
  transaction_timeout: String(2 * answerMs),
});

/** $1 settings. */
const SET_UP = `
select pg_is_in_recovery() as standby, (
  select count(set_config(name, value, false)) from json_each_text($1) as wanted(name, value)
  where current_setting(name, true) is not null
)`;

/** The hosts of a database. It finds the host that accepts writes, also after a failover. */
export class DatabaseServer implements AsyncDisposable {
  readonly shown: string;
  readonly #hosts: readonly [string, ...string[]];
  readonly #answerMs: number;
  /** Index of the host that accepted writes last. */
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
   * @param onLost called once if the connection is cut after it was returned
   * @throws MonError `unavailable`
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
        // An error such as a wrong password says more than an unreachable host.
        problem = problem === undefined || isAnswer(error) ? error : problem;
      }
    }
    throw databaseError(this.shown, 'connect', problem);
  }

  /** The pool for reads, on the host that accepted writes last. */
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
    // The server cancels statements that no client awaits any more.
    statement_timeout: 2 * answerMs,
  });
  // Ignores the errors of a connection that is cut meanwhile, or given up later.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ standby: boolean }>(SET_UP, [JSON.stringify(settingsOf(answerMs))]);
    if (rows[0]?.standby !== false)
      throw new MonError('unavailable', 'the database server is a standby and accepts no writes');
    client.once('error', onLost);
    return client;
  } catch (error) {
    giveUp(client);
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
  // An idle connection that is cut leaves the pool by itself.
  readers.on('error', () => undefined);
  // The user of an active connection gets the error with its next query.
  readers.on('connect', (client) => client.on('error', () => undefined));
  return readers;
}

/** Ends a connection that may be cut, without waiting. */
export function giveUp(client: pg.Client): void {
  void client.end().catch(() => undefined);
}

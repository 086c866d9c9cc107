import pg from 'pg';
import { MonError } from '../../../../shared/errors.ts';
import { databaseError, isAnswer } from './database-error.ts';
import type { DatabaseUrl } from './database-url.ts';

/** Longer than any connection to a server that is there takes; a wrong address fails much earlier. */
const CONNECT_MS_MAX = 5000;

/** A statement without an answer for so long has none coming: the way to the server is cut, or it stands still. */
const ANSWER_MS_MAX = 10_000;

/** Pages of large scans may take longer on a busy server. */
const READ_MS_MAX = 60_000;

/** A scan holds one until it is through; the rest is for single reads. */
const READERS_MAX = 8;

/** Of a connection that is idle, such as the one that only hears: it is found dead after some 15 seconds, and not after hours. */
const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 5000 };

/**
 * The same at the server, which else holds what a dead connection has locked for the two hours of its system. A process that
 * stands still is alive in this sense; should it be in the middle of a write, whose last message the server waits for, the
 * transaction has an end from PostgreSQL 17 on. By the names of settings of which the server takes those it knows.
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

/** The hosts of a database, of which the one that takes writes is found and found again. */
export class DatabaseServer implements AsyncDisposable {
  readonly shown: string;
  readonly #hosts: readonly [string, ...string[]];
  readonly #answerMs: number;
  /** The host that took writes last. */
  #current = 0;
  #readers: pg.Pool | undefined;

  constructor({ hosts, shown }: DatabaseUrl, answerMs = ANSWER_MS_MAX) {
    this.#hosts = hosts;
    this.#answerMs = answerMs;
    this.shown = shown;
  }

  /**
   * A connection of its own to the host that takes writes.
   *
   * @param onLost called once when it is cut after it was handed out
   * @throws MonError `unavailable`
   */
  async connect(onLost: (error: unknown) => void): Promise<pg.Client> {
    let problem: unknown;
    for (let tried = 0; tried < this.#hosts.length; tried++) {
      const at = (this.#current + tried) % this.#hosts.length;
      try {
        const client = await connectTo(this.#hosts[at] ?? '', this.#answerMs, onLost);
        if (at !== this.#current) this.#turnTo(at);
        return client;
      } catch (error) {
        // A wrong password says more than a host that is down.
        problem = problem === undefined || isAnswer(error) ? error : problem;
      }
    }
    throw databaseError(this.shown, 'connect', problem);
  }

  /** For reads, on the host that took writes last. */
  get readers(): pg.Pool {
    this.#readers ??= openReaders(this.#hosts[this.#current] ?? '');
    return this.#readers;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#readers?.end();
  }

  #turnTo(at: number): void {
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
    // The server ends what nobody waits for any more.
    statement_timeout: 2 * answerMs,
  });
  // Whatever one that is cut meanwhile, or given up later, has to say.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ standby: boolean }>(SET_UP, [JSON.stringify(settingsOf(answerMs))]);
    if (rows[0]?.standby !== false) throw new MonError('unavailable', 'the server is a standby and accepts no writes');
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
  // One that is idle and is cut leaves the pool by itself.
  readers.on('error', () => undefined);
  // Of one that is in use whoever uses it hears, with the next thing that he asks.
  readers.on('connect', (client) => client.on('error', () => undefined));
  return readers;
}

/** Ends a connection that may be cut, and waits for nothing. */
export function giveUp(client: pg.Client): void {
  void client.end().catch(() => undefined);
}

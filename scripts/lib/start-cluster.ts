import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startDaemon, type DaemonProcess } from './daemon-process.ts';
import { startPostgres, type PostgresServer } from './postgres-server.ts';

/** Number of backends in the example cluster: one leader and two followers. */
export const MEMBER_COUNT = 3;

/** Delay until a backend that ended is restarted, as a supervisor would do. */
const RESTART_DELAY_MS = 2000;

/** The backends that `./scripts/start` runs on this machine. */
export interface Backends extends AsyncDisposable {
  readonly pids: readonly number[];
  /** Resolves when a backend has ended and is not restarted, with a sentence that describes the exit. */
  readonly ended: Promise<string>;
  /** One line of text for the user about each backend. */
  readonly lines: readonly string[];
}

/**
 * Starts a PostgreSQL server whose databases are retained, and backends on it, each with its own state directory. A
 * backend that ends unexpectedly is restarted, so that users can kill it and watch the failover.
 *
 * @param ports the ports of the backends; each port starts a backend
 * @param definitions directories of definitions, separated by commas
 * @param report callback that receives messages about the backends
 */
export async function startCluster(
  ports: readonly number[],
  definitions: string,
  report: (message: string) => void,
): Promise<Backends> {
  await using started = new AsyncDisposableStack();
  const server = started.use(await startPostgres([], 'var/postgres'));
  const store = await databaseOf(server);
  await makePeerKey();
  const members = await Promise.all(
    ports.map(async (port, at) =>
      started.use(await Member.start(String(at + 1), { port, definitions, store, report })),
    ),
  );
  const running = started.move();
  return {
    pids: members.map(({ pid }) => pid),
    ended: new Promise(() => undefined),
    lines: [...members.map(({ line }) => line), `database   ${server.dir}`],
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Creates the database, or uses the database of an earlier start, and returns its URL. */
async function databaseOf(server: PostgresServer): Promise<string> {
  try {
    return await server.database('mon');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === DUPLICATE_DATABASE)) throw error;
    return server.url('mon');
  }
}

const DUPLICATE_DATABASE = '42P04';

interface MemberOptions {
  readonly port: number;
  readonly definitions: string;
  readonly store: string;
  readonly report: (message: string) => void;
}

class Member implements AsyncDisposable {
  readonly #name: string;
  readonly #options: MemberOptions;
  readonly #stopping = new AbortController();
  #daemon: DaemonProcess;
  readonly #watching: Promise<void>;

  private constructor(name: string, options: MemberOptions, daemon: DaemonProcess) {
    this.#name = name;
    this.#options = options;
    this.#daemon = daemon;
    this.#watching = this.#watch();
  }

  static async start(name: string, options: MemberOptions): Promise<Member> {
    return new Member(name, options, await startMember(name, options));
  }

  get line(): string {
    const url = `http://127.0.0.1:${String(this.#options.port)}`;
    return `backend ${this.#name}  ${url}  (process ${String(this.pid)}, log in var/log/backend-${this.#name}.log)`;
  }

  get pid(): number {
    return this.#daemon.pid;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#daemon[Symbol.asyncDispose]();
    await this.#watching;
    await this.#daemon[Symbol.asyncDispose]();
  }

  async #watch(): Promise<void> {
    const { signal } = this.#stopping;
    for (;;) {
      await this.#daemon.ended;
      if (signal.aborted) return;
      this.#options.report(`backend ${this.#name} ended; it is started again`);
      await delay(RESTART_DELAY_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      this.#daemon = await startMember(this.#name, this.#options);
    }
  }
}

function startMember(name: string, { port, definitions, store }: MemberOptions): Promise<DaemonProcess> {
  return startDaemon(
    `backend ${name}`,
    'dist/mon-backend.js',
    ['start', '--state-dir', `var/backend-${name}`, '--bind', '127.0.0.1', '--port', String(port), '-d', definitions],
    `var/log/backend-${name}.log`,
    { MON_STORE: store, MON_PEER_KEY_FILE: PEER_KEY_FILE },
  );
}

/** Creates the key that the backends of this clone share, unless the file exists. */
async function makePeerKey(): Promise<void> {
  await mkdir(dirname(PEER_KEY_FILE), { recursive: true, mode: 0o700 });
  try {
    await writeFile(PEER_KEY_FILE, `${randomBytes(32).toString('base64')}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

const PEER_KEY_FILE = 'var/peer.key';

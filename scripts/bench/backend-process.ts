import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Builds what is older than its sources, so that no start is measured that does. */
export async function buildPrograms(): Promise<void> {
  await once(spawn(`${ROOT}scripts/mon-backend`, ['version'], { stdio: 'ignore' }), 'exit');
}

/** A directory for a store, on the disk of the project, so that fsync costs what it does there. */
export function makeStateDir(): Promise<string> {
  return mkdtemp(`${ROOT}build/bench-`);
}

/** The log record of a backend that serves. */
interface Started {
  readonly url: string;
  readonly agent_url?: string;
}

/** Milliseconds. */
interface Longest {
  readonly p999: number;
  readonly max: number;
}

/** What held up its event loop since it was last asked. */
export interface LoopDelay {
  /** How late it was, also because others had the core. */
  readonly late: Longest;
  /** What it had to do itself from one turn to the next. */
  readonly work: Longest;
}

export interface BenchBackend extends AsyncDisposable {
  readonly url: string;
  /** The listener for agents of Sensu Go; empty unless the settings have one. */
  readonly agentUrl: string;
  readonly pid: number;
  /** Of one whose loop is watched. */
  loopDelay(): Promise<LoopDelay>;
  /** Has it take over another configuration. */
  reload(settings: object): Promise<void>;
}

/**
 * A backend of its own process.
 *
 * @param clone whose programs it is of; default: of this one
 * @param settings its configuration
 * @param stateDir goes with it, unless it `keepsState`; default: an empty one
 */
export async function startBackend({
  clone = ROOT,
  settings = {},
  stateDir,
  keepsState = false,
  env = {},
  isLoopWatched = false,
}: {
  readonly clone?: string | undefined;
  readonly settings?: object;
  readonly stateDir?: string;
  readonly keepsState?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly isLoopWatched?: boolean;
} = {}): Promise<BenchBackend> {
  const watching = isLoopWatched ? { NODE_OPTIONS: `--import ${ROOT}scripts/bench/watch-loop.ts` } : {};
  const dir = stateDir ?? (await makeStateDir());
  const config = `${dir}.json`;
  await writeFile(config, JSON.stringify(settings));
  const child = spawn(join(clone, 'scripts/mon-backend'), ['start', '--state-dir', dir, '--port', '0', '-c', config], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { ...process.env, ...watching, ...env },
  });
  const exited = once(child, 'exit');
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  const { url, agent_url: agentUrl = '' } = await new Promise<Started>((resolve, reject) => {
    createInterface({ input: child.stdout as Readable }).on('line', (line) => {
      // It logs each answer, in the process that asks: nothing is parsed that need not be.
      if (line.includes('"level":"error"')) console.error(line);
      else if (line.includes('"url":')) resolve(JSON.parse(line) as Started);
    });
    exited.then(() => reject(new Error('the backend did not start')), reject);
  });
  return {
    url,
    agentUrl,
    pid: child.pid ?? 0,
    async loopDelay() {
      child.send('loop delay');
      const [delay] = (await once(child, 'message')) as [LoopDelay];
      return delay;
    },
    async reload(next) {
      await writeFile(config, JSON.stringify(next));
      child.kill('SIGHUP');
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await exited;
      process.off('exit', kill);
      await Promise.all(
        (keepsState ? [config] : [dir, config]).map((path) => rm(path, { recursive: true, force: true })),
      );
    },
  };
}

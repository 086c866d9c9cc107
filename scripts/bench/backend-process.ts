import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const REPOSITORY_ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Builds the programs if they are older than their sources, so that no measured start includes a build. */
export async function buildPrograms(): Promise<void> {
  await once(spawn(`${REPOSITORY_ROOT}scripts/mon-backend`, ['version'], { stdio: 'ignore' }), 'exit');
}

/** Creates a state directory on the disk of the project, so that an fsync has its real cost. */
export function makeStateDir(): Promise<string> {
  return mkdtemp(`${REPOSITORY_ROOT}build/bench-`);
}

/** The log record of a started backend. */
interface StartLogRecord {
  readonly url: string;
  readonly agent_url?: string;
}

/** The longest delays, in milliseconds: the 99.9th percentile and the maximum. */
interface LongestDelays {
  readonly p999: number;
  readonly max: number;
}

/** Delays of a backend's event loop since the previous query. */
export interface LoopDelay {
  /** Delay of the event loop, including the time in which other processes used the core. */
  readonly late: LongestDelays;
  /** CPU time that the event loop itself used in one iteration. */
  readonly work: LongestDelays;
}

export interface BenchBackend extends AsyncDisposable {
  readonly url: string;
  /** URL of the listener for agents of Sensu Go; empty unless the settings enable it. */
  readonly agentUrl: string;
  readonly pid: number;
  /** Returns the delays of the event loop since the previous call. It requires the option `isLoopWatched`. */
  loopDelay(): Promise<LoopDelay>;
  /** Makes the backend load another configuration. */
  reload(settings: object): Promise<void>;
}

/**
 * Starts a backend in its own process.
 *
 * @param clone repository clone whose programs are started; default: this clone
 * @param settings configuration of the backend
 * @param stateDir state directory; it is deleted at the end unless `keepsState` is set; default: an empty directory
 */
export async function startBackend({
  clone = REPOSITORY_ROOT,
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
  const watching = isLoopWatched ? { NODE_OPTIONS: `--import ${REPOSITORY_ROOT}scripts/bench/watch-loop.ts` } : {};
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
  const { url, agent_url: agentUrl = '' } = await new Promise<StartLogRecord>((resolve, reject) => {
    createInterface({ input: child.stdout as Readable }).on('line', (line) => {
      // The backend logs each response, and this process also generates the load, so only the necessary lines are
      // parsed.
      if (line.includes('"level":"error"')) console.error(line);
      else if (line.includes('"url":')) resolve(JSON.parse(line) as StartLogRecord);
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

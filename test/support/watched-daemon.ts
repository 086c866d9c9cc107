import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { LoopDelay } from '../../scripts/bench/backend-process.ts';
import { programArguments } from './built-programs.ts';
import { REPOSITORY } from './repository.ts';

/** The backend program as a separate process that measures the CPU time of each round of its event loop. */
export interface WatchedDaemon extends AsyncDisposable {
  readonly url: string;
  readonly agentUrl: string;
  /** Returns the maximum CPU time in milliseconds of one event loop round since the last call. */
  longestTaskMs(): Promise<number>;
}

/**
 * Starts the backend program with an empty store. Disposing of it kills the process.
 *
 * @param settings content of the configuration file
 */
export async function startWatchedDaemon(settings: object): Promise<WatchedDaemon> {
  const dir = await mkdtemp(join(tmpdir(), 'mon-test-'));
  const config = join(dir, 'config.json');
  await writeFile(config, JSON.stringify(settings));
  const args = ['start', '--state-dir', join(dir, 'state'), '--port', '0', '-c', config];
  const watch = join(REPOSITORY, 'scripts/bench/watch-loop.ts');
  const child = spawn(process.execPath, ['--import', watch, ...programArguments('mon-backend'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  const { promise, resolve, reject } = Promise.withResolvers<{ url: string; agent_url?: string }>();
  exited.then(() => reject(new Error('the backend did not start')), reject);
  if (child.stdout === null) throw new Error('the backend has no output');
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.includes('"backend started"')) resolve(JSON.parse(line) as { url: string; agent_url?: string });
  });
  const { url, agent_url: agentUrl = '' } = await promise;
  return {
    url,
    agentUrl,
    async longestTaskMs() {
      child.send('loop delay');
      const [{ work }] = (await once(child, 'message')) as [LoopDelay];
      return work.max;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
      await rm(dir, { recursive: true, force: true });
    },
  };
}

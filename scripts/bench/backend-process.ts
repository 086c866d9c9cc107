import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A backend of its own process on an empty store, on the disk of the project, so that fsync costs what it does there. */
export async function startBackend(
  args: readonly string[] = [],
): Promise<AsyncDisposable & { url: string; pid: number }> {
  const stateDir = await mkdtemp(`${ROOT}build/bench-`);
  const child = spawn(`${ROOT}scripts/mon-backend`, ['start', '--state-dir', stateDir, '--port', '0', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const record = JSON.parse(line) as { url?: string; level: string };
      if (record.url !== undefined) resolve(record.url);
      else if (record.level === 'error') console.error(line);
    });
    exited.then(() => reject(new Error('the backend did not start')), reject);
  });
  return {
    url,
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await exited;
      await rm(stateDir, { recursive: true, force: true });
    },
  };
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
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

/**
 * A backend of its own process.
 *
 * @param stateDir goes with it; default: an empty one
 */
export async function startBackend(
  args: readonly string[] = [],
  { stateDir, env = {} }: { readonly stateDir?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<AsyncDisposable & { url: string; pid: number }> {
  const dir = stateDir ?? (await makeStateDir());
  const child = spawn(`${ROOT}scripts/mon-backend`, ['start', '--state-dir', dir, '--port', '0', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
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
      await rm(dir, { recursive: true, force: true });
    },
  };
}

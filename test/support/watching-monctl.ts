import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished, vi } from 'vitest';
import { MONCTL } from './run-monctl.ts';
import { placesEnv } from './administrator.ts';

/** A `monctl` process that follows changes. It is killed when the test finishes. */
export interface WatchingMonctl {
  /**
   * Waits for the next line of output.
   *
   * @throws Error with all output if no line arrives in time
   */
  next(): Promise<string>;
  readonly stderr: string;
  /** Resolves with the exit code when the program has ended; `null` if a signal ended it. */
  readonly ended: Promise<number | null>;
}

export function watchMonctl(args: readonly string[], env: Readonly<Record<string, string>>): WatchingMonctl {
  return followMonctl([...args, '--watch'], env);
}

/** Starts a `monctl` command that does not end by itself. */
export function followMonctl(args: readonly string[], env: Readonly<Record<string, string>>): WatchingMonctl {
  const child = spawn(process.execPath, [MONCTL, ...args], {
    env: {
      PATH: process.env['PATH'] ?? '',
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      ...placesEnv(),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close').then(() => child.exitCode);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (stderr += text));
  let read = 0;
  return {
    async next() {
      const line = await vi.waitFor(() => {
        const lines = stdout.split('\n');
        const found = lines[read];
        if (found === undefined || read === lines.length - 1) {
          throw new Error(`waited for line ${String(read + 1)} of:\n${stdout}\n${stderr}`);
        }
        return found;
      });
      read += 1;
      return line;
    },
    get stderr() {
      return stderr;
    },
    ended,
  };
}

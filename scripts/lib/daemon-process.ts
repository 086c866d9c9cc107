import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, renameSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** Time that a program gets to stop before it is killed. */
const STOP_MS = 15_000;

/** Number of log lines that are shown when a program failed. */
const LAST_LINES = 15;

/** One of our programs in the background. Disposing of it stops it. */
export interface DaemonProcess extends AsyncDisposable {
  readonly name: string;
  readonly pid: number;
  /** Resolves when it has ended, with a sentence about the exit and the end of its log. */
  readonly ended: Promise<string>;
}

/**
 * Runs `file` with this Node and writes its output to `log`; the previous log is kept beside it as `.old`.
 *
 * The program gets its own session, so that Ctrl-C in the terminal only reaches the caller, who then stops it
 * in order.
 */
export async function startDaemon(
  name: string,
  file: string,
  args: readonly string[],
  log: string,
  env: Readonly<Record<string, string>> = {},
): Promise<DaemonProcess> {
  keepOldLog(log);
  const output = openSync(log, 'a', 0o600);
  const child = spawn(process.execPath, [file, ...args], {
    stdio: ['ignore', output, output],
    detached: true,
    env: { ...process.env, ...env },
  });
  closeSync(output);
  const exit = once(child, 'exit');
  await once(child, 'spawn');
  return {
    name,
    pid: child.pid ?? 0,
    ended: exit.then(() => `${name} ended (${describeExit(child)}); the end of ${log}:\n${lastLines(log)}`),
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      const timeout = new AbortController();
      await Promise.race([
        exit,
        delay(STOP_MS, undefined, { signal: timeout.signal }).then(() => child.kill('SIGKILL')),
      ]);
      timeout.abort();
      await exit;
    },
  };
}

function keepOldLog(log: string): void {
  try {
    renameSync(log, `${log}.old`);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}

function describeExit({ exitCode, signalCode }: ChildProcess): string {
  return signalCode === null ? `exit code ${String(exitCode)}` : `signal ${signalCode}`;
}

function lastLines(log: string): string {
  return readFileSync(log, 'utf8').trimEnd().split('\n').slice(-LAST_LINES).join('\n');
}

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, renameSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** Time within which a program must stop on request, before it is killed. */
const STOP_MS = 15_000;

/** Number of log lines that are shown when a program has failed. */
const SHOWN_LOG_LINES = 15;

/** A `mon` program that runs in the background. Disposing of it stops the program. */
export interface DaemonProcess extends AsyncDisposable {
  readonly name: string;
  readonly pid: number;
  /** Resolves when the program has ended, with a sentence about its exit and the last lines of its log. */
  readonly ended: Promise<string>;
}

/**
 * Runs `file` with this Node.js and writes its output to `log`. An existing log is renamed to `.old`.
 *
 * The program gets its own session, so that Ctrl-C in the terminal only reaches the caller, who then stops the program
 * in the right order.
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
  return readFileSync(log, 'utf8').trimEnd().split('\n').slice(-SHOWN_LOG_LINES).join('\n');
}

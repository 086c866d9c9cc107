import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { systemFeedClock } from '../../shared/client/feed-clock.ts';
import type { OutputStream } from '../../tui/monctl/output.ts';
import { runProgram } from '../../tui/monctl/run-program.ts';
import { runMonctlCommand } from '../../tui/monctl/run.ts';
import { placesEnv } from './administrator.ts';
import { builtProgram } from './built-programs.ts';

/** Default of the current time in `runMonctl`: a fixed noon, in epoch seconds. */
export const NOW = Date.UTC(2026, 10, 20, 12) / 1000;

export interface MonctlRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

type Env = Readonly<Record<string, string>>;

class Recorder implements OutputStream {
  written = '';

  write(chunk: string): void {
    this.written += chunk;
  }
}

/**
 * Runs a `monctl` command in this process, with only the given environment variables and without a terminal.
 *
 * @param answer the user's answer to each question, or a callback that returns it; if omitted, the command cannot ask
 * @param wait callback that runs in place of each pause of the command. It gets all texts on standard error
 */
export async function runMonctl(
  args: readonly string[],
  env: Env = {},
  {
    input = '',
    answer,
    nowMs = NOW * 1000,
    wait,
  }: {
    readonly input?: string;
    readonly answer?: string | ((question: string) => string);
    readonly nowMs?: number;
    readonly wait?: (shown: string) => Promise<void>;
  } = {},
): Promise<MonctlRun> {
  const [stdout, stderr] = [new Recorder(), new Recorder()];
  const ask = (question: string): Promise<string> => {
    stderr.write(question);
    return Promise.resolve(typeof answer === 'function' ? answer(question) : (answer ?? ''));
  };
  const after = (_delayMs: number, task: () => void): Disposable => {
    void wait?.(stderr.written).then(task);
    return { [Symbol.dispose]: () => undefined };
  };
  const code = await runMonctlCommand(args, {
    stdout,
    stderr,
    env,
    readInput: () => Promise.resolve(input),
    runProgram,
    ask: answer === undefined ? undefined : ask,
    clock: { ...systemFeedClock, ...(wait && { after }), now: () => nowMs },
  });
  return { code, stdout: stdout.written, stderr: stderr.written };
}

export const MONCTL = builtProgram('monctl');

/** Runs the built `monctl` program until it ends. */
export async function spawnMonctl(args: readonly string[], env: Env = {}): Promise<MonctlRun> {
  const child = spawn(process.execPath, [MONCTL, ...args], {
    env: {
      PATH: process.env['PATH'] ?? '',
      ...placesEnv(),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

import { spawn, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { StringDecoder } from 'node:string_decoder';
import { errorMessage } from '../../shared/errors.ts';
import type { Clock } from './ports.ts';
import { shieldedStdio } from './shielded-stdio.ts';

/** Most bytes of output that are kept (design S7). */
export const OUTPUT_BYTES_MAX = 256 * 1024;

const CUT_NOTE = `\n... output cut after ${String(OUTPUT_BYTES_MAX / 1024)} KiB`;

/** How long a process that the command left behind may still write, once the command itself has ended. */
const STRAGGLER_MS = 1000;

/** All that a command gets to see of our environment (design S14); credentials of the agent must not be among it. */
const ENVIRONMENT = /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_[A-Z]+|TZ|TMPDIR)$/;

const PATH_DEFAULT = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export type CommandOutcome =
  | { readonly kind: 'exited'; readonly status: number; readonly output: string }
  | { readonly kind: 'timed_out' }
  | { readonly kind: 'failed'; readonly reason: string }
  /** `signal` was aborted. */
  | { readonly kind: 'stopped' };

interface RunOptions {
  readonly clock: Clock;
  /** A hard stop; without it the command may run for ever. */
  readonly timeoutMs?: number | undefined;
  readonly signal: AbortSignal;
}

/**
 * Runs a command line through the shell, in a process group of its own, with standard output and standard error merged
 * in the order of writing (completion 1.12). A timeout or an abort kills the whole group. Never rejects.
 *
 * The status is the exit status as the shell reports it (127 not found, 126 not executable), or the number of the signal
 * that killed it (legacy-peer, sensu-client).
 */
export async function runCommand(command: string, options: RunOptions): Promise<CommandOutcome> {
  let child: ChildProcess;
  try {
    using shield = shieldedStdio();
    // The outer shell only joins the two streams and then becomes the inner one, so the command's text stays as it is.
    child = spawn('/bin/sh', ['-c', 'exec /bin/sh -c "$1" 2>&1', 'sh', command], {
      detached: true,
      stdio: shield.stdio,
      env: reducedEnvironment(process.env),
    });
  } catch (error) {
    return { kind: 'failed', reason: errorMessage(error) };
  }
  return await outcomeOf(child, options);
}

async function outcomeOf(child: ChildProcess, { clock, timeoutMs, signal }: RunOptions): Promise<CommandOutcome> {
  const { promise, resolve } = Promise.withResolvers<CommandOutcome>();
  using timers = new DisposableStack();
  const output = new CappedOutput();
  const exited = (): CommandOutcome => ({ kind: 'exited', status: statusOf(child), output: output.text() });
  const stop = (outcome: CommandOutcome): void => {
    killGroup(child);
    resolve(outcome);
  };
  const onAbort = (): void => stop({ kind: 'stopped' });

  child.stdout?.on('data', (chunk: Buffer) => output.add(chunk));
  child.on('error', (error) => resolve({ kind: 'failed', reason: error.message }));
  child.on('close', () => resolve(exited()));
  // A process left in the background holds the pipe open, perhaps for ever; its command has ended all the same.
  child.on('exit', () => {
    if (!timers.disposed) timers.use(clock.after(STRAGGLER_MS, () => resolve(exited())));
  });
  if (timeoutMs !== undefined) timers.use(clock.after(timeoutMs, () => stop({ kind: 'timed_out' })));
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort);
  timers.defer(() => signal.removeEventListener('abort', onAbort));
  timers.defer(() => child.stdout?.destroy());

  return await promise;
}

function statusOf({ exitCode, signalCode }: ChildProcess): number {
  if (exitCode !== null) return exitCode;
  return signalCode === null ? 3 : constants.signals[signalCode];
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group is gone already.
  }
}

function reducedEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(environment).filter(([name]) => ENVIRONMENT.test(name));
  return { PATH: PATH_DEFAULT, ...Object.fromEntries(kept) };
}

/** Collects output up to the limit. The rest is read and dropped, so that the command is never blocked by a full pipe. */
class CappedOutput {
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #cut = false;

  add(chunk: Buffer): void {
    const room = OUTPUT_BYTES_MAX - this.#bytes;
    this.#cut ||= chunk.length > room;
    if (room <= 0) return;
    const kept = chunk.subarray(0, room);
    this.#chunks.push(kept);
    this.#bytes += kept.length;
  }

  /** Bytes that are no UTF-8 become U+FFFD. */
  text(): string {
    const bytes = Buffer.concat(this.#chunks);
    // A decoder keeps back a character that the cut went through; without a cut, broken bytes at the end should show.
    return this.#cut ? `${new StringDecoder('utf8').write(bytes)}${CUT_NOTE}` : bytes.toString('utf8');
  }
}

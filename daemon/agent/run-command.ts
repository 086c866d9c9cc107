import { spawn, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { errorMessage } from '../../shared/errors.ts';
import { openOutputPipe } from './output-pipe.ts';
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
export async function runCommand(command: string, { clock, timeoutMs, signal }: RunOptions): Promise<CommandOutcome> {
  const limit = new AbortController();
  using timers = new DisposableStack();
  if (timeoutMs !== undefined) timers.use(clock.after(timeoutMs, () => limit.abort()));
  try {
    const running = await spawnCommand(command);
    const exit = await exitOf(running, clock, AbortSignal.any([signal, limit.signal]));
    return exit ?? { kind: limit.signal.aborted ? 'timed_out' : 'stopped' };
  } catch (error) {
    return { kind: 'failed', reason: errorMessage(error) };
  }
}

interface RunningCommand {
  readonly child: ChildProcess;
  /** Both of its streams. */
  readonly output: Readable;
}

async function spawnCommand(command: string): Promise<RunningCommand> {
  // Without room for its name (a full disk is what checks are there to tell) a socket is better than no run at all.
  using pipe = await openOutputPipe().catch(() => undefined);
  using shield = shieldedStdio(pipe?.writeEnd ?? 'pipe');
  try {
    // The outer shell only joins the two streams and then becomes the inner one, so the command's text stays as it is.
    const child = spawn('/bin/sh', ['-c', 'exec /bin/sh -c "$1" 2>&1', 'sh', command], {
      detached: true,
      stdio: shield.stdio,
      env: reducedEnvironment(process.env),
    });
    return { child, output: pipe?.readable ?? child.stdout ?? Readable.from([]) };
  } catch (error) {
    pipe?.readable.destroy();
    throw error;
  }
}

/** @returns `undefined` when `cut` came first, and the whole group is killed then */
async function exitOf(
  { child, output }: RunningCommand,
  clock: Clock,
  cut: AbortSignal,
): Promise<CommandOutcome | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<CommandOutcome | undefined>();
  using ends = new DisposableStack();
  const collected = new CappedOutput();
  const exit = (): void => resolve({ kind: 'exited', status: statusOf(child), output: collected.text() });
  const stop = (): void => {
    killGroup(child);
    resolve(undefined);
  };

  output.on('data', (chunk: Buffer) => collected.add(chunk));
  output.on('close', () => {
    if (hasExited(child)) exit();
  });
  child.on('error', reject);
  child.on('exit', () => {
    if (output.closed) exit();
    // A process left in the background holds the pipe open, perhaps for ever; its command has ended all the same.
    else if (!ends.disposed) ends.use(clock.after(STRAGGLER_MS, exit));
  });
  if (cut.aborted) stop();
  cut.addEventListener('abort', stop);
  ends.defer(() => cut.removeEventListener('abort', stop));
  ends.defer(() => output.destroy());

  return await promise;
}

function hasExited({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
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

import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { constants } from 'node:os';
import { Readable, type Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { errorMessage } from '../../shared/errors.ts';
import type { CommandLine } from '../../shared/schemas/command.ts';
import {
  runWithLimits,
  type CommandClock,
  type CommandEnd,
  type CommandLimits,
  type CommandOutcome,
} from './command-outcome.ts';
import { RUN_ID_VARIABLE, type CommandRun, type CommandWatchdog } from './command-watchdog.ts';
import { openCommandPipes } from './command-pipes.ts';
import { reducedEnvironment } from './reduced-environment.ts';
import { withInheritedUmask } from '../private-files/umask.ts';
import { shieldedStdio } from './shielded-stdio.ts';

/** Maximum size of the collected output of a command, in bytes (security S7). */
export const OUTPUT_BYTES_MAX = 256 * 1024;

const CUT_NOTE = `\n... output truncated after ${String(OUTPUT_BYTES_MAX / 1024)} KiB`;

/** Time after the exit of a command during which the output of its remaining processes is still read. */
const STRAGGLER_MS = 1000;

interface StartOptions {
  readonly clock: CommandClock;
  /** Kills the command if this program dies. */
  readonly watchdog: CommandWatchdog;
  /** Standard input of the command; undefined if the input is empty. */
  readonly input?: string | undefined;
  /** Environment variables as `NAME=value`; they override inherited variables. */
  readonly environment?: readonly string[] | undefined;
}

/**
 * Runs a command: a text in the shell, or a program with its arguments without a shell (security S14). The command gets
 * a process group of its own. Standard output and standard error are merged in the order of writing (completion 1.12).
 * A time limit or an abort kills all processes of the command. Never rejects.
 *
 * The status is the exit status as the shell reports it (127: not found, 126: not executable), also without a shell. If
 * a signal killed the command, the status is the number of the signal (legacy-peer, sensu-client).
 */
export async function runCommand(
  command: CommandLine,
  { clock, watchdog, input, environment, ...limits }: StartOptions & CommandLimits,
): Promise<CommandOutcome> {
  return await runWithLimits(clock, limits, (cutSignal) =>
    runUntilCut(command, { clock, watchdog, input, environment, cutSignal }),
  );
}

interface UntilCutOptions extends StartOptions {
  readonly cutSignal: AbortSignal;
  /** Opens the pipes of a command. Default: new pipes for each command. */
  readonly openPipes?: typeof openCommandPipes;
  /** Opens the standard streams of a command. Default: streams with which the command inherits no other open file. */
  readonly openStdio?: typeof shieldedStdio;
}

/** Runs a command as `runCommand` does, until it ends or `cut` is aborted, which kills the command. */
export async function runUntilCut(
  command: CommandLine,
  {
    clock,
    watchdog,
    input,
    environment,
    cutSignal,
    openPipes = openCommandPipes,
    openStdio = shieldedStdio,
  }: UntilCutOptions,
): Promise<CommandEnd> {
  try {
    const running = await spawnCommand(command, { input, environment, openPipes, openStdio });
    try {
      const allOutput = outputOf(running, { clock, cut: cutSignal, kill: () => watchdog.kill(running.run) });
      const [{ output, isOutputCut, wasKilled: isCut }] = await Promise.all([
        allOutput,
        releaseCommand(running, watchdog, input),
      ]);
      if (isCut) return { kind: 'cut', output };
      return { kind: 'exited', status: statusOf(running.child), output, ...(isOutputCut && { isOutputCut }) };
    } finally {
      watchdog.remove(running.run);
    }
  } catch (error) {
    return { kind: 'failed', reason: errorMessage(error) };
  }
}

interface RunningCommand {
  readonly child: ChildProcess;
  readonly run: CommandRun;
  /** The merged standard output and standard error of the command. */
  readonly output: Readable;
  /** The stream with which this program writes the standard input of the command; null if there is none. */
  readonly input: Writable | null;
}

/** The name that the shell puts before its error messages, the same as in Sensu. */
const SHELL_NAME = 'sh';

/**
 * Shell code that waits for the first line of the standard input before the command starts, and exits if the input ends
 * first. The shell reads only that line, so the command can read the input after it.
 */
const GATE_SCRIPT = 'read -r gate || exit';

/** Shell code that replaces the waiting shell with the shell that runs the text of the command. */
const RUN_COMMAND_SCRIPT = `exec /bin/sh -c "$1" ${SHELL_NAME}`;

/** Shell code that replaces the waiting shell with a program. The shell never parses the program's arguments. */
const RUN_PROGRAM_SCRIPT = `
command -v -- "$1" >/dev/null || { printf '%s: not found\\n' "$1"; exit 127; }
case $1 in */*) [ -x "$1" ] || { printf '%s: permission denied\\n' "$1"; exit 126; } ;; esac
exec "$@"`;

type SpawnOptions = Pick<StartOptions, 'input' | 'environment'> &
  Required<Pick<UntilCutOptions, 'openPipes' | 'openStdio'>>;

/**
 * Starts the shell of a command, which waits for a line on its standard input (`GATE_SCRIPT`) before it runs the
 * command.
 */
async function spawnCommand(
  command: CommandLine,
  { input, environment = [], openPipes, openStdio }: SpawnOptions,
): Promise<RunningCommand> {
  // On a full disk there is perhaps no space for the names of pipes. Then Node.js creates sockets, because checks must
  // still run to report the full disk. A socket cannot serve two streams, so the shell redirects standard error to
  // standard output.
  using pipes = await openPipes(input !== undefined).catch(() => undefined);
  using opened = openStdio([
    pipes?.input?.childEnd ?? 'pipe',
    pipes?.output.childEnd ?? 'pipe',
    pipes?.output.childEnd ?? 'ignore',
  ]);
  const script = [
    GATE_SCRIPT,
    ...(input === undefined ? ['exec </dev/null'] : []),
    ...(pipes === undefined ? ['exec 2>&1'] : []),
    typeof command === 'string' ? RUN_COMMAND_SCRIPT : RUN_PROGRAM_SCRIPT,
  ].join('\n');
  const id = randomUUID();
  try {
    const child = withInheritedUmask(() =>
      spawn('/bin/sh', ['-c', script, SHELL_NAME, ...(typeof command === 'string' ? [command] : command)], {
        detached: true,
        stdio: opened.stdio,
        env: { ...reducedEnvironment(process.env), ...variablesOf(environment), [RUN_ID_VARIABLE]: id },
      }),
    );
    const ownInput = pipes?.input?.ours ?? child.stdin;
    // Ignore write errors: a command can end without reading its input, or after reading only a part of it.
    ownInput?.on('error', () => undefined);
    const output = pipes?.output.ours ?? child.stdout ?? Readable.from([]);
    return { child, run: { id, group: await groupOf(child) }, output, input: ownInput };
  } catch (error) {
    pipes?.output.ours.destroy();
    pipes?.input?.ours.destroy();
    throw error;
  }
}

/**
 * Returns the process group of a started command, which is its process id.
 *
 * @throws the error that prevented its start
 */
async function groupOf(child: ChildProcess): Promise<number> {
  if (child.pid !== undefined) return child.pid;
  const [error] = (await once(child, 'error')) as [Error];
  throw error;
}

/**
 * Adds the command to the watchdog, which kills it if this program dies. Then writes the line for which the shell of
 * the command waits, and the input of the command.
 */
async function releaseCommand(
  { run, input: ownInput }: RunningCommand,
  watchdog: CommandWatchdog,
  input = '',
): Promise<void> {
  try {
    await watchdog.add(run);
    ownInput?.end(`\n${input}`);
  } catch (error) {
    watchdog.kill(run);
    throw error;
  }
}

function variablesOf(environment: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    environment.map((variable) => {
      const end = variable.indexOf('=');
      return [variable.slice(0, end), variable.slice(end + 1)];
    }),
  );
}

interface CollectedOutput {
  readonly output: string;
  readonly isOutputCut: boolean;
  /** True if the command was killed because of an abort; false if it ended by itself. */
  readonly wasKilled: boolean;
}

/**
 * Returns the output of the command until it has ended. If `cut` is aborted, kills the command and returns its output
 * so far.
 */
async function outputOf(
  { child, output, input }: RunningCommand,
  {
    clock,
    cut: cutSignal,
    kill,
  }: { readonly clock: CommandClock; readonly cut: AbortSignal; readonly kill: () => void },
): Promise<CollectedOutput> {
  const { promise, resolve, reject } = Promise.withResolvers<CollectedOutput>();
  using ends = new DisposableStack();
  const collected = new CappedOutput();
  let isCut = false;
  const finish = (): void => resolve({ output: collected.text(), isOutputCut: collected.isCut, wasKilled: isCut });
  // Wait only a short time for the end of the output: a process that left the process group can keep the pipe open
  // forever, although the command has ended.
  const finishSoon = (): void => {
    if (!ends.disposed) ends.use(clock.after(STRAGGLER_MS, finish));
  };
  const stop = (): void => {
    if (hasExited(child)) return;
    isCut = true;
    kill();
    // Read the output that the killed processes have left in the pipe.
    if (output.closed) finish();
    else finishSoon();
  };

  output.on('data', (chunk: Buffer) => collected.add(chunk));
  output.on('close', () => {
    if (hasExited(child) || isCut) finish();
  });
  child.on('error', reject);
  child.on('exit', () => {
    if (output.closed) finish();
    else finishSoon();
  });
  if (cutSignal.aborted) stop();
  cutSignal.addEventListener('abort', stop);
  ends.defer(() => cutSignal.removeEventListener('abort', stop));
  ends.defer(() => output.destroy());
  ends.defer(() => input?.destroy());

  return await promise;
}

function hasExited({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

function statusOf({ exitCode, signalCode }: ChildProcess): number {
  if (exitCode !== null) return exitCode;
  return signalCode === null ? 3 : constants.signals[signalCode];
}

/**
 * Collects output up to `OUTPUT_BYTES_MAX`. Further output is read and dropped, so that a full pipe never blocks the
 * command.
 */
class CappedOutput {
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #isCut = false;

  /** True if the output exceeded `OUTPUT_BYTES_MAX`, so it is truncated. */
  get isCut(): boolean {
    return this.#isCut;
  }

  add(chunk: Buffer): void {
    const availableBytes = OUTPUT_BYTES_MAX - this.#bytes;
    this.#isCut ||= chunk.length > availableBytes;
    if (availableBytes <= 0) return;
    const kept = chunk.subarray(0, availableBytes);
    this.#chunks.push(kept);
    this.#bytes += kept.length;
  }

  /** Returns the collected output as text. Invalid UTF-8 bytes become U+FFFD. */
  text(): string {
    const bytes = Buffer.concat(this.#chunks);
    // If the output is truncated, the decoder drops a character that the limit has split. Without truncation, invalid
    // bytes at the end must stay visible.
    return this.#isCut ? `${new StringDecoder('utf8').write(bytes)}${CUT_NOTE}` : bytes.toString('utf8');
  }
}

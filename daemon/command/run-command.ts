import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { constants } from 'node:os';
import { Readable, type Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { errorMessage } from '../../shared/errors.ts';
import type { CommandLine } from '../../shared/schemas/command.ts';
import {
  outcomeWithin,
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

/** The maximum size of the output (security S7). */
export const OUTPUT_BYTES_MAX = 256 * 1024;

const CUT_NOTE = `\n... output truncated after ${String(OUTPUT_BYTES_MAX / 1024)} KiB`;

/** The time for which processes of an ended command may still write. */
const STRAGGLER_MS = 1000;

interface StartOptions {
  readonly clock: CommandClock;
  /** Kills the command if this program dies. */
  readonly watchdog: CommandWatchdog;
  /** The standard input; undefined: it is empty. */
  readonly input?: string | undefined;
  /** `NAME=value`; overrides the inherited variables. */
  readonly environment?: readonly string[] | undefined;
}

/**
 * Runs a line through the shell, or a program with its arguments without one (security S14). The command gets a process
 * group of its own. Standard output and standard error are merged in the order of writing (completion 1.12). A timeout
 * or an abort kills all processes of the command. Never rejects.
 *
 * The status is the exit status as the shell reports it (127 not found, 126 not executable). If a signal killed the
 * command, it is the number of the signal (legacy-peer, sensu-client). Without a shell it is the same.
 */
export async function runCommand(
  command: CommandLine,
  { clock, watchdog, input, environment, ...limits }: StartOptions & CommandLimits,
): Promise<CommandOutcome> {
  return await outcomeWithin(clock, limits, (cut) =>
    runUntilCut(command, { clock, watchdog, input, environment, cut }),
  );
}

interface UntilCutOptions extends StartOptions {
  readonly cut: AbortSignal;
  /** Opens the pipes of a command. Default: new ones for each command. */
  readonly openPipes?: typeof openCommandPipes;
  /** Opens the standard streams of a command. Default: the command inherits no open file of this program. */
  readonly openStdio?: typeof shieldedStdio;
}

/** Runs a command as `runCommand` does, until it ends or `cut` is aborted. */
export async function runUntilCut(
  command: CommandLine,
  {
    clock,
    watchdog,
    input,
    environment,
    cut,
    openPipes = openCommandPipes,
    openStdio = shieldedStdio,
  }: UntilCutOptions,
): Promise<CommandEnd> {
  try {
    const running = await spawnCommand(command, { input, environment, openPipes, openStdio });
    try {
      const allOutput = outputOf(running, { clock, cut, kill: () => watchdog.kill(running.run) });
      const [{ output, isOutputCut, isCut }] = await Promise.all([allOutput, openGate(running, watchdog, input)]);
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
  /** The merged output streams of the command. */
  readonly output: Readable;
  /** This program's end of the standard input. */
  readonly input: Writable | null;
}

/** The name that the shell puts before its own messages, as Sensu has it. */
const SHELL_NAME = 'sh';

/**
 * Waits at the gate, and exits if the standard input ends first. The shell reads only the first line, so the rest is
 * left for the command.
 */
const GATE = 'read -r gate || exit';

/** Replaces itself with the shell that runs the command, whose text is unchanged. */
const COMMAND = `exec /bin/sh -c "$1" ${SHELL_NAME}`;

/** Replaces itself with a program, whose arguments are never parsed by the shell. */
const PROGRAM = `
command -v -- "$1" >/dev/null || { printf '%s: not found\\n' "$1"; exit 127; }
case $1 in */*) [ -x "$1" ] || { printf '%s: permission denied\\n' "$1"; exit 126; } ;; esac
exec "$@"`;

type SpawnOptions = Pick<StartOptions, 'input' | 'environment'> &
  Required<Pick<UntilCutOptions, 'openPipes' | 'openStdio'>>;

/** Starts a command, which waits at the gate. */
async function spawnCommand(
  command: CommandLine,
  { input, environment = [], openPipes, openStdio }: SpawnOptions,
): Promise<RunningCommand> {
  // Without space for the name of a pipe, a socket is better than no run: checks must report a full disk. But a socket
  // cannot serve two streams.
  using pipes = await openPipes(input !== undefined).catch(() => undefined);
  using opened = openStdio([
    pipes?.input?.childEnd ?? 'pipe',
    pipes?.output.childEnd ?? 'pipe',
    pipes?.output.childEnd ?? 'ignore',
  ]);
  const script = [
    GATE,
    ...(input === undefined ? ['exec </dev/null'] : []),
    ...(pipes === undefined ? ['exec 2>&1'] : []),
    typeof command === 'string' ? COMMAND : PROGRAM,
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
    // A command may ignore its input or a part of it.
    ownInput?.on('error', () => undefined);
    const output = pipes?.output.ours ?? child.stdout ?? Readable.from([]);
    return { child, run: { id, group: await groupOf(child) }, output, input: ownInput };
  } catch (error) {
    pipes?.output.ours.destroy();
    pipes?.input?.ours.destroy();
    throw error;
  }
}

/** Returns the process group of a started command. Throws the error that prevented its start. */
async function groupOf(child: ChildProcess): Promise<number> {
  if (child.pid !== undefined) return child.pid;
  const [error] = (await once(child, 'error')) as [Error];
  throw error;
}

/** Lets a command start once it is certain to be killed if this program dies, and writes its input. */
async function openGate(
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
  /** True if the command was killed instead of ending by itself. */
  readonly isCut: boolean;
}

/** Returns the output until the end of the command, or until `cut`, which kills the command. */
async function outputOf(
  { child, output, input }: RunningCommand,
  { clock, cut, kill }: { readonly clock: CommandClock; readonly cut: AbortSignal; readonly kill: () => void },
): Promise<CollectedOutput> {
  const { promise, resolve, reject } = Promise.withResolvers<CollectedOutput>();
  using ends = new DisposableStack();
  const collected = new CappedOutput();
  let isCut = false;
  const finish = (): void => resolve({ output: collected.text(), isOutputCut: collected.isCut, isCut });
  // A process that left the group may hold the pipe open forever, although the command has ended.
  const finishSoon = (): void => {
    if (!ends.disposed) ends.use(clock.after(STRAGGLER_MS, finish));
  };
  const stop = (): void => {
    if (hasExited(child)) return;
    isCut = true;
    kill();
    // The output of killed processes is still in the pipe, up to its end.
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
  if (cut.aborted) stop();
  cut.addEventListener('abort', stop);
  ends.defer(() => cut.removeEventListener('abort', stop));
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
 * Collects output up to the limit. The rest is read and dropped, so that the command is never blocked by a full pipe.
 */
class CappedOutput {
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #isCut = false;

  /** True if there was more output than the limit. */
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

  /** Returns the output. Invalid UTF-8 bytes become U+FFFD. */
  text(): string {
    const bytes = Buffer.concat(this.#chunks);
    // The decoder drops a character that the limit has split. Without a cut, invalid bytes at the end must stay
    // visible.
    return this.#isCut ? `${new StringDecoder('utf8').write(bytes)}${CUT_NOTE}` : bytes.toString('utf8');
  }
}

import { spawn, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { Readable, type Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { errorMessage } from '../../shared/errors.ts';
import type { Command } from '../../shared/schemas/command.ts';
import {
  outcomeWithin,
  type CommandClock,
  type CommandEnd,
  type CommandLimits,
  type CommandOutcome,
} from './command-outcome.ts';
import { killGroup } from './kill-group.ts';
import { openCommandPipes } from './named-pipe.ts';
import { reducedEnvironment } from './reduced-environment.ts';
import { withInheritedUmask } from '../private-files/umask.ts';
import { shieldedStdio } from './shielded-stdio.ts';

/** Most bytes of output that are kept (security S7). */
export const OUTPUT_BYTES_MAX = 256 * 1024;

const CUT_NOTE = `\n... output cut after ${String(OUTPUT_BYTES_MAX / 1024)} KiB`;

/** How long a process that the command left behind may still write, once the command itself has ended. */
const STRAGGLER_MS = 1000;

interface StartOptions {
  readonly clock: CommandClock;
  /** What the command finds on its standard input; without it there is nothing to read. */
  readonly input?: string | undefined;
  /** `NAME=value`, over what every command gets to see of our environment. */
  readonly environment?: readonly string[] | undefined;
}

/**
 * Runs a line through the shell, or a program with its arguments without one (security S14), in a process group of its own,
 * with standard output and standard error merged in the order of writing (completion 1.12). A timeout or an abort kills the
 * whole group. Never rejects.
 *
 * The status is the exit status as the shell reports it (127 not found, 126 not executable), or the number of the signal
 * that killed it (legacy-peer, sensu-client); the same without a shell.
 */
export async function runCommand(
  command: Command,
  { clock, input, environment, ...limits }: StartOptions & CommandLimits,
): Promise<CommandOutcome> {
  return await outcomeWithin(clock, limits, (cut) => runUntilCut(command, { clock, input, environment, cut }));
}

interface UntilCutOptions extends StartOptions {
  readonly cut: AbortSignal;
  /** Default: pipes of its own for each command. */
  readonly openPipes?: typeof openCommandPipes;
  /** Default: open files of ours are kept from the command, whoever opened them. */
  readonly openStdio?: typeof shieldedStdio;
  /** Told the process group of the command once it has begun. */
  readonly onStart?: (group: number) => void;
}

/** As `runCommand`, for whoever knows itself when the command has to go. */
export async function runUntilCut(
  command: Command,
  { clock, input, environment, cut, openPipes = openCommandPipes, openStdio = shieldedStdio, onStart }: UntilCutOptions,
): Promise<CommandEnd> {
  try {
    const running = await spawnCommand(command, { input, environment, openPipes, openStdio });
    if (running.child.pid !== undefined) onStart?.(running.child.pid);
    const { output, isOutputCut, isCut } = await outputOf(running, clock, cut);
    if (isCut) return { kind: 'cut', output };
    return { kind: 'exited', status: statusOf(running.child), output, ...(isOutputCut && { isOutputCut }) };
  } catch (error) {
    return programEnd(command, error) ?? { kind: 'failed', reason: errorMessage(error) };
  }
}

/** What the shell says of a program that it cannot start, for those that are started without one. */
function programEnd(command: Command, error: unknown): CommandEnd | undefined {
  const [program] = typeof command === 'string' ? [] : command;
  if (program === undefined || !(error instanceof Error && 'code' in error)) return undefined;
  if (error.code === 'ENOENT') return { kind: 'exited', status: 127, output: `${program}: not found\n` };
  return error.code === 'EACCES'
    ? { kind: 'exited', status: 126, output: `${program}: permission denied\n` }
    : undefined;
}

interface RunningCommand {
  readonly child: ChildProcess;
  /** Both of its streams. */
  readonly output: Readable;
  /** Our end of its standard input, if it has one. */
  readonly input: Writable | undefined;
}

/** The name that the shell puts before its own messages, as recorded of the peer. */
const SHELL_NAME = 'sh';

/** Joins the two streams and then becomes the shell that runs the command, whose text stays as it is. */
const JOINED = 'exec /bin/sh -c "$1" 2>&1';

/** Joins both outputs of a program: what it is given is never read by the shell. */
const JOINED_PROGRAM = 'exec "$@" 2>&1';

type SpawnOptions = Pick<StartOptions, 'input' | 'environment'> &
  Required<Pick<UntilCutOptions, 'openPipes' | 'openStdio'>>;

async function spawnCommand(
  command: Command,
  { input, environment = [], openPipes, openStdio }: SpawnOptions,
): Promise<RunningCommand> {
  // Without room for its name (a full disk is what checks are there to tell) a socket is better than no run at all. It
  // cannot stand for two streams, though.
  using pipes = await openPipes(input !== undefined).catch(() => undefined);
  using opened = openStdio([
    pipes?.input?.childEnd ?? (input === undefined ? 'ignore' : 'pipe'),
    pipes?.output.childEnd ?? 'pipe',
    pipes?.output.childEnd ?? 'ignore',
  ]);
  try {
    const { program, args, argv0 } = startOf(command, pipes !== undefined);
    const child = withInheritedUmask(() =>
      spawn(program, args, {
        argv0,
        detached: true,
        stdio: opened.stdio,
        env: { ...reducedEnvironment(process.env), ...variablesOf(environment) },
      }),
    );
    const ownInput = pipes?.input?.ours ?? child.stdin ?? undefined;
    // A command that does not read all of it, or nothing, is none the worse for it.
    ownInput?.on('error', () => undefined).end(input ?? '');
    return { child, output: pipes?.output.ours ?? child.stdout ?? Readable.from([]), input: ownInput };
  } catch (error) {
    pipes?.output.ours.destroy();
    pipes?.input?.ours.destroy();
    throw error;
  }
}

/** @param isJoined whether both streams go the same way already */
function startOf(command: Command, isJoined: boolean): { program: string; args: readonly string[]; argv0: string } {
  const shell = { program: '/bin/sh', argv0: SHELL_NAME };
  if (typeof command === 'string') {
    return { ...shell, args: isJoined ? ['-c', command] : ['-c', JOINED, SHELL_NAME, command] };
  }
  const [program = '', ...args] = command;
  return isJoined
    ? { program, args, argv0: program }
    : { ...shell, args: ['-c', JOINED_PROGRAM, SHELL_NAME, ...command] };
}

function variablesOf(environment: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    environment.map((variable) => {
      const end = variable.indexOf('=');
      return [variable.slice(0, end), variable.slice(end + 1)];
    }),
  );
}

interface WholeOutput {
  readonly output: string;
  readonly isOutputCut: boolean;
  /** Whether the command was killed instead of ending by itself. */
  readonly isCut: boolean;
}

/** What was written until the end of the command, or until `cut`, which kills its whole group. */
async function outputOf(
  { child, output, input }: RunningCommand,
  clock: CommandClock,
  cut: AbortSignal,
): Promise<WholeOutput> {
  const { promise, resolve, reject } = Promise.withResolvers<WholeOutput>();
  using ends = new DisposableStack();
  const collected = new CappedOutput();
  let isCut = false;
  const finish = (): void => resolve({ output: collected.text(), isOutputCut: collected.isCut, isCut });
  // A process that left the group holds the pipe open, perhaps for ever; the command has ended all the same.
  const finishSoon = (): void => {
    if (!ends.disposed) ends.use(clock.after(STRAGGLER_MS, finish));
  };
  const stop = (): void => {
    if (hasExited(child)) return;
    isCut = true;
    if (child.pid !== undefined) killGroup(child.pid);
    // What the killed ones had printed is still in the pipe, up to its end.
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

/** Collects output up to the limit. The rest is read and dropped, so that the command is never blocked by a full pipe. */
class CappedOutput {
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #isCut = false;

  /** Whether there was more than is kept. */
  get isCut(): boolean {
    return this.#isCut;
  }

  add(chunk: Buffer): void {
    const room = OUTPUT_BYTES_MAX - this.#bytes;
    this.#isCut ||= chunk.length > room;
    if (room <= 0) return;
    const kept = chunk.subarray(0, room);
    this.#chunks.push(kept);
    this.#bytes += kept.length;
  }

  /** Bytes that are no UTF-8 become U+FFFD. */
  text(): string {
    const bytes = Buffer.concat(this.#chunks);
    // A decoder keeps back a character that the cut went through; without a cut, broken bytes at the end should show.
    return this.#isCut ? `${new StringDecoder('utf8').write(bytes)}${CUT_NOTE}` : bytes.toString('utf8');
  }
}

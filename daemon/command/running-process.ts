import { fork, type ChildProcess } from 'node:child_process';
import { extname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { errorMessage } from '../../shared/errors.ts';
import { LIFELINE_DESCRIPTOR, type CommandReport, type CommandRequest } from './command-messages.ts';
import type { CommandClock, CommandEnd } from './command-outcome.ts';
import { reducedEnvironment } from './reduced-environment.ts';
import { inheritedUmask } from '../private-files/umask.ts';
import { shieldedStdio } from './shielded-stdio.ts';

/**
 * Path of the program of the command process. A bundle contains that program in the same directory under the same name.
 */
const PROGRAM_PATH = join(import.meta.dirname, `command-process${extname(import.meta.filename)}`);

/**
 * Node.js flags of the command process. A small young generation of the heap is enough, because the inputs and outputs
 * of commands are short-lived.
 */
const NODE_FLAGS = ['--max-semi-space-size=4'];

/** The descriptor of standard error, to which Node.js writes fatal errors. */
const STDERR_DESCRIPTOR = 2;

/**
 * Time limit for the command process to kill a command or to exit, and for its watchdogs to kill the remaining
 * commands.
 */
const STOP_TIMEOUT_MS = 5000;

const PROCESS_EXITED: CommandEnd = {
  kind: 'failed',
  reason: 'the process that runs commands has exited and will be restarted',
};

/** A command with its input and its environment variables. */
type RunRequest = Omit<Extract<CommandRequest, { readonly kind: 'run' }>, 'kind' | 'id'>;

/** Describes the end of a command process. */
export interface ProcessEnd {
  readonly reason: string;
  /** Number of commands that were running when the process ended. */
  readonly commands: number;
  /** True if the process had reported the end of at least one command. */
  readonly hasReportedEnd: boolean;
}

/** One command process, from its start to its end. Disposing of it ends the process and kills all its commands. */
export class RunningProcess implements AsyncDisposable {
  readonly #ended: Promise<void>;
  readonly #clock: CommandClock;
  readonly #child: ChildProcess;
  /** The callbacks that receive the end of each running command, by the id of the command. */
  readonly #runs = new Map<number, (end: CommandEnd) => void>();
  #lastId = 0;
  #hasAnswered = false;

  /**
   * @param clock the timers for the time limit `STOP_TIMEOUT_MS`
   * @param onEnd called when the process has ended for any reason, before its running commands fail
   */
  constructor(clock: CommandClock, onEnd: (end: ProcessEnd) => void) {
    this.#clock = clock;
    this.#child = startProcess();
    this.#child.on('message', (report: CommandReport) => this.#handleReport(report));
    this.#ended = this.#waitForEnd(onEnd);
  }

  /**
   * Runs a command in the process and waits for its end. Never rejects: if the process ends, the command fails.
   *
   * @param cut kills the command when it is aborted
   */
  async run(what: RunRequest, cut: AbortSignal): Promise<CommandEnd> {
    const id = ++this.#lastId;
    const { promise, resolve } = Promise.withResolvers<CommandEnd>();
    this.#runs.set(id, resolve);
    using ends = new DisposableStack();
    const stop = (): void => {
      this.#send({ kind: 'cut', id });
      ends.use(this.#clock.after(STOP_TIMEOUT_MS, () => this.#kill()));
    };
    // The queue of unsent requests needs no limit, because the number of running handlers is limited.
    this.#send({ kind: 'run', id, ...what });
    cut.addEventListener('abort', stop);
    ends.defer(() => cut.removeEventListener('abort', stop));
    if (cut.aborted) stop();
    return await promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    using limits = new DisposableStack();
    limits.use(this.#clock.after(STOP_TIMEOUT_MS, () => this.#kill()));
    await this.#ended;
  }

  #send(request: CommandRequest): void {
    // Ignore a failed send: the process is ending, and then all its running commands fail.
    if (this.#child.connected) this.#child.send(request, () => undefined);
  }

  #handleReport({ id, end }: CommandReport): void {
    this.#hasAnswered = true;
    this.#runs.get(id)?.(end);
    this.#runs.delete(id);
  }

  #kill(): void {
    this.#child.kill('SIGKILL');
  }

  async #waitForEnd(onEnd: (end: ProcessEnd) => void): Promise<void> {
    const child = this.#child;
    // When the channel is disconnected, all reports have been received. Node.js can report the exit of the process
    // earlier.
    const read = new Promise<void>((resolve) => child.once('disconnect', resolve));
    // The lifeline is closed when the process and its watchdogs have exited; by then the watchdogs have killed all
    // commands.
    const lifeline = child.stdio[LIFELINE_DESCRIPTOR] as Readable | null | undefined;
    const closed = new Promise<void>((resolve) => lifeline?.once('close', resolve).resume());
    const reason = await new Promise<string>((resolve) => {
      child.once('exit', (code, signal) => resolve(signal ?? `exit code ${String(code)}`));
      child.on('error', (error) => {
        // Without a process id, the process could not be started. After any other error, `exit` is still emitted.
        if (child.pid === undefined) resolve(errorMessage(error));
      });
    });
    if (child.pid !== undefined) {
      using limits = new DisposableStack();
      const late = new Promise<void>((resolve) => limits.use(this.#clock.after(STOP_TIMEOUT_MS, resolve)));
      await Promise.race([Promise.all([read, closed]), late]);
    }
    onEnd({ reason, commands: this.#runs.size, hasReportedEnd: this.#hasAnswered });
    for (const resolve of this.#runs.values()) resolve(PROCESS_EXITED);
    this.#runs.clear();
  }
}

function startProcess(): ChildProcess {
  using shield = shieldedStdio(['ignore', 'ignore', STDERR_DESCRIPTOR, 'ipc', 'pipe']);
  return fork(PROGRAM_PATH, [String(inheritedUmask())], {
    stdio: shield.stdio,
    serialization: 'advanced',
    env: { ...reducedEnvironment(process.env), ...compileCacheOf(process.env) },
    // The Node.js flags of this process are not passed on, because they are meant for a large process.
    execArgv: NODE_FLAGS,
  });
}

/**
 * Returns the environment variable that names the compile cache of Node.js, if it is set. Commands do not inherit it.
 */
function compileCacheOf({ NODE_COMPILE_CACHE: directory }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: directory };
}

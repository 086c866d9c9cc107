import { fork, type ChildProcess } from 'node:child_process';
import { extname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { errorMessage } from '../../shared/errors.ts';
import { LIFELINE, type CommandReport, type CommandRequest } from './command-messages.ts';
import type { CommandClock, CommandEnd } from './command-outcome.ts';
import { reducedEnvironment } from './reduced-environment.ts';
import { inheritedUmask } from '../private-files/umask.ts';
import { shieldedStdio } from './shielded-stdio.ts';

/** The path of the program. In a bundle it is also in the same folder, under the same name. */
const PROGRAM = join(import.meta.dirname, `command-process${extname(import.meta.filename)}`);

/** Inputs and outputs of commands are short-lived: a small young generation is enough. */
const NODE_FLAGS = ['--max-semi-space-size=4'];

/** The descriptor to which Node.js writes fatal errors. */
const STDERR = 2;

/** The time limit for the process to kill a command or to end, and for its watchdogs to kill the remaining commands. */
const ANSWER_MS = 5000;

const ENDED: CommandEnd = { kind: 'failed', reason: 'the process that runs commands has exited and will be restarted' };

/** A command with its input. */
type RunRequest = Omit<Extract<CommandRequest, { readonly kind: 'run' }>, 'kind' | 'id'>;

/** The reason and circumstances of the end of the process. */
export interface ProcessEnd {
  readonly reason: string;
  /** The number of commands that ended with it. */
  readonly commands: number;
  /** True if it has ever reported the end of a command. */
  readonly hasAnswered: boolean;
}

/** One process that runs commands, from its start to its end. Dispose of it to end it with all its commands. */
export class RunningProcess implements AsyncDisposable {
  readonly #ended: Promise<void>;
  readonly #clock: CommandClock;
  readonly #child: ChildProcess;
  /** The functions that resolve the running commands, by their number. */
  readonly #runs = new Map<number, (end: CommandEnd) => void>();
  #lastId = 0;
  #hasAnswered = false;

  /**
   * @param clock the clock for the time limits of its answers
   * @param onEnd called when the process has ended for any reason, before its commands fail
   */
  constructor(clock: CommandClock, onEnd: (end: ProcessEnd) => void) {
    this.#clock = clock;
    this.#child = start();
    this.#child.on('message', (report: CommandReport) => this.#take(report));
    this.#ended = this.#untilEnd(onEnd);
  }

  /** @param cut kills the command */
  async run(what: RunRequest, cut: AbortSignal): Promise<CommandEnd> {
    const id = ++this.#lastId;
    const { promise, resolve } = Promise.withResolvers<CommandEnd>();
    this.#runs.set(id, resolve);
    using ends = new DisposableStack();
    const stop = (): void => {
      this.#send({ kind: 'cut', id });
      ends.use(this.#clock.after(ANSWER_MS, () => this.#kill()));
    };
    // The channel needs no limit of its own: the number of running handlers is limited, and their events are in memory.
    this.#send({ kind: 'run', id, ...what });
    cut.addEventListener('abort', stop);
    ends.defer(() => cut.removeEventListener('abort', stop));
    if (cut.aborted) stop();
    return await promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    using limits = new DisposableStack();
    limits.use(this.#clock.after(ANSWER_MS, () => this.#kill()));
    await this.#ended;
  }

  #send(request: CommandRequest): void {
    // A request that cannot be sent fails together with the process.
    if (this.#child.connected) this.#child.send(request, () => undefined);
  }

  #take({ id, end }: CommandReport): void {
    this.#hasAnswered = true;
    this.#runs.get(id)?.(end);
    this.#runs.delete(id);
  }

  #kill(): void {
    this.#child.kill('SIGKILL');
  }

  async #untilEnd(onEnd: (end: ProcessEnd) => void): Promise<void> {
    const child = this.#child;
    // All reports have been read when the channel is closed, but Node.js may announce the end of a process before that.
    const read = new Promise<void>((resolve) => child.once('disconnect', resolve));
    // The lifeline is closed when the watchdogs have killed all commands.
    const lifeline = child.stdio[LIFELINE] as Readable | null | undefined;
    const closed = new Promise<void>((resolve) => lifeline?.once('close', resolve).resume());
    const reason = await new Promise<string>((resolve) => {
      child.once('exit', (code, signal) => resolve(signal ?? `exit code ${String(code)}`));
      child.on('error', (error) => {
        // Only a process without a pid was never started. After any other error it still emits its end.
        if (child.pid === undefined) resolve(errorMessage(error));
      });
    });
    if (child.pid !== undefined) {
      using limits = new DisposableStack();
      const late = new Promise<void>((resolve) => limits.use(this.#clock.after(ANSWER_MS, resolve)));
      await Promise.race([Promise.all([read, closed]), late]);
    }
    onEnd({ reason, commands: this.#runs.size, hasAnswered: this.#hasAnswered });
    for (const resolve of this.#runs.values()) resolve(ENDED);
    this.#runs.clear();
  }
}

function start(): ChildProcess {
  using shield = shieldedStdio(['ignore', 'ignore', STDERR, 'ipc', 'pipe']);
  return fork(PROGRAM, [String(inheritedUmask())], {
    stdio: shield.stdio,
    serialization: 'advanced',
    env: { ...reducedEnvironment(process.env), ...compileCacheOf(process.env) },
    // Not the flags of this process: they are for a large one.
    execArgv: NODE_FLAGS,
  });
}

/** Returns the variable with the compile cache of Node.js. Commands do not inherit it. */
function compileCacheOf({ NODE_COMPILE_CACHE: directory }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: directory };
}

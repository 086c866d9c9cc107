import { fork, type ChildProcess } from 'node:child_process';
import { extname, join } from 'node:path';
import { errorMessage } from '../../shared/errors.ts';
import type { CommandReport, CommandRequest } from './command-messages.ts';
import type { CommandClock, CommandEnd } from './command-outcome.ts';
import { killGroup } from './kill-group.ts';
import { reducedEnvironment } from './reduced-environment.ts';
import { inheritedUmask } from '../private-files/umask.ts';
import { shieldedStdio } from './shielded-stdio.ts';

/** A bundle has it beside itself as well, under the same name. */
const PROGRAM = join(import.meta.dirname, `command-process${extname(import.meta.filename)}`);

/** Inputs and outputs of commands are not kept for long: a small nursery is enough. */
const NODE_FLAGS = ['--max-semi-space-size=4'];

/** Where Node says why it cannot go on. */
const STDERR = 2;

/** How long it may take to answer to the end of a command, or of itself: it kills at once, and waits for the last output. */
const ANSWER_MS = 5000;

const ENDED: CommandEnd = { kind: 'failed', reason: 'the process that runs commands has ended' };

/** A command with what it is given. */
type RunRequest = Omit<Extract<CommandRequest, { readonly kind: 'run' }>, 'kind' | 'id'>;

interface Run {
  /** Undefined: it has not begun. */
  group: number | undefined;
  readonly resolve: (end: CommandEnd) => void;
}

/** How the process itself ended. */
export interface ProcessEnd {
  readonly reason: string;
  /** Commands that ended with it. */
  readonly commands: number;
  /** Whether it has ever answered. */
  readonly hasAnswered: boolean;
}

/** One process that runs commands, from its start to its end. Dispose of it to end it, with all that it runs. */
export class RunningProcess implements AsyncDisposable {
  readonly #ended: Promise<void>;
  readonly #clock: CommandClock;
  readonly #child: ChildProcess;
  readonly #runs = new Map<number, Run>();
  #lastId = 0;
  #hasAnswered = false;

  /**
   * @param clock for how long it may take to answer
   * @param onEnd told of its end, for whatever reason, before anybody hears of the commands
   */
  constructor(clock: CommandClock, onEnd: (end: ProcessEnd) => void) {
    this.#clock = clock;
    this.#child = start();
    this.#child.on('message', (report: CommandReport) => this.#take(report));
    const { promise, resolve } = Promise.withResolvers<string>();
    this.#child.on('exit', (code, signal) => resolve(signal ?? `exit code ${String(code)}`));
    this.#child.on('error', (error) => {
      // It was not started; other errors have an end after them.
      if (this.#child.pid === undefined) resolve(errorMessage(error));
    });
    this.#ended = this.#untilEnd(promise, onEnd);
  }

  /** @param cut kills the command */
  async run(what: RunRequest, cut: AbortSignal): Promise<CommandEnd> {
    const id = ++this.#lastId;
    const { promise, resolve } = Promise.withResolvers<CommandEnd>();
    this.#runs.set(id, { group: undefined, resolve });
    using ends = new DisposableStack();
    const stop = (): void => {
      this.#send({ kind: 'cut', id });
      ends.use(this.#clock.after(ANSWER_MS, () => this.#kill()));
    };
    // Those who run handlers have a bounded number of them, and the events are in memory anyway: so is what waits here.
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
    // What cannot be said to it any more ends with it.
    if (this.#child.connected) this.#child.send(request, () => undefined);
  }

  #take(report: CommandReport): void {
    this.#hasAnswered = true;
    const run = this.#runs.get(report.id);
    if (run === undefined) return;
    switch (report.kind) {
      case 'started':
        run.group = report.group;
        break;
      case 'ended':
        this.#runs.delete(report.id);
        run.resolve(report.end);
        break;
    }
  }

  #kill(): void {
    this.#child.kill('SIGKILL');
  }

  async #untilEnd(reason: Promise<string>, onEnd: (end: ProcessEnd) => void): Promise<void> {
    onEnd({ reason: await reason, commands: this.#runs.size, hasAnswered: this.#hasAnswered });
    for (const { group, resolve } of this.#runs.values()) {
      // It had no time to take its commands with it, unless it was told to end.
      if (group !== undefined) killGroup(group);
      resolve(ENDED);
    }
    this.#runs.clear();
  }
}

function start(): ChildProcess {
  using shield = shieldedStdio(['ignore', 'ignore', STDERR, 'ipc']);
  return fork(PROGRAM, [String(inheritedUmask())], {
    stdio: shield.stdio,
    serialization: 'advanced',
    env: reducedEnvironment(process.env),
    // Not ours: they are for a large process.
    execArgv: NODE_FLAGS,
  });
}

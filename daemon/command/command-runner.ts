import { backoffMs } from '../../shared/domain/backoff.ts';
import { errorMessage } from '../../shared/errors.ts';
import type { CommandLine } from '../../shared/schemas/command.ts';
import { SystemClock } from '../clock/system-clock.ts';
import type { Log } from '../log/log.ts';
import {
  outcomeWithin,
  type CommandClock,
  type CommandEnd,
  type CommandLimits,
  type CommandOutcome,
} from './command-outcome.ts';
import { RunningProcess, type ProcessEnd } from './running-process.ts';

/** The backoff between the end of a process and the start of the next. */
const PAUSE = { minMs: 100, maxMs: 30_000 };

const STOPPED: CommandEnd = { kind: 'cut', output: '' };

export interface CommandOptions extends CommandLimits {
  /** The standard input of the command. */
  readonly input: string;
  /** `NAME=value`; overrides the inherited variables. */
  readonly environment?: readonly string[] | undefined;
}

interface RunnerParts {
  /** `NAME=value` for all commands, which their own variables override; default: none. */
  readonly environment?: readonly string[];
  readonly clock: CommandClock;
  /** The monotonic clock of the process, which does not jump; default: the one of the machine. */
  readonly processClock?: CommandClock;
  readonly log: Log;
  /** Returns a random number from 0 to below 1, evenly distributed. */
  readonly random: () => number;
}

/**
 * Runs command lines as `runCommand` does, but in a small process of their own, so that no start of a command blocks
 * this one. The process is started with the first command. If it ends by itself, its commands fail and are killed.
 * Later commands wait for the next process, which is started after a backoff.
 */
export class CommandRunner implements AsyncDisposable {
  readonly #parts: RunnerParts;
  #process: RunningProcess | undefined;
  /** Resolves when the restart backoff has elapsed. */
  #pause: Promise<void> = Promise.resolve();
  /**
   * The number of ends in a row for the backoff. It restarts at 1 after a process that reported the end of a command.
   */
  #ends = 0;
  readonly #timers = new DisposableStack();

  constructor(parts: RunnerParts) {
    this.#parts = parts;
  }

  /** Never rejects. */
  async run(command: CommandLine, { input, environment = [], ...limits }: CommandOptions): Promise<CommandOutcome> {
    const { environment: ofAll = [] } = this.#parts;
    return await outcomeWithin(this.#parts.clock, limits, async (cut) => {
      await untilAborted(this.#pause, cut);
      if (cut.aborted) return STOPPED;
      try {
        return await this.#ready().run({ command, input, environment: [...ofAll, ...environment] }, cut);
      } catch (error) {
        return { kind: 'failed', reason: errorMessage(error) };
      }
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#timers.dispose();
    await this.#process?.[Symbol.asyncDispose]();
  }

  #ready(): RunningProcess {
    if (this.#process !== undefined) return this.#process;
    const { processClock = new SystemClock() } = this.#parts;
    this.#process = new RunningProcess(processClock, (end) => this.#restartLater(end));
    return this.#process;
  }

  #restartLater({ reason, commands, hasAnswered }: ProcessEnd): void {
    this.#process = undefined;
    if (this.#timers.disposed) return;
    const { clock, log, random } = this.#parts;
    this.#ends = hasAnswered ? 1 : this.#ends + 1;
    const pauseMs = backoffMs(this.#ends, random(), PAUSE);
    log.warn(
      { reason, commands, pause_ms: pauseMs },
      'the process that runs commands has exited and will be restarted',
    );
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#timers.use(clock.after(pauseMs, resolve));
    this.#pause = promise;
  }
}

/** Waits for the promise, or for the signal if it is aborted first. */
async function untilAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => resolve(), { once: true });
  await Promise.race([promise, aborted]);
}

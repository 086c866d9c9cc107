import { backoffMs } from '../../shared/domain/backoff.ts';
import { errorMessage } from '../../shared/errors.ts';
import type { CommandLine } from '../../shared/schemas/command.ts';
import { SystemClock } from '../clock/system-clock.ts';
import type { Log } from '../log/log.ts';
import {
  runWithLimits,
  type CommandClock,
  type CommandEnd,
  type CommandLimits,
  type CommandOutcome,
} from './command-outcome.ts';
import { RunningProcess, type ProcessEnd } from './running-process.ts';

/** Limits of the backoff between the end of a command process and the start of the next. */
const RESTART_BACKOFF = { minMs: 100, maxMs: 30_000 };

const STOPPED_END: CommandEnd = { kind: 'cut', output: '' };

export interface CommandOptions extends CommandLimits {
  /** The text that the command reads from its standard input. */
  readonly input: string;
  /** Environment variables as `NAME=value`; they override inherited variables. */
  readonly environment?: readonly string[] | undefined;
}

interface RunnerDependencies {
  /**
   * Environment variables for all commands, as `NAME=value`; those of a single command override them. Default: none.
   */
  readonly environment?: readonly string[];
  readonly clock: CommandClock;
  /**
   * Timers for the time limits of the command process. Default: system timers, which a jump of the wall clock does not
   * affect.
   */
  readonly processClock?: CommandClock;
  readonly log: Log;
  /** Returns a random number from 0 to below 1, evenly distributed. */
  readonly random: () => number;
}

/**
 * Runs commands as `runCommand` does, but in a small separate process, so that the start of a command does not block
 * this program. The first command starts that process. If the process exits by itself, its commands fail and are
 * killed. Later commands wait for the next process, which starts after a backoff.
 */
export class CommandRunner implements AsyncDisposable {
  readonly #dependencies: RunnerDependencies;
  #process: RunningProcess | undefined;
  /** Resolves when the backoff before the next command process has elapsed. */
  #pause: Promise<void> = Promise.resolve();
  /**
   * The attempt number for the backoff: the number of command processes that have exited in a row, counted from the
   * last process that had reported the end of a command.
   */
  #attempt = 0;
  readonly #timers = new DisposableStack();

  constructor(dependencies: RunnerDependencies) {
    this.#dependencies = dependencies;
  }

  /** Runs a command and returns its outcome. Never rejects. */
  async run(command: CommandLine, { input, environment = [], ...limits }: CommandOptions): Promise<CommandOutcome> {
    const { environment: ofAll = [] } = this.#dependencies;
    return await runWithLimits(this.#dependencies.clock, limits, async (cut) => {
      await waitUntilAborted(this.#pause, cut);
      if (cut.aborted) return STOPPED_END;
      try {
        return await this.#readyProcess().run({ command, input, environment: [...ofAll, ...environment] }, cut);
      } catch (error) {
        return { kind: 'failed', reason: errorMessage(error) };
      }
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#timers.dispose();
    await this.#process?.[Symbol.asyncDispose]();
  }

  #readyProcess(): RunningProcess {
    if (this.#process !== undefined) return this.#process;
    const { processClock = new SystemClock() } = this.#dependencies;
    this.#process = new RunningProcess(processClock, (end) => this.#restartLater(end));
    return this.#process;
  }

  #restartLater({ reason, commands, hasReportedEnd: hasAnswered }: ProcessEnd): void {
    this.#process = undefined;
    if (this.#timers.disposed) return;
    const { clock, log, random } = this.#dependencies;
    this.#attempt = hasAnswered ? 1 : this.#attempt + 1;
    const pauseMs = backoffMs(this.#attempt, random(), RESTART_BACKOFF);
    log.warn(
      { reason, commands, pause_ms: pauseMs },
      'the process that runs commands has exited and will be restarted',
    );
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#timers.use(clock.after(pauseMs, resolve));
    this.#pause = promise;
  }
}

/** Waits until the promise resolves or the signal is aborted. */
async function waitUntilAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => resolve(), { once: true });
  await Promise.race([promise, aborted]);
}

import { errorMessage } from '../../shared/errors.ts';
import type { CommandOutcome } from '../command/command-outcome.ts';
import { commandResult, type CommandResult } from '../command/command-result.ts';
import type { CommandWatchdog } from '../command/command-watchdog.ts';
import { runCommand } from '../command/run-command.ts';
import type { ExecutableWork } from './prepare-check.ts';
import type { Clock } from '../clock/clock.ts';

interface WorkOptions {
  readonly clock: Clock;
  /** Kills the command if the agent dies; not used by a built-in check. */
  readonly watchdog: CommandWatchdog;
  /** Time limit of the command or built-in check in seconds; undefined if there is no limit. */
  readonly timeout: number | undefined;
  /** Standard input of a command; undefined if the input is empty. */
  readonly input: string | undefined;
  /** Environment variables for a command, as `NAME=value`; those in `work` override them. */
  readonly environment: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * Runs a command or a built-in check and returns its exit status and output (completion 1.12). Never rejects.
 *
 * @returns the exit status and the output; undefined if the agent stopped the run
 */
export async function runWork(
  work: ExecutableWork,
  { clock, watchdog, timeout, input, environment, signal }: WorkOptions,
): Promise<CommandResult | undefined> {
  const options = { clock, timeoutMs: timeout === undefined ? undefined : timeout * 1000, input, signal };
  return commandResult(
    work.kind === 'command'
      ? await runCommand(work.command, {
          ...options,
          watchdog,
          environment: [...environment, ...(work.environment ?? [])],
        })
      : await runExtension(work, options),
  );
}

type ExtensionWork = Extract<ExecutableWork, { kind: 'extension' }>;

async function runExtension(
  { extension, parameters }: ExtensionWork,
  { clock, timeoutMs, signal }: { clock: Clock; timeoutMs: number | undefined; signal: AbortSignal },
): Promise<CommandOutcome> {
  const limit = new AbortController();
  using timers = new DisposableStack();
  if (timeoutMs !== undefined) timers.use(clock.after(timeoutMs, () => limit.abort()));
  const cut = AbortSignal.any([signal, limit.signal]);
  const { promise: whenCut, resolve } = Promise.withResolvers<CommandOutcome>();
  const stop = (): void => resolve(limit.signal.aborted ? { kind: 'timed_out', output: '' } : { kind: 'stopped' });
  cut.addEventListener('abort', stop);
  timers.defer(() => cut.removeEventListener('abort', stop));
  if (cut.aborted) stop();
  // Return at the time limit even if the built-in check ignores its signal.
  return await Promise.race([whenCut, outcomeOf(extension.run(parameters, { signal: cut }))]);
}

async function outcomeOf(finding: ReturnType<ExtensionWork['extension']['run']>): Promise<CommandOutcome> {
  try {
    const { status, output } = await finding;
    return { kind: 'exited', status, output: `${output}\n` };
  } catch (error) {
    return { kind: 'failed', reason: errorMessage(error) };
  }
}

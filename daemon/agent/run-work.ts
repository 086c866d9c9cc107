import { errorMessage } from '../../shared/errors.ts';
import type { CommandOutcome } from '../command/command-outcome.ts';
import { commandResult, type CommandResult } from '../command/command-result.ts';
import type { CommandWatchdog } from '../command/command-watchdog.ts';
import { runCommand } from '../command/run-command.ts';
import type { Work } from './prepare-check.ts';
import type { Clock } from './ports.ts';

interface WorkOptions {
  readonly clock: Clock;
  /** For a command; see `runCommand`. */
  readonly watchdog: CommandWatchdog;
  /** Seconds; without it the work may go on for ever. */
  readonly timeout: number | undefined;
  /** For a command; see `runCommand`. */
  readonly input: string | undefined;
  /** `NAME=value` for a command, beneath what it has of its own. */
  readonly environment: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * Runs a command or a built-in check, and says how it ended in the words of completion 1.12; undefined: it was stopped
 * with the agent. Never rejects.
 */
export async function runWork(
  work: Work,
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

type ExtensionWork = Extract<Work, { kind: 'extension' }>;

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
  // It listens to the signal too, but must not be trusted to: a hard stop is a promise to the operator.
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

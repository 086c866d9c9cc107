import { errorMessage } from '../../shared/errors.ts';
import type { CommandOutcome } from '../command/command-outcome.ts';
import { commandResult, type CommandResult } from '../command/command-result.ts';
import type { CommandWatchdog } from '../command/command-watchdog.ts';
import { runCommand } from '../command/run-command.ts';
import type { Work } from './prepare-check.ts';
import type { Clock } from '../clock/clock.ts';

interface WorkOptions {
  readonly clock: Clock;
  /** The watchdog of a command; see `runCommand`. */
  readonly watchdog: CommandWatchdog;
  /** The time limit in seconds; undefined: none. */
  readonly timeout: number | undefined;
  /** The standard input of a command; see `runCommand`. */
  readonly input: string | undefined;
  /** `NAME=value` for a command; its own variables override these. */
  readonly environment: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * Runs a command or a built-in check, and returns its outcome in the terms of completion 1.12; undefined: the agent
 * stopped it. Never rejects.
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
  // The extension also gets the signal, but the time limit must hold even if the extension ignores it.
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

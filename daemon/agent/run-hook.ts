import { isAttributes, type Attributes } from '../../shared/domain/attributes.ts';
import { commandOf } from '../../shared/domain/command-text.ts';
import { selectHook } from '../../shared/domain/hook.ts';
import { substituteTokens, unmatchedText } from '../../shared/domain/tokens.ts';
import type { SubmittedResult } from '../../shared/schemas/result.ts';
import { truncateHookOutput } from './hook-output.ts';
import type { CommandWatchdog } from '../command/command-watchdog.ts';
import type { Clock } from '../clock/clock.ts';
import { runWork } from './run-work.ts';

/** Default time limit of a hook in seconds (reference 2.2.2). */
const TIMEOUT_DEFAULT = 60;

export interface ExecutionDependencies {
  /** The attributes of this client, secrets included, because commands may need them. */
  readonly client: Attributes;
  /** Environment variables for the commands of checks and hooks, as `NAME=value`. */
  readonly environment: readonly string[];
  readonly clock: Clock;
  readonly watchdog: CommandWatchdog;
  /** Stops the running check or hook at once when it is aborted. */
  readonly signal: AbortSignal;
}

/**
 * Runs the hook of a check that matches the status of its result, if there is one. Adds the hook's start time,
 * duration, status and output to the hook in the result. A token without a value fails the hook and not the check
 * (completion 1.12). Never rejects.
 *
 * @returns the result with the outcome of the hook; the unchanged result if no hook ran or the agent stopped first
 */
export async function runHook(
  result: SubmittedResult & { readonly status: number },
  { client, environment, clock, watchdog, signal }: ExecutionDependencies,
): Promise<SubmittedResult> {
  const hooks = result['hooks'];
  const name = selectHook(hooks, result.status);
  const hook = isAttributes(hooks) && name !== undefined ? hooks[name] : undefined;
  if (!isAttributes(hooks) || name === undefined || !isAttributes(hook)) return result;
  const recorded = (findings: Attributes): SubmittedResult => ({
    ...result,
    hooks: { ...hooks, [name]: { ...hook, ...findings } },
  });

  const executed = Math.floor(clock.now() / 1000);
  const { value, unmatched } = substituteTokens(hook, client);
  if (unmatched.length > 0) return recorded({ executed, output: unmatchedText(unmatched), status: 3 });
  const command = isAttributes(value) ? commandOf(value['command']) : undefined;
  if (command === undefined) return result;

  const startedMs = clock.monotonic();
  const outcome = await runWork(
    { kind: 'command', command },
    {
      clock,
      watchdog,
      timeout: typeof hook['timeout'] === 'number' && hook['timeout'] > 0 ? hook['timeout'] : TIMEOUT_DEFAULT,
      input: hook['stdin'] === true ? JSON.stringify({ client, check: recorded({ executed }) }) : undefined,
      environment,
      signal,
    },
  );
  if (outcome === undefined) return result;
  const duration = Math.round(clock.monotonic() - startedMs) / 1000;
  return recorded({ executed, duration, status: outcome.status, output: truncateHookOutput(outcome.output) });
}

import { isAttributes, type Attributes } from '../../shared/domain/attributes.ts';
import { commandOf } from '../../shared/domain/command-text.ts';
import { hookFor } from '../../shared/domain/hook.ts';
import { substituteTokens, unmatchedText } from '../../shared/domain/tokens.ts';
import type { SubmittedResult } from '../../shared/schemas/result.ts';
import { withinHookOutput } from './hook-output.ts';
import type { CommandWatchdog } from '../command/command-watchdog.ts';
import type { Clock } from '../clock/clock.ts';
import { runWork } from './run-work.ts';

/** The default time limit in seconds (reference 2.2.2). */
const TIMEOUT_DEFAULT = 60;

export interface ExecutionDeps {
  /** Attributes of this client, secrets included: commands may need them. */
  readonly client: Attributes;
  /** `NAME=value` for the commands of checks and hooks. */
  readonly environment: readonly string[];
  readonly clock: Clock;
  readonly watchdog: CommandWatchdog;
  /** Stops the hook at once, without a result. */
  readonly signal: AbortSignal;
}

/**
 * Runs the hook of a check that matches its status, if there is one. Records in the hook when it ran, its duration and
 * its output. A token without a match fails the hook and not the check (completion 1.12). Never rejects.
 *
 * @returns the result with the output of the hook; the unchanged result if the agent stopped first
 */
export async function runHook(
  result: SubmittedResult & { readonly status: number },
  { client, environment, clock, watchdog, signal }: ExecutionDeps,
): Promise<SubmittedResult> {
  const hooks = result['hooks'];
  const name = hookFor(hooks, result.status);
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
  return recorded({ executed, duration, status: outcome.status, output: withinHookOutput(outcome.output) });
}

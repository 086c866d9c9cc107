import type { CheckRequest } from '../../shared/schemas/agent.ts';
import type { SubmittedResult } from '../../shared/schemas/result.ts';
import type { PreparedCheck } from './prepare-check.ts';
import { runHook, type ExecutionDependencies } from './run-hook.ts';
import { runWork } from './run-work.ts';

/**
 * Runs a check, then the hook that matches its status, and returns the result (completion 1.12). Never rejects.
 *
 * @returns the result; undefined if the agent stopped before the check ended
 */
export async function executeCheck(
  { published, work, problem }: PreparedCheck,
  { client, environment, clock, watchdog, signal }: ExecutionDependencies,
): Promise<SubmittedResult | undefined> {
  const check: CheckRequest = { ...published, executed: Math.floor(clock.now() / 1000) };
  // No handler is notified: the definition of the check is wrong, and the machine has no problem.
  if (problem !== undefined) return { ...check, output: problem, status: 3, handle: false };

  const startedMs = clock.monotonic();
  const input = check['stdin'] === true ? JSON.stringify({ client, check }) : undefined;
  const outcome = await runWork(work, { clock, watchdog, timeout: check.timeout, input, environment, signal });
  if (outcome === undefined) return undefined;
  const duration = Math.round(clock.monotonic() - startedMs) / 1000;
  return await runHook({ ...check, duration, ...outcome }, { client, environment, clock, watchdog, signal });
}

import type { RunningHandler } from '../../../../shared/schemas/handler.ts';
import { commandResult } from '../../../command/command-result.ts';
import type { CommandRunner } from '../../../command/command-runner.ts';
import type { Log } from '../../../log/log.ts';
import { DELIVERED, failedForNow, STOPPED, type DeliveryOutcome } from './outcome.ts';

interface PipeDeps {
  readonly commands: Pick<CommandRunner, 'run'>;
  readonly log: Log;
  /** Kills the command when it is aborted. */
  readonly signal: AbortSignal;
  /** The log fields that identify the run. */
  readonly logFields: object;
}

/** Longest output in the log, in UTF-16 units. */
const LOGGED_MAX = 4096;

/**
 * Runs the command with the data on its standard input, and logs its output as Sensu does (completion 1.8). It may run
 * without a time limit unless a timeout is set.
 */
export async function runPipe(
  { command, timeout, env_vars: environment }: Extract<RunningHandler, { type: 'pipe' }>,
  data: string,
  { commands, log, signal, logFields }: PipeDeps,
): Promise<DeliveryOutcome> {
  const timeoutMs = timeout === undefined ? undefined : timeout * 1000;
  const outcome = await commands.run(command, { timeoutMs, input: data, environment, signal });
  const result = commandResult(outcome);
  if (result === undefined) return STOPPED;
  const { status, output } = result;
  const record = { ...logFields, status, output: output.slice(0, LOGGED_MAX) };
  if (status === 0) {
    log.info(record, 'handler output');
    return DELIVERED;
  }
  log.error(record, 'handler output');
  if (outcome.kind === 'exited') return failedForNow(`it exited with ${String(status)}`, 'exit_status');
  return failedForNow(firstLine(output), outcome.kind === 'timed_out' ? 'timeout' : undefined);
}

/** Returns the first line of an output: `Execution timed out`, or why nothing ran. */
function firstLine(output: string): string {
  return output.split('\n', 1).join('');
}

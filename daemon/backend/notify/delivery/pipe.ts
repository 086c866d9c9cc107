import type { RunningHandler } from '../../../../shared/schemas/handler.ts';
import { commandResult } from '../../../command/command-result.ts';
import type { CommandRunner } from '../../../command/command-runner.ts';
import type { Log } from '../../../log/log.ts';
import { DELIVERED_OUTCOME, retryableFailure, BACKEND_STOPPING, type DeliveryOutcome } from './outcome.ts';

interface PipeDependencies {
  readonly commands: Pick<CommandRunner, 'run'>;
  readonly log: Log;
  /** The command of the handler is killed when this signal is aborted. */
  readonly signal: AbortSignal;
  /** Log fields that identify the handler run: the handler, the event or group, and the attempt. */
  readonly logFields: object;
}

/** Maximum length of the command output in a log record, in UTF-16 units. Longer output is truncated. */
const LOGGED_OUTPUT_LENGTH_MAX = 4096;

/**
 * Runs the command of a pipe handler with the data on its standard input, and logs the command output as Sensu does
 * (completion 1.8). Without `timeout` in the handler definition, the command has no time limit.
 */
export async function runPipeHandler(
  { command, timeout, env_vars: environment }: Extract<RunningHandler, { type: 'pipe' }>,
  data: string,
  { commands, log, signal, logFields }: PipeDependencies,
): Promise<DeliveryOutcome> {
  const timeoutMs = timeout === undefined ? undefined : timeout * 1000;
  const outcome = await commands.run(command, { timeoutMs, input: data, environment, signal });
  const result = commandResult(outcome);
  if (result === undefined) return BACKEND_STOPPING;
  const { status, output } = result;
  const logRecord = { ...logFields, status, output: output.slice(0, LOGGED_OUTPUT_LENGTH_MAX) };
  if (status === 0) {
    log.info(logRecord, 'handler output');
    return DELIVERED_OUTCOME;
  }
  log.error(logRecord, 'handler output');
  if (outcome.kind === 'exited') return retryableFailure(`it exited with ${String(status)}`, 'exit_status');
  return retryableFailure(firstLine(output), outcome.kind === 'timed_out' ? 'timeout' : undefined);
}

/**
 * Returns the first line of the output of a command. If the command timed out or could not be run, that line says so.
 */
function firstLine(output: string): string {
  return output.split('\n', 1).join('');
}

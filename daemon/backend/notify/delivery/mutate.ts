import { metricsText } from '../../../../shared/domain/metrics/event-points.ts';
import type { HandledEvent } from '../../../../shared/schemas/handler-job.ts';
import { commandResult } from '../../../command/command-result.ts';
import type { CommandRunner } from '../../../command/command-runner.ts';
import type { Log } from '../../../log/log.ts';
import type { NamespaceDefinitions } from '../../model/config/definitions.ts';
import { permanentFailure, retryableFailure, BACKEND_STOPPING, type DeliveryOutcome } from './outcome.ts';

export type MutatorOutcome =
  { readonly kind: 'mutated'; readonly data: string } | Extract<DeliveryOutcome, { kind: 'failed' }>;

interface MutatorDependencies {
  /** The definitions in the namespace of the event, from which the mutator is read. */
  readonly definitions: Pick<NamespaceDefinitions, 'mutator'>;
  readonly commands: Pick<CommandRunner, 'run'>;
  readonly log: Log;
  /** Formats the event as input for the mutator; default: JSON in the v1 format. */
  readonly formatEvent?: (event: HandledEvent) => string;
  readonly signal: AbortSignal;
  /** Log fields that identify the handler run: the handler, the event or group, and the attempt. */
  readonly logFields: object;
}

const DEFAULT_MUTATOR = 'json';

/**
 * Runs a mutator and returns its output, which becomes the input of a handler (completion 1.9). If a mutator with this
 * name is defined, its command is run. Otherwise, the name must be that of a built-in mutator: `json`,
 * `only_check_output` or a metric format.
 */
export async function runMutator(
  event: HandledEvent,
  name: string = DEFAULT_MUTATOR,
  { definitions, commands, log, formatEvent = JSON.stringify, signal, logFields }: MutatorDependencies,
): Promise<MutatorOutcome> {
  const definition = definitions.mutator(name);
  if (definition === undefined) {
    const data = runBuiltInMutator(event, name, formatEvent);
    if (data !== undefined) return { kind: 'mutated', data };
    log.error({ ...logFields, mutator: name }, 'unknown mutator');
    return permanentFailure(`unknown mutator: ${name}`, 'mutator');
  }
  const { command, timeout, env_vars: environment } = definition;
  const timeoutMs = timeout === undefined ? undefined : timeout * 1000;
  const outcome = await commands.run(command, {
    timeoutMs,
    input: formatEvent(event),
    environment,
    signal,
  });
  const result = commandResult(outcome);
  if (result === undefined) return BACKEND_STOPPING;
  const hasCompleteOutput = outcome.kind === 'exited' && outcome.isOutputCut !== true;
  if (hasCompleteOutput && result.status === 0) return { kind: 'mutated', data: result.output };
  const reason = hasCompleteOutput ? `it exited with ${String(result.status)}` : failureReason(outcome.kind);
  log.error({ ...logFields, mutator: name, status: result.status, output: result.output, reason }, 'mutator error');
  // If the mutator command could not be run, the next attempt may succeed. If it ran and failed, it would fail in the
  // same way again.
  const createFailure = outcome.kind === 'failed' ? retryableFailure : permanentFailure;
  return createFailure(`mutator error: ${name}: ${reason}`, 'mutator');
}

function failureReason(kind: 'exited' | 'timed_out' | 'failed' | 'stopped'): string {
  switch (kind) {
    case 'exited':
      return 'it printed more than can be kept';
    case 'timed_out':
      return 'execution timed out';
    default:
      return 'it could not be run';
  }
}

function runBuiltInMutator(
  event: HandledEvent,
  name: string,
  formatEvent: (event: HandledEvent) => string,
): string | undefined {
  switch (name) {
    case 'json':
      return formatEvent(event);
    case 'only_check_output':
      return event.check.output;
    default:
      return metricsText(event, name);
  }
}

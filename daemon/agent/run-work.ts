import { errorMessage } from '../../shared/errors.ts';
import type { Work } from './prepare-check.ts';
import type { Clock } from './ports.ts';
import { runCommand, type CommandOutcome } from './run-command.ts';

interface WorkOptions {
  readonly clock: Clock;
  /** Seconds; without it the work may go on for ever. */
  readonly timeout: number | undefined;
  /** For a command; see `runCommand`. */
  readonly input: string | undefined;
  readonly signal: AbortSignal;
}

/** How a piece of work ended; undefined: it was stopped with the agent. */
export type WorkResult = { readonly status: number; readonly output: string } | undefined;

/** Runs a command or a built-in check, and says how it ended in the words of completion 1.12. Never rejects. */
export async function runWork(work: Work, { clock, timeout, input, signal }: WorkOptions): Promise<WorkResult> {
  const options = { clock, timeoutMs: timeout === undefined ? undefined : timeout * 1000, input, signal };
  return workResult(
    work.kind === 'command' ? await runCommand(work.command, options) : await runExtension(work, options),
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

function workResult(outcome: CommandOutcome): WorkResult {
  switch (outcome.kind) {
    case 'exited':
      return { status: outcome.status, output: outcome.output };
    case 'timed_out':
      // The peer says no more than the first line, and loses the rest.
      return {
        status: 2,
        output: ['Execution timed out', ...(outcome.output === '' ? [] : [outcome.output])].join('\n'),
      };
    case 'failed':
      return { status: 3, output: `Unexpected error: ${outcome.reason}` };
    case 'stopped':
      return undefined;
  }
}

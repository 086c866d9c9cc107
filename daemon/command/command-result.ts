import type { CommandOutcome } from './command-outcome.ts';

/** The result of a command, in the form of checks and handlers. */
export interface CommandResult {
  readonly status: number;
  readonly output: string;
}

/** Returns the result in the terms of completion 1.12; undefined: the command was stopped together with its program. */
export function commandResult(outcome: CommandOutcome): CommandResult | undefined {
  switch (outcome.kind) {
    case 'exited':
      return { status: outcome.status, output: outcome.output };
    case 'timed_out':
      // Sensu reports only the first line, and loses the output.
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

import type { CommandOutcome } from './command-outcome.ts';

/** The exit status and output of a command, as in the result of a check. */
export interface CommandResult {
  readonly status: number;
  readonly output: string;
}

/**
 * Converts the outcome of a command to a status and an output (completion 1.12).
 *
 * @returns the result; undefined if the command was stopped together with the program that ran it
 */
export function commandResult(outcome: CommandOutcome): CommandResult | undefined {
  switch (outcome.kind) {
    case 'exited':
      return { status: outcome.status, output: outcome.output };
    case 'timed_out':
      // Sensu reports only the first line of this text and loses the output of the command.
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

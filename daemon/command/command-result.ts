import type { CommandOutcome } from './command-outcome.ts';

/** How a command ended, as checks and handlers tell it. */
export interface CommandResult {
  readonly status: number;
  readonly output: string;
}

/** In the words of completion 1.12; undefined: it was stopped together with the program that ran it. */
export function commandResult(outcome: CommandOutcome): CommandResult | undefined {
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

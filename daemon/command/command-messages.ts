import type { Command } from '../../shared/schemas/command.ts';
import type { CommandEnd } from './command-outcome.ts';

/** The descriptor of the process that runs commands which it and its watchdogs hold open until they have ended. */
export const LIFELINE = 4;

/** A request to the process that runs commands. Each command has a number that is never used again. */
export type CommandRequest =
  | {
      readonly kind: 'run';
      readonly id: number;
      readonly command: Command;
      readonly input: string;
      readonly environment?: readonly string[] | undefined;
    }
  /** Kills the command. A report of its end follows all the same. */
  | { readonly kind: 'cut'; readonly id: number };

/** A report of that process: the command has ended. */
export interface CommandReport {
  readonly id: number;
  readonly end: CommandEnd;
}

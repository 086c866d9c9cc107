import type { CommandLine } from '../../shared/schemas/command.ts';
import type { CommandEnd } from './command-outcome.ts';

/** The descriptor that the command process and its watchdogs hold open until they have ended. */
export const LIFELINE = 4;

/** A request to the command process. Each command has a number that is never reused. */
export type CommandRequest =
  | {
      readonly kind: 'run';
      readonly id: number;
      readonly command: CommandLine;
      readonly input: string;
      readonly environment?: readonly string[] | undefined;
    }
  /** Kills the command. Its end is reported even so. */
  | { readonly kind: 'cut'; readonly id: number };

/** A report of the command process: the command has ended. */
export interface CommandReport {
  readonly id: number;
  readonly end: CommandEnd;
}

import type { CommandLine } from '../../shared/schemas/command.ts';
import type { CommandEnd } from './command-outcome.ts';

/**
 * Number of the file descriptor of a pipe to the backend. The command process and its watchdogs keep it open until they
 * exit, so that the backend knows when all of them have exited.
 */
export const LIFELINE_DESCRIPTOR = 4;

/**
 * A request of the backend to the command process. `id` identifies a command; a command process never gets an id twice.
 */
export type CommandRequest =
  | {
      readonly kind: 'run';
      readonly id: number;
      readonly command: CommandLine;
      readonly input: string;
      readonly environment?: readonly string[] | undefined;
    }
  /** Kills the command with this id. A `CommandReport` about its end follows, as for every command. */
  | { readonly kind: 'cut'; readonly id: number };

/** A report of the command process that a command has ended. */
export interface CommandReport {
  readonly id: number;
  readonly end: CommandEnd;
}

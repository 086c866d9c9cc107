import type { Command } from '../../shared/schemas/command.ts';
import type { CommandEnd } from './command-outcome.ts';

/** What is said to the process that runs commands. Each command has a number that is never used again. */
export type CommandRequest =
  | {
      readonly kind: 'run';
      readonly id: number;
      readonly command: Command;
      readonly input: string;
      readonly environment?: readonly string[] | undefined;
    }
  /** Kills it. Its end is told all the same. */
  | { readonly kind: 'cut'; readonly id: number };

/** What it answers. */
export type CommandReport =
  /** The command has begun, in this process group. */
  | { readonly kind: 'started'; readonly id: number; readonly group: number }
  | { readonly kind: 'ended'; readonly id: number; readonly end: CommandEnd };

import type { ApiClient } from '../../shared/client/api-client.ts';
import type { CredentialsEnv } from '../../shared/client/backend-address.ts';
import type { V2Client } from '../../shared/client/v2-client.ts';
import type { FeedClock } from '../../shared/client/feed-clock.ts';
import type { Output, OutputStream } from './output.ts';
import type { RunProgram } from './run-program.ts';
import { Flags, type Completes, type CommandOption } from './flags.ts';

export interface Command {
  /** The words that call the command: `['event', 'list']`. */
  readonly words: readonly string[];
  /** One line for the manual, without a full stop. */
  readonly summary: string;
  /** Further lines of the manual, if the summary does not say everything. */
  readonly details?: readonly string[];
  /** Names of the operands after the words; `[ID]` is optional. Default: none. */
  readonly operands?: readonly string[];
  /** Name of the words after `--`, which are passed on unchanged. Without it they are ordinary operands. */
  readonly trailingName?: string;
  /** The completions of each operand, in order. Default: those of its name, see `completedTo`. */
  readonly completes?: readonly Completes[];
  /** The options by name, without the dashes. */
  readonly options: Readonly<Record<string, CommandOption>>;
  readonly examples: readonly (readonly [call: string, does: string])[];
  /** The name of the text format for `--output`; default `table`. */
  readonly textFormat?: string;
  /** True if the command needs no backend or chooses its own. */
  readonly isLocal?: boolean;
  /**
   * Runs the command.
   *
   * @throws MonError whose code becomes the exit code
   */
  run(call: Call): Promise<void>;
}

export type Ask = (question: string, isSecret?: boolean) => Promise<string>;

/** The process environment of a call. */
export interface ProcessEnvironment {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reads all of standard input. */
  readonly readInput: () => Promise<string>;
  /** Runs a program in place of this one, with its terminal, output and signals. */
  readonly runProgram: RunProgram;
  /** Asks the user at the terminal and hides the input of a secret; `undefined` without a terminal. */
  readonly ask: Ask | undefined;
  readonly clock: FeedClock;
}

/** Everything that a command needs to run. */
export interface Call extends Omit<ProcessEnvironment, 'stdout' | 'stderr'> {
  /** The operands, one for each that the command defines; an omitted operand is `''`. */
  readonly operands: readonly string[];
  /** The words after `--`, for a command that passes them on. */
  readonly trailingArgs: readonly string[];
  readonly flags: Flags;
  /** Returns the client of the mon and v1 APIs; the first call opens it. */
  readonly api: () => ApiClient;
  /** Returns the v2 API client of the same backend; the first call opens it. */
  readonly v2: () => V2Client;
  /** The namespace of `--namespace`, the environment or the context; `undefined` if none is set. */
  readonly namespace: string | undefined;
  /** Address of the backend as the user gave it, including credentials. */
  readonly backend: string;
  readonly output: Output;
  /** Source of the credentials that `backend` does not contain. */
  readonly credentials: CredentialsEnv;
  /** Start of the call, in epoch milliseconds. */
  readonly nowMs: number;
}

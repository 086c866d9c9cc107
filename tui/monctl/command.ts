import type { ApiClient } from '../../shared/client/api-client.ts';
import type { CredentialsEnv } from '../../shared/client/backend-address.ts';
import type { V2Client } from '../../shared/client/v2-client.ts';
import type { FeedClock } from '../../shared/client/feed-clock.ts';
import type { Output, OutputStream } from './output.ts';
import type { RunProgram } from './run-program.ts';
import { Flags, type CompletionKind, type CommandOption } from './flags.ts';

export interface Command {
  /** The words that call the command, such as `['event', 'list']`. */
  readonly words: readonly string[];
  /** Description in the manual: one line without a final period. */
  readonly summary: string;
  /** Further paragraphs of the description in the manual, for what the summary does not say. */
  readonly details?: readonly string[];
  /**
   * Names of the operands in the manual, in order; a name in brackets, such as `[ID]`, is optional. Default: no
   * operands.
   */
  readonly operands?: readonly string[];
  /**
   * Name in the manual for the words after `--`, which the command gets unchanged as `trailingArgs`. Without this name,
   * words after `--` are ordinary operands.
   */
  readonly trailingName?: string;
  /** Completions of each operand, in order. Default: those that `completionOfOperand` derives from its name. */
  readonly completes?: readonly CompletionKind[];
  /** Definitions of the command's own options, by name without the dashes. */
  readonly options: Readonly<Record<string, CommandOption>>;
  readonly examples: readonly (readonly [call: string, does: string])[];
  /** Value of `--output` that selects the text format of the command. Default: `table`. */
  readonly textFormat?: string;
  /** True if the command needs no backend or selects the backend itself. */
  readonly isLocal?: boolean;
  /**
   * Runs the command.
   *
   * @throws MonError whose code determines the exit code of monctl
   */
  run(call: CommandCall): Promise<void>;
}

export type AskQuestion = (question: string, isSecret?: boolean) => Promise<string>;

/** The process as a command sees it: streams, environment variables, clock and terminal. */
export interface ProcessEnvironment {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reads standard input to its end. */
  readonly readInput: () => Promise<string>;
  /** Runs a program with the terminal, input, output and signals of monctl until it ends. */
  readonly runProgram: RunProgram;
  /**
   * Asks the user a question at the terminal, and hides the typed answer if it is a secret; `undefined` without a
   * terminal.
   */
  readonly ask: AskQuestion | undefined;
  readonly clock: FeedClock;
}

/** One run of a command: its arguments, API clients and output. */
export interface CommandCall extends Omit<ProcessEnvironment, 'stdout' | 'stderr'> {
  /** Values of the operands that the command defines, in order; an omitted optional operand is `''`. */
  readonly operands: readonly string[];
  /** The words after `--` if the command defines `trailingName`, else empty. */
  readonly trailingArgs: readonly string[];
  readonly flags: Flags;
  /** Returns the client for the mon and v1 APIs, which is created on first use. */
  readonly api: () => ApiClient;
  /** Returns the v2 API client for the same backend, which is created on first use. */
  readonly v2: () => V2Client;
  /**
   * The namespace that `--namespace`, `MON_NAMESPACE` or the context sets, in this order of priority; `undefined` if
   * none does.
   */
  readonly namespace: string | undefined;
  /** URL of the backend as the user wrote it, which may contain credentials. */
  readonly backend: string;
  readonly output: Output;
  /** Environment variables with the credentials and TLS options that the URL in `backend` does not contain. */
  readonly credentials: CredentialsEnv;
  /** Time at which the command was started, in epoch milliseconds. */
  readonly nowMs: number;
}

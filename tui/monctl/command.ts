import type { ApiClient } from '../../shared/client/api-client.ts';
import type { CredentialsEnv } from '../../shared/client/backend-address.ts';
import type { V2Client } from '../../shared/client/v2-client.ts';
import type { FeedClock } from '../../shared/client/feed-clock.ts';
import type { Output, OutputStream } from './output.ts';
import type { RunProgram } from './run-program.ts';
import { Flags, type Completes, type CommandOption } from './flags.ts';

export interface Command {
  /** The words that call it: `['event', 'list']`. */
  readonly words: readonly string[];
  /** One line, without a full stop. */
  readonly summary: string;
  /** Further lines of the manual, where the summary does not say it all. */
  readonly details?: readonly string[];
  /** Names of what follows the words; `[ID]` may be left out. Default: nothing does. */
  readonly operands?: readonly string[];
  /** Name of what is behind `--`, which is taken as it is; without it that is operands like others. */
  readonly rest?: string;
  /** What each operand completes to, in their order. Default: what their names say, `completedTo`. */
  readonly completes?: readonly Completes[];
  /** By name as it is typed, without the dashes. */
  readonly options: Readonly<Record<string, CommandOption>>;
  readonly examples: readonly (readonly [call: string, does: string])[];
  /** What its text is called where `--output` chooses; default `table`. */
  readonly textFormat?: string;
  /** The command asks no backend, or finds its own. */
  readonly isLocal?: boolean;
  /** @throws MonError whose code becomes the exit code */
  run(call: Call): Promise<void>;
}

export type Ask = (question: string, isSecret?: boolean) => Promise<string>;

/** What surrounds a call. */
export interface Surroundings {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Everything that arrives on standard input. */
  readonly readInput: () => Promise<string>;
  /** Runs a program in place of this one: its terminal, its output, its signals. */
  readonly runProgram: RunProgram;
  /** Asks the person at the terminal, unseen where it is a secret; `undefined` when there is none. */
  readonly ask: Ask | undefined;
  readonly clock: FeedClock;
}

/** What a command gets to work with. */
export interface Call extends Omit<Surroundings, 'stdout' | 'stderr'> {
  /** As many as the command has operands; what was left out is `''`. */
  readonly operands: readonly string[];
  /** What is behind `--`, of a command that takes it as it is. */
  readonly rest: readonly string[];
  readonly flags: Flags;
  /** Opened when it is first asked for. */
  readonly api: () => ApiClient;
  /** Version 2 of the same backend; opened when it is first asked for. */
  readonly v2: () => V2Client;
  /** The namespace that was named by `--namespace`, the environment or the context; `undefined`: none was. */
  readonly namespace: string | undefined;
  /** Address of the backend as it was given, credentials and all. */
  readonly backend: string;
  readonly output: Output;
  /** Where credentials are that `backend` does not hold. */
  readonly credentials: CredentialsEnv;
  /** When the call began. */
  readonly nowMs: number;
}

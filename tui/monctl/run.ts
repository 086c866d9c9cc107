import { openApiClient } from '../../shared/client/api-client.ts';
import { safeText } from '../../shared/domain/terminal-text.ts';
import { MonError, errorMessage } from '../../shared/errors.ts';
import { VERSION } from '../../shared/schemas/version.ts';
import { eventCommands } from './commands/event.ts';
import { silencedCommands } from './commands/silenced.ts';
import { versionCommand } from './commands/version.ts';
import { EXIT, exitCode } from './exit-codes.ts';
import type { ExitCode } from './exit-codes.ts';
import { manual } from './help.ts';
import { openOutput } from './output.ts';
import type { OutputStream } from './output.ts';
import { DEFAULT_BACKEND, GLOBAL_OPTIONS, parseArguments } from './parse-arguments.ts';

export const COMMANDS = [...eventCommands, ...silencedCommands, versionCommand];

/** What surrounds a call. */
export interface Surroundings {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly nowMs: number;
}

/** Carries out one command line and says what went wrong, if anything. */
export async function run(argv: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  try {
    await carryOut(argv, surroundings);
    return EXIT.success;
  } catch (error) {
    // The text may be the backend's.
    surroundings.stderr.write(`monctl: ${safeText(errorMessage(error))}\n`);
    return error instanceof MonError ? exitCode(error.code) : EXIT.failure;
  }
}

async function carryOut(argv: readonly string[], { stdout, stderr, env, nowMs }: Surroundings): Promise<void> {
  const called = parseArguments(argv, COMMANDS);
  switch (called.kind) {
    case 'version':
      stdout.write(`${VERSION}\n`);
      return;
    case 'help': {
      const { words } = called;
      const matching = COMMANDS.filter((command) => words.every((word, index) => command.words[index] === word));
      stdout.write(`${manual(words, matching, GLOBAL_OPTIONS)}\n`);
      return;
    }
    case 'command': {
      const { command, flags, operands } = called;
      const format = flags.value('output') ?? 'table';
      const output = openOutput({ format, raw: flags.switch('raw') ?? false }, stdout, stderr);
      const backend = flags.value('backend') ?? (env['MON_BACKEND'] || DEFAULT_BACKEND);
      await command.run({ operands, flags, output, env, nowMs, api: () => openApiClient({ backend, env }) });
    }
  }
}

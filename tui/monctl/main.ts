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
import { DEFAULT_BACKEND, GLOBAL_OPTIONS, parseArguments } from './parse-arguments.ts';

const COMMANDS = [...eventCommands, ...silencedCommands, versionCommand];

// Whoever reads our output has read enough (`| head`): that is no failure of ours.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    throw error;
  });
}

process.exitCode = await main(process.argv.slice(2));

async function main(argv: readonly string[]): Promise<ExitCode> {
  try {
    await run(argv);
    return EXIT.success;
  } catch (error) {
    // The text may be the backend's.
    process.stderr.write(`monctl: ${safeText(errorMessage(error))}\n`);
    return error instanceof MonError ? exitCode(error.code) : EXIT.failure;
  }
}

async function run(argv: readonly string[]): Promise<void> {
  const called = parseArguments(argv, COMMANDS);
  switch (called.kind) {
    case 'version':
      process.stdout.write(`${VERSION}\n`);
      return;
    case 'help': {
      const { words } = called;
      const matching = COMMANDS.filter((command) => words.every((word, index) => command.words[index] === word));
      process.stdout.write(`${manual(words, matching, GLOBAL_OPTIONS)}\n`);
      return;
    }
    case 'command': {
      const { command, flags, operands } = called;
      const format = flags.value('output') ?? 'table';
      const output = openOutput({ format, raw: flags.switch('raw') ?? false }, process.stdout, process.stderr);
      const backend = flags.value('backend') ?? (process.env['MON_BACKEND'] || DEFAULT_BACKEND);
      await command.run({
        operands,
        flags,
        api: () => openApiClient({ backend }),
        output,
        env: process.env,
        nowMs: Date.now(),
      });
    }
  }
}

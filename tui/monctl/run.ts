import { EVERY_NAMESPACE } from '../../shared/schemas/namespace.ts';
import { openApiClient, type ApiClient } from '../../shared/client/api-client.ts';
import { openV2Client, type V2Client } from '../../shared/client/v2-client.ts';
import { addressWarning } from '../../shared/client/backend-address.ts';
import { TlsTrustError } from '../../shared/client/request.ts';
import { safeText } from '../../shared/domain/terminal-text.ts';
import { MonError, errorMessage } from '../../shared/errors.ts';
import { VERSION } from '../../shared/schemas/version.ts';
import { aggregateCommands } from './commands/aggregate.ts';
import { apiKeyCommands } from './commands/api-key.ts';
import { auditCommands } from './commands/audit.ts';
import { timelineCommands } from './commands/timeline.ts';
import { backendCommands } from './commands/backend.ts';
import { checkCommands } from './commands/check.ts';
import { clusterCommands } from './commands/cluster.ts';
import { clientCommands } from './commands/client.ts';
import { completionCommand } from './commands/completion.ts';
import { configureCommand } from './commands/configure.ts';
import { ackCommands } from './commands/ack.ts';
import { contextCommands } from './commands/context.ts';
import { applyCommand, createFileCommand, deleteFileCommand, diffCommand } from './commands/create-file.ts';
import { deadLetterCommands } from './commands/dead-letter.ts';
import { dumpCommand } from './commands/dump.ts';
import { entityCommands } from './commands/entity.ts';
import { eventCommands } from './commands/event.ts';
import { handlerCommands } from './commands/handler.ts';
import { inhibitionCommands } from './commands/inhibition.ts';
import { namespaceCommands } from './commands/namespace.ts';
import { pipelineCommands } from './commands/pipeline.ts';
import { reportCommand } from './commands/report.ts';
import { restoreCommand } from './commands/restore.ts';
import { loginCommands } from './commands/login.ts';
import { maintenanceCommands } from './commands/maintenance.ts';
import { migrateCommands } from './commands/migrate.ts';
import { resultCommands } from './commands/result.ts';
import { simulateCommand } from './commands/simulate.ts';
import { silencedCommands } from './commands/silenced.ts';
import { onCallCommands } from './commands/on-call.ts';
import { stashCommands } from './commands/stash.ts';
import { upgradeCommands } from './commands/upgrade.ts';
import { userCommands } from './commands/user.ts';
import { versionCommand } from './commands/version.ts';
import { chosenBackend, tlsFlags, type ChosenBackend } from './choose-backend.ts';
import { COMPLETE_COMMAND, printCompletions } from './complete.ts';
import { exitCode, ExitError } from './exit-codes.ts';
import type { Flags } from './flags.ts';
import { manualText, type CommandGroup } from './help.ts';
import { inAnyNamespace } from './namespaces.ts';
import { ProgramEnded } from './run-program.ts';
import type { Command, ProcessEnvironment } from './command.ts';
import { openOutput } from './output.ts';
import { DEFAULT_BACKEND, GLOBAL_OPTIONS, parseArguments } from './parse-arguments.ts';
import { EXIT_CODES } from '../words/exit-codes.ts';
import { configureZone } from '../words/shown-time.ts';
import { isAsciiLocale } from '../words/locale.ts';

/** All commands in the groups of `monctl --help`, the most urgent first. */
const COMMAND_GROUPS: readonly CommandGroup[] = [
  {
    title: 'Incidents: events and silences',
    commands: [
      ...eventCommands,
      ...timelineCommands,
      ...ackCommands,
      ...silencedCommands,
      ...maintenanceCommands,
      reportCommand,
    ],
  },
  {
    title: 'Clients, checks and results',
    commands: [
      ...clientCommands.map(inAnyNamespace),
      ...checkCommands,
      ...resultCommands.map(inAnyNamespace),
      ...aggregateCommands.map(inAnyNamespace),
      ...stashCommands.map(inAnyNamespace),
      inAnyNamespace(simulateCommand),
    ],
  },
  {
    title: 'Notifications',
    commands: [
      ...handlerCommands,
      ...onCallCommands,
      ...inhibitionCommands,
      ...deadLetterCommands,
      ...pipelineCommands,
    ],
  },
  {
    title: 'Objects in files',
    commands: [createFileCommand, applyCommand, diffCommand, deleteFileCommand, dumpCommand, restoreCommand],
  },
  {
    title: 'Access and audit',
    commands: [...userCommands, ...apiKeyCommands, ...namespaceCommands, ...entityCommands, ...auditCommands],
  },
  {
    title: 'Backend',
    commands: [...backendCommands, ...clusterCommands, ...upgradeCommands, ...migrateCommands.map(inAnyNamespace)],
  },
  {
    title: 'This tool',
    commands: [configureCommand, ...contextCommands, ...loginCommands, completionCommand, versionCommand],
  },
];

export const ALL_COMMANDS: readonly Command[] = COMMAND_GROUPS.flatMap(({ commands }) => commands);

/** Runs one command line, prints the error if it fails, and returns the exit code. */
export async function runMonctlCommand(
  argv: readonly string[],
  processEnvironment: ProcessEnvironment,
): Promise<number> {
  try {
    await carryOut(argv, processEnvironment);
    return EXIT_CODES.success;
  } catch (error) {
    if (error instanceof ProgramEnded) return error.code;
    // The message may contain text from the backend, so its control characters are escaped.
    processEnvironment.stderr.write(`monctl: ${safeText(errorMessage(error))}\n`);
    if (error instanceof ExitError) return error.code;
    if (error instanceof TlsTrustError) return EXIT_CODES.usage;
    return error instanceof MonError ? exitCode(error.code) : EXIT_CODES.failure;
  }
}

async function selectBackend(
  flags: Flags,
  { env, stderr }: Pick<ProcessEnvironment, 'env' | 'stderr'>,
): Promise<ChosenBackend> {
  const backendChoice = await chosenBackend({ backend: flags.value('backend'), context: flags.value('context') }, env);
  const chosenWay = { ...backendChoice, env: { ...backendChoice.env, ...tlsFlags(flags) } };
  const warning = addressWarning(chosenWay.backend, chosenWay.env);
  for (const text of backendChoice.warnings) stderr.write(`monctl: ${safeText(text)}\n`);
  if (warning !== undefined) stderr.write(`monctl: ${safeText(warning)}\n`);
  return chosenWay;
}

/**
 * Placeholder for commands that need no backend: the configuration file is not read, so an invalid file does not stop
 * them.
 */
const NO_BACKEND: ChosenBackend = {
  backend: DEFAULT_BACKEND,
  env: {},
  namespace: undefined,
  timeZone: undefined,
  warnings: [],
};

async function carryOut(argv: readonly string[], surroundings: ProcessEnvironment): Promise<void> {
  const { stdout, stderr, ...around } = surroundings;
  const { env } = around;
  if (argv[0] === COMPLETE_COMMAND) return printCompletions(argv.slice(1), ALL_COMMANDS, surroundings);
  const called = parseArguments(argv, ALL_COMMANDS);
  switch (called.kind) {
    case 'version':
      stdout.write(`${VERSION}\n`);
      return;
    case 'help': {
      const { words } = called;
      const matching = ALL_COMMANDS.filter((command) => words.every((word, index) => command.words[index] === word));
      stdout.write(`${manualText(words, matching, GLOBAL_OPTIONS, COMMAND_GROUPS)}\n`);
      return;
    }
    case 'command': {
      const { command, flags, operands, trailingArgs } = called;
      const { textFormat = 'table' } = command;
      const format = flags.value('output') ?? textFormat;
      const options = {
        format,
        textFormat,
        hasRows: Object.hasOwn(command.options, 'columns'),
        raw: flags.switch('raw') ?? false,
        headers: flags.switch('headers'),
        ascii: isAsciiLocale(env),
      };
      const output = openOutput(options, stdout, stderr);
      const {
        backend,
        env: credentials,
        namespace: ofContext,
        timeZone,
      } = command.isLocal === true ? NO_BACKEND : await selectBackend(flags, surroundings);
      configureZone(flags.switch('utc') === true ? 'UTC' : timeZone);
      const namespace = flags.value('namespace') ?? (env['MON_NAMESPACE'] || ofContext);
      let api: ApiClient | undefined;
      let v2: V2Client | undefined;
      await command.run({
        ...around,
        operands,
        trailingArgs,
        flags,
        backend,
        api: () =>
          (api ??= openApiClient({
            backend,
            env: credentials,
            namespace: flags.switch('all-namespaces') === true ? EVERY_NAMESPACE : namespace,
          })),
        v2: () => (v2 ??= openV2Client({ backend, env: credentials, warn: (text) => output.note(text) })),
        namespace,
        output,
        credentials,
        nowMs: around.clock.now(),
      });
    }
  }
}

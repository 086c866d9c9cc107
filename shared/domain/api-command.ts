import type { CommandLine } from '../schemas/command.ts';
import { isAttributes, type Attributes } from './attributes.ts';
import { commandOf } from './command-text.ts';
import { findShellTokens } from './shell-tokens.ts';

/** Limits on commands that come over the API: the settings `api-commands` and `api-command-directories`. */
export interface ApiCommandSettings {
  readonly isAllowed: boolean;
  /** Absolute paths of the directories in which programs must be. If empty, programs are allowed in any directory. */
  readonly directories: readonly string[];
}

/** Callback that says whether a program is in one of the allowed directories; it can resolve symbolic links too. */
export type IsInAllowedDirectory = (program: string) => boolean;

/** An absolute path without `.`, `..` or empty parts, so that a file has only one spelling. */
const ABSOLUTE_PATH = /^(?:\/(?!\.{1,2}(?:\/|$))[^/]+)+$/;

/**
 * A shell command line with only one program and its arguments: no operator, substitution, redirection or variable.
 * In quotes, all characters are allowed that the shell does not interpret.
 */
const ONE_PROGRAM = /^(?<program>\/[\w./+@%,-]+)(?:[ \t]+(?:[\w./:=,@%+^~?*[\]-]|'[^']*'|"[^"$`\\]*")+)*[ \t]*$/;

/**
 * Returns why a check, handler or mutator must not be defined over the API; undefined if it is allowed. Only the paths
 * of the programs are checked, not what the programs do with their arguments.
 *
 * @param definition the definition as the backend stores it
 */
export function apiCommandProblem(
  definition: Attributes,
  { isAllowed, directories }: ApiCommandSettings,
  isListed: IsInAllowedDirectory,
): string | undefined {
  if (isAllowed && directories.length === 0) return undefined;
  const commands = findCommands(definition);
  const file = findWrittenFile(definition);
  if (!isAllowed) {
    if (commands.length === 0 && file === undefined) return undefined;
    return 'commands are not accepted over the API (api-commands): define it in a configuration file';
  }
  if (file !== undefined) return `${file}: must be in a configuration file, because api-command-directories is set`;
  for (const [path, command] of commands) {
    const problem = commandProblem(command, isListed);
    if (problem !== undefined) return `${path}: ${problem} (api-command-directories: ${directories.join(', ')})`;
  }
  if (commands.length === 0) return undefined;
  const tokens = findShellTokens(definition, true);
  if (tokens !== undefined) {
    return `${tokens.join('.')}: clients say what takes the place of a token: write a list of the program and its arguments`;
  }
  // A variable can make a program load another one: LD_PRELOAD, PATH, BASH_ENV, and those of each language.
  const variables = definition['env_vars'];
  return Array.isArray(variables) && variables.length > 0
    ? 'env_vars: must be set in a configuration file, because api-command-directories is set'
    : undefined;
}

/**
 * Whether a path is below a directory. Only the texts are compared; symbolic links are not resolved.
 *
 * @param program absolute path that matches `ABSOLUTE_PATH`
 */
export function isInDirectory(program: string, directory: string): boolean {
  return program.startsWith(directory.endsWith('/') ? directory : `${directory}/`);
}

function commandProblem(command: CommandLine, isListed: IsInAllowedDirectory): string | undefined {
  const program = typeof command === 'string' ? ONE_PROGRAM.exec(command)?.groups?.['program'] : command[0];
  if (program === undefined) {
    return 'must be one program, by its absolute path, with plain or quoted arguments; or a list, which is run without a shell';
  }
  if (!ABSOLUTE_PATH.test(program)) return 'must contain the absolute path of the program, without . and ..';
  return isListed(program) ? undefined : 'must be a program in a directory for commands of the API';
}

/** Returns all commands in a definition, each with its attribute path, such as `hooks.NAME.command`. */
function findCommands({ command, hooks }: Attributes): readonly (readonly [path: string, command: CommandLine])[] {
  const ofHooks = Object.entries(isAttributes(hooks) ? hooks : {}).map(
    ([name, hook]) => [`hooks.${name}.command`, isAttributes(hook) ? commandOf(hook['command']) : undefined] as const,
  );
  return [['command', commandOf(command)] as const, ...ofHooks].flatMap(([path, own]) =>
    own === undefined || own === '' ? [] : [[path, own] as const],
  );
}

/**
 * Returns the attribute path of the file that a handler writes on the host of the backend; undefined if it writes none.
 * Another program could execute that file.
 */
function findWrittenFile({ type, pipe }: Attributes): string | undefined {
  const options = type === 'transport' && isAttributes(pipe) && isAttributes(pipe['options']) ? pipe['options'] : {};
  return options['file'] === undefined ? undefined : 'pipe.options.file';
}

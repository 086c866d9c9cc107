import type { Command } from '../schemas/command.ts';
import { isAttributes, type Attributes } from './attributes.ts';
import { commandOf } from './command-text.ts';
import { shellTokensIn } from './shell-tokens.ts';

/** What may be run of what comes over the API: the settings `api-commands` and `api-command-directories`. */
export interface ApiCommandSettings {
  readonly isAllowed: boolean;
  /** Absolute, and where programs must be; none: anywhere. */
  readonly directories: readonly string[];
}

/** Whether a program is in one of the directories, of which it may know more than the names. */
export type IsListed = (program: string) => boolean;

/** What names no other file by other words. */
const ABSOLUTE = /^(?:\/(?!\.{1,2}(?:\/|$))[^/]+)+$/;

/**
 * A line in which a shell finds one program and its arguments, and nothing more to do: no other command behind an operator
 * or in a substitution, no redirection, no variable. In quotes everything is an argument that the shell leaves alone.
 */
const ONE_PROGRAM = /^(?<program>\/[\w./+@%,-]+)(?:[ \t]+(?:[\w./:=,@%+^~?*[\]-]|'[^']*'|"[^"$`\\]*")+)*[ \t]*$/;

/**
 * Why a check, handler or mutator may not be made over the API; undefined: it may. Its commands are looked at as far as
 * they name what runs: what a listed program does with its arguments is its own.
 *
 * @param definition as the backend works by it
 */
export function apiCommandProblem(
  definition: Attributes,
  { isAllowed, directories }: ApiCommandSettings,
  isListed: IsListed,
): string | undefined {
  if (isAllowed && directories.length === 0) return undefined;
  const commands = commandsIn(definition);
  const file = fileIn(definition);
  if (!isAllowed) {
    if (commands.length === 0 && file === undefined) return undefined;
    return 'commands are not taken over the API (api-commands): define it in a configuration file';
  }
  if (file !== undefined) return `${file}: must be in a configuration file, because api-command-directories is set`;
  for (const [place, command] of commands) {
    const problem = commandProblem(command, isListed);
    if (problem !== undefined) return `${place}: ${problem} (api-command-directories: ${directories.join(', ')})`;
  }
  if (commands.length === 0) return undefined;
  const tokens = shellTokensIn(definition, true);
  if (tokens !== undefined) {
    return `${tokens.join('.')}: clients say what takes the place of a token: write a list of the program and its arguments`;
  }
  // A variable can make a program load another one: LD_PRELOAD, PATH, BASH_ENV, and each language has its own.
  const variables = definition['env_vars'];
  return Array.isArray(variables) && variables.length > 0
    ? 'env_vars: must be in a configuration file, because api-command-directories is set'
    : undefined;
}

/**
 * Whether a path names something in a directory, by their names alone.
 *
 * @param program absolute, as `ABSOLUTE` has it
 */
export function isInDirectory(program: string, directory: string): boolean {
  return program.startsWith(directory.endsWith('/') ? directory : `${directory}/`);
}

function commandProblem(command: Command, isListed: IsListed): string | undefined {
  const program = typeof command === 'string' ? ONE_PROGRAM.exec(command)?.groups?.['program'] : command[0];
  if (program === undefined) {
    return 'must be one program, by its absolute path, and plain or quoted arguments; or a list of these, which no shell reads';
  }
  if (!ABSOLUTE.test(program)) return 'must name the program by its absolute path, without . and ..';
  return isListed(program) ? undefined : 'must be a program in a directory for commands of the API';
}

/** All that runs, by its place. */
function commandsIn({ command, hooks }: Attributes): readonly (readonly [place: string, command: Command])[] {
  const ofHooks = Object.entries(isAttributes(hooks) ? hooks : {}).map(
    ([name, hook]) => [`hooks.${name}.command`, isAttributes(hook) ? commandOf(hook['command']) : undefined] as const,
  );
  return [['command', commandOf(command)] as const, ...ofHooks].flatMap(([place, own]) =>
    own === undefined || own === '' ? [] : [[place, own] as const],
  );
}

/** Where a handler writes to a file of the backend's machine, which may be one that something else runs. */
function fileIn({ type, pipe }: Attributes): string | undefined {
  const options = type === 'transport' && isAttributes(pipe) && isAttributes(pipe['options']) ? pipe['options'] : {};
  return options['file'] === undefined ? undefined : 'pipe.options.file';
}

import meow from 'meow';
import { MonError, errorMessage } from '../../shared/errors.ts';
import { canonicalWord, canonicalWords } from './aliases.ts';
import type { Command } from './command.ts';
import { switchOption, valueOption, readFlags, type CommandOption, type Flags } from './flags.ts';
import { rankBySimilarity, findNearest } from '../../shared/domain/nearest.ts';
import { JSON_PATH, OUTPUT_FORMATS, ROW_FORMATS } from './output.ts';

/** Maximum number of command names that an error message lists. */
const LISTED_COMMANDS_MAX = 10;

/** Number of the most similar names in an error message, if none of them is close to the typed word. */
const SIMILAR_SHOWN = 3;

/** Commands that were renamed before 1.0.0: old words to current words. */
const RENAMED_COMMANDS: ReadonlyMap<string, string> = new Map([
  ['api-key grant', 'api-key create'],
  ['silence clear', 'silence delete'],
  ['silence extend', 'silence update'],
]);

export const DEFAULT_BACKEND = 'http://127.0.0.1:4567';

const FORMAT_NAMES = [...OUTPUT_FORMATS, `${JSON_PATH}PATH`, ...ROW_FORMATS];

export const GLOBAL_OPTIONS: Readonly<Record<string, CommandOption>> = {
  backend: valueOption('URL', `backend URL; default ${DEFAULT_BACKEND}`),
  context: valueOption('NAME', 'use this context from the configuration file; see "monctl configure"', {
    completes: 'context',
  }),
  'trusted-ca-file': valueOption('FILE', 'verify the backend certificate with these CA certificates (PEM)', {
    completes: 'file',
  }),
  'insecure-skip-tls-verify': switchOption('do not verify the certificate of the backend (testing only)'),
  output: valueOption(
    'FORMAT',
    `output format: ${FORMAT_NAMES.join(', ')}; wide, name and csv for lists; default table`,
    {
      completes: FORMAT_NAMES,
      short: 'o',
    },
  ),
  headers: switchOption('show column titles in tables and CSV (default); --no-headers: hide them'),
  utc: switchOption('show and read times in UTC; default: local time, or time-zone of the configuration file'),
  raw: switchOption('print control characters unchanged (only if output goes to a pipe)'),
  help: switchOption('show help for the command', { short: 'h' }),
  version: switchOption('show the version of monctl'),
};

type ParsedArguments =
  | { readonly kind: 'version' }
  /** A request for the manual of all commands that begin with `words`. */
  | { readonly kind: 'help'; readonly words: readonly string[] }
  | {
      readonly kind: 'command';
      readonly command: Command;
      readonly operands: readonly string[];
      /** The words after `--` if the command defines `trailingName`, else empty. */
      readonly trailingArgs: readonly string[];
      readonly flags: Flags;
    };

/**
 * Parses a command line.
 *
 * @throws MonError `invalid` with the problem and the most similar valid name
 */
export function parseArguments(argv: readonly string[], commands: readonly Command[]): ParsedArguments {
  const { own, trailingArgs } = splitTrailingArgs(argv, commands);
  const { input, optionValues } = splitWords(own, commands);
  if (optionValues['version'] === true) return { kind: 'version' };
  const isHelpCommand = input[0] === 'help';
  const words = canonicalWords(isHelpCommand ? input.slice(1) : input, commands);
  const matching = matchingCommands(words, commands);
  if (isHelpCommand || optionValues['help'] === true) {
    const [first] = matching;
    return { kind: 'help', words: words.slice(0, first?.words.length) };
  }
  const command = matching.find((candidate) => candidate.words.every((word, index) => word === words[index]));
  if (command === undefined) {
    const called = ['monctl', ...words].join(' ');
    const next = nextWords(words, matching);
    const shown =
      next.length > LISTED_COMMANDS_MAX ? `such as ${next.slice(0, LISTED_COMMANDS_MAX).join(', ')}` : next.join(', ');
    throw new MonError('invalid', `${called} needs a command: ${shown}; see ${called} --help`);
  }
  const options = { ...GLOBAL_OPTIONS, ...command.options };
  rejectUnknownOptions(optionValues, options, command);
  const operands = readOperands(words.slice(command.words.length), command);
  if (command.trailingName !== undefined && trailingArgs.length === 0) {
    const called = `monctl ${command.words.join(' ')} … -- ${command.trailingName}`;
    throw new MonError('invalid', `the command is missing: use ${called}`);
  }
  return {
    kind: 'command',
    command,
    operands,
    trailingArgs,
    flags: readFlags(optionValues, options),
  };
}

/**
 * Splits off the words after `--` if a command passes them on to another program. Otherwise the parser would read
 * options of that program as options of monctl.
 */
function splitTrailingArgs(
  argv: readonly string[],
  commands: readonly Command[],
): { readonly own: readonly string[]; readonly trailingArgs: readonly string[] } {
  const end = argv.indexOf('--');
  const own = argv.slice(0, end);
  const isTaken =
    end !== -1 && commands.some(({ words, trailingName }) => trailingName !== undefined && isCalled(words, own));
  return isTaken ? { own, trailingArgs: argv.slice(end + 1) } : { own: argv, trailingArgs: [] };
}

/**
 * Separates the words of a command line from its options. `rejectUnknownOptions` later rejects options that the command
 * does not have.
 */
function splitWords(
  argv: readonly string[],
  commands: readonly Command[],
): { input: readonly string[]; optionValues: Readonly<Record<string, unknown>> } {
  const options = Object.entries(possibleOptions(argv, commands));
  const flags = Object.fromEntries(
    options.map(([name, { type, short }]) => [
      camelCase(name),
      {
        type: type === 'switch' ? ('boolean' as const) : ('string' as const),
        ...(short !== undefined && { shortFlag: short }),
      },
    ]),
  );
  const takingDash = new Set(options.flatMap(([name, { takesDash }]) => (takesDash === true ? [`--${name}`] : [])));
  try {
    const parsed = meow({
      importMeta: import.meta,
      argv: joinDashes(argv, flags, takingDash),
      pkg: { name: 'monctl' },
      flags,
      description: false,
      autoHelp: false,
      autoVersion: false,
      // A switch that is not given stays undefined, because its `--no-` form, such as `--no-silenced`, has a different
      // meaning.
      booleanDefault: undefined,
    });
    const entries = Object.entries(parsed.flags).map(([name, value]) => [toDashes(name), value] as const);
    return { input: parsed.input.map(String), optionValues: Object.fromEntries(entries) };
  } catch (error) {
    throw new MonError('invalid', errorMessage(error), { cause: error });
  }
}

/**
 * Returns all options that the parser accepts, by name. On equal names or short flags, common options override those of
 * commands. Commands that the words can call override other commands; among them, the command with the most words has
 * priority.
 */
function possibleOptions(
  argv: readonly string[],
  commands: readonly Command[],
): Readonly<Record<string, CommandOption>> {
  const called = commands.filter(({ words }) => isCalled(words, argv));
  const ranked = [...commands, ...called.toSorted((a, b) => a.words.length - b.words.length)];
  const options: Record<string, CommandOption> = {};
  const nameByShortFlag = new Map<string, string>();
  for (const own of [...ranked.map((command) => command.options), GLOBAL_OPTIONS]) {
    for (const [name, option] of Object.entries(own)) {
      const { short } = option;
      const other = short === undefined ? undefined : nameByShortFlag.get(short);
      const { [other ?? '']: before } = options;
      if (other !== undefined && other !== name && before !== undefined) options[other] = withoutShortFlag(before);
      if (short !== undefined) nameByShortFlag.set(short, name);
      options[name] = option;
    }
  }
  return options;
}

function isCalled(words: readonly string[], argv: readonly string[]): boolean {
  let at = 0;
  for (const word of argv) if (canonicalWord(word) === words[at]) at++;
  return at === words.length;
}

function withoutShortFlag({ short: _short, ...option }: CommandOption): CommandOption {
  return option;
}

/**
 * Rewrites `--file -` to `--file=-` and `--sort -age` to `--sort=-age`, because the parser would not read a word with a
 * dash as the value of an option.
 *
 * @param takingDash options whose values may begin with a dash, with their dashes
 */
function joinDashes(
  argv: readonly string[],
  flags: Readonly<Record<string, { readonly type: string; readonly shortFlag?: string }>>,
  takingDash: ReadonlySet<string>,
): string[] {
  const takesValue = new Set<string>();
  for (const [name, { type, shortFlag }] of Object.entries(flags)) {
    if (type !== 'string') continue;
    takesValue.add(`--${toDashes(name)}`);
    if (shortFlag !== undefined) takesValue.add(`-${shortFlag}`);
  }
  const end = argv.indexOf('--');
  const joined: string[] = [];
  for (const [index, word] of argv.entries()) {
    const last = joined.at(-1);
    const isDashed = last !== undefined && /^-[^-]/.test(word) && takingDash.has(last);
    const isValue = isDashed || (word === '-' && last !== undefined && takesValue.has(last));
    if (isValue && (end === -1 || index < end)) joined[joined.length - 1] = `${last}=${word}`;
    else joined.push(word);
  }
  return joined;
}

/**
 * Returns the commands that begin with the words. Words after a complete command are its operands and are ignored.
 *
 * @throws MonError `invalid` for an unknown command
 */
function matchingCommands(words: readonly string[], commands: readonly Command[]): readonly Command[] {
  let matching = commands;
  for (const [index, word] of words.entries()) {
    const next = matching.filter((command) => command.words[index] === word);
    if (next.length === 0) {
      const before = words.slice(0, index);
      const renamed = RENAMED_COMMANDS.get([...before, word].join(' '));
      if (renamed !== undefined) {
        throw new MonError('invalid', `unknown command ${[...before, word].join(' ')}: use monctl ${renamed}`);
      }
      // A command may also begin other commands: `silence 2h web-1` and `silence list`.
      if (matching.some((command) => command.words.length === index)) break;
      if (index === 0 && word === 'watch') {
        throw new MonError('invalid', 'watch is a command of the console: use mon watch, or monctl event list --watch');
      }
      const called = ['monctl', ...before].join(' ');
      throw unknownWordError({
        what: 'command',
        spelled: `${called} ${word}`,
        typed: word,
        candidates: nextWords(before, matching),
        spell: (name) => `${called} ${name}`,
        help: `${called} --help`,
      });
    }
    matching = next;
  }
  return matching;
}

function nextWords(words: readonly string[], commands: readonly Command[]): readonly string[] {
  return [...new Set(commands.map((command) => command.words[words.length] ?? ''))];
}

function rejectUnknownOptions(
  optionValues: Readonly<Record<string, unknown>>,
  options: Readonly<Record<string, CommandOption>>,
  command: Command,
): void {
  for (const [name, value] of Object.entries(optionValues)) {
    if (value === undefined || Object.hasOwn(options, name)) continue;
    const isNegated = value === false;
    const spelled = name.length === 1 ? `-${name}` : `--${isNegated ? 'no-' : ''}${name}`;
    const commandLine = `monctl ${command.words.join(' ')}`;
    throw unknownWordError({
      what: `option of ${commandLine}`,
      spelled,
      typed: name,
      candidates: isNegated ? switchNames(options) : Object.keys(options),
      spell: (option) => `--${isNegated ? 'no-' : ''}${option}`,
      help: `${commandLine} --help`,
    });
  }
}

/** Returns the names of the switches, which are the options with a `--no-` form. */
function switchNames(options: Readonly<Record<string, CommandOption>>): readonly string[] {
  return Object.keys(options).filter((name) => options[name]?.type === 'switch');
}

/** An unknown word on the command line, with the valid names to suggest. */
interface UnknownWord {
  readonly what: string;
  /** The word as it was typed, with its dashes or with the command words before it. */
  readonly spelled: string;
  readonly typed: string;
  readonly candidates: readonly string[];
  readonly spell: (name: string) => string;
  /** The command line that lists all valid names. */
  readonly help: string;
}

function unknownWordError({ what, spelled, typed, candidates, spell, help }: UnknownWord): MonError {
  const suggestion = findNearest(typed, candidates);
  const similar = rankBySimilarity(typed, candidates, SIMILAR_SHOWN).map((name) => spell(name));
  const advice =
    suggestion === undefined
      ? `the most similar are ${similar.join(', ')}; see ${help}`
      : `did you mean ${spell(suggestion)}?`;
  return new MonError('invalid', `${spelled} is no ${what}: ${advice}`);
}

function readOperands(values: readonly string[], { words, operands = [] }: Command): readonly string[] {
  const called = `monctl ${[...words, ...operands].join(' ')}`;
  const surplus = values[operands.length];
  if (surplus !== undefined) {
    throw new MonError('invalid', `${JSON.stringify(surplus)} is an unexpected argument: use ${called}`);
  }
  return operands.map((name, index) => {
    const operand = values[index] ?? '';
    if (operand === '' && !name.startsWith('[')) throw new MonError('invalid', `${name} is missing: use ${called}`);
    return operand;
  });
}

function camelCase(name: string): string {
  return name.replaceAll(/-([a-z])/g, (_, initial: string) => initial.toUpperCase());
}

function toDashes(name: string): string {
  return name.replaceAll(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`);
}

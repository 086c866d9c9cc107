import type { Command } from './command.ts';
import { EXIT_CODE_TEXTS } from './exit-codes.ts';
import type { CommandOption } from './flags.ts';

/** Environment variables that every command reads. */
export const ENVIRONMENT_VARIABLES: readonly (readonly [string, string])[] = [
  ['MON_BACKEND', 'backend URL if --backend is not set'],
  ['MON_NAMESPACE', 'namespace if --namespace is not set'],
  ['MON_API_KEY', 'API key'],
  ['MON_CREDENTIALS', 'user:password'],
  ['TZ', 'time zone, such as Europe/Berlin; default: that of the machine'],
  ['NO_COLOR', 'disable colors if set to any value'],
];

/** Width of the manual in columns, which fits the narrowest usual terminal, and indent of the lines in a section. */
const WIDTH_COLUMNS = 80;
const INDENT_COLUMNS = 2;

/** A group of commands with its title in the manual of the program. */
export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly Command[];
}

/**
 * Returns the manual of all commands that begin with `words`: the whole program, the commands of a noun, or one
 * command.
 *
 * @param groups groups of the commands, for the manual of the program
 */
export function manualText(
  words: readonly string[],
  commands: readonly Command[],
  globals: Readonly<Record<string, CommandOption>>,
  groups: readonly CommandGroup[] = [],
): string {
  const [only, ...others] = commands;
  const command = others.length === 0 && only?.words.length === words.length ? only : undefined;
  const sections = command === undefined ? overviewSections(words, commands, groups) : commandSections(command);
  // A common option that the command redefines is listed with the command's own options.
  const common = Object.entries(globals).filter(([name]) => command?.options[name] === undefined);
  return [
    ...sections,
    sectionText('Options of every command', alignPairs(optionLines(Object.fromEntries(common)))),
    sectionText('Environment', alignPairs(ENVIRONMENT_VARIABLES)),
    sectionText('Exit codes', alignPairs(EXIT_CODE_TEXTS.map(([code, text]) => [String(code), text]))),
  ].join('\n\n');
}

function overviewSections(
  words: readonly string[],
  commands: readonly Command[],
  groups: readonly CommandGroup[],
): readonly string[] {
  const name = ['monctl', ...words].join(' ');
  return [
    `${name} - ${words.length === 0 ? 'the command-line client of mon' : `commands for ${name}`}`,
    sectionText('Synopsis', [`${name} COMMAND [OPTIONS]`, `${name} COMMAND --help`]),
    ...(words.length === 0 ? groups : [{ title: 'Commands', commands }]).map((group) =>
      sectionText(
        group.title,
        alignPairs(
          group.commands.map((command) => [
            words.length === 0 ? command.words.join(' ') : callOf(command),
            command.summary,
          ]),
        ),
      ),
    ),
    sectionText('Examples', exampleLines(firstExamples(words, commands))),
  ];
}

/**
 * Returns the first example of each command. The overview of the program shows only one example per noun, such as
 * `event`.
 */
function firstExamples(words: readonly string[], commands: readonly Command[]): Command['examples'] {
  const shown = commands.filter(
    ({ words: [noun] }, index) => words.length > 0 || commands.findIndex((one) => one.words[0] === noun) === index,
  );
  return shown.flatMap((command) => command.examples.slice(0, 1));
}

function commandSections(command: Command): readonly string[] {
  const own = optionLines(command.options);
  return [
    wrapWords(`monctl ${command.words.join(' ')} - ${command.summary}`, WIDTH_COLUMNS).join('\n'),
    sectionText('Synopsis', [synopsisText(command)]),
    ...(command.details === undefined
      ? []
      : [
          sectionText(
            'Description',
            command.details.flatMap((line) => wrapWords(line, WIDTH_COLUMNS - INDENT_COLUMNS)),
          ),
        ]),
    ...(own.length === 0 ? [] : [sectionText('Options', alignPairs(own))]),
    sectionText('Examples', exampleLines(command.examples)),
  ];
}

/**
 * Returns the synopsis of a command in one line: its words and operands, and placeholders for options and trailing
 * words.
 */
export function synopsisText(command: Command): string {
  const { options, trailingName } = command;
  const parts = [
    `monctl ${callOf(command)}`,
    ...(Object.keys(options).length === 0 ? [] : ['[OPTIONS]']),
    ...(trailingName === undefined ? [] : [`-- ${trailingName}`]),
  ];
  return parts.join(' ');
}

function callOf({ words, operands = [] }: Command): string {
  return [...words, ...operands].join(' ');
}

function optionLines(options: Readonly<Record<string, CommandOption>>): readonly (readonly [string, string])[] {
  return Object.entries(options).map(([name, { short, value, text }]) => [
    `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`,
    text,
  ]);
}

function exampleLines(pairs: Command['examples']): readonly string[] {
  return pairs.flatMap(([call, does]) => [`# ${does}`, call]);
}

function sectionText(title: string, lines: readonly string[]): string {
  return [title, ...lines.map((line) => `${' '.repeat(INDENT_COLUMNS)}${line}`)].join('\n');
}

/** Aligns pairs of texts in two columns. The left text is never broken; the right text wraps within its column. */
function alignPairs(pairs: readonly (readonly [string, string])[]): readonly string[] {
  const width = pairs.reduce((widest, [left]) => Math.max(widest, left.length), 0) + 2;
  return pairs.flatMap(([left, right]) =>
    wrapWords(right, WIDTH_COLUMNS - INDENT_COLUMNS - width).map(
      (line, index) => `${(index === 0 ? left : '').padEnd(width)}${line}`,
    ),
  );
}

function wrapWords(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

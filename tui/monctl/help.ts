import type { Command, CommandOption } from './command.ts';
import { EXIT_CODE_TEXTS } from './exit-codes.ts';

const ENVIRONMENT: readonly (readonly [string, string])[] = [
  ['MON_BACKEND', 'the backend, when --backend is not given'],
  ['MON_API_KEY', 'an API key'],
  ['MON_CREDENTIALS', 'user:password'],
  ['NO_COLOR', 'no colors, whatever its value'],
];

/** The manual of all commands that begin with `words`: of the program, of a noun, or of one command. */
export function manual(
  words: readonly string[],
  commands: readonly Command[],
  globals: Readonly<Record<string, CommandOption>>,
): string {
  const [only, ...others] = commands;
  const sections =
    only !== undefined && others.length === 0 && only.words.length === words.length
      ? commandSections(only)
      : overviewSections(words, commands);
  return [
    ...sections,
    section('Options of every command', columns(optionLines(globals))),
    section('Environment', columns(ENVIRONMENT)),
    section('Exit codes', columns(EXIT_CODE_TEXTS.map(([code, text]) => [String(code), text]))),
  ].join('\n\n');
}

function overviewSections(words: readonly string[], commands: readonly Command[]): readonly string[] {
  const name = ['monctl', ...words].join(' ');
  return [
    `${name} - ${words.length === 0 ? 'events and silences of a mon backend from the command line' : `commands for ${name}`}`,
    section('Synopsis', [`${name} COMMAND [OPTIONS]`, `${name} COMMAND --help`]),
    section('Commands', columns(commands.map((command) => [callOf(command), command.summary]))),
    section('Examples', examples(commands.flatMap((command) => command.examples.slice(0, 1)))),
  ];
}

function commandSections(command: Command): readonly string[] {
  const own = optionLines(command.options);
  return [
    `monctl ${command.words.join(' ')} - ${command.summary}`,
    section('Synopsis', [`monctl ${callOf(command)}${own.length === 0 ? '' : ' [OPTIONS]'}`]),
    ...(command.details === undefined ? [] : [section('Description', command.details)]),
    ...(own.length === 0 ? [] : [section('Options', columns(own))]),
    section('Examples', examples(command.examples)),
  ];
}

function callOf({ words, operands }: Command): string {
  return [...words, ...operands].join(' ');
}

function optionLines(options: Readonly<Record<string, CommandOption>>): readonly (readonly [string, string])[] {
  return Object.entries(options).map(([name, { short, value, text }]) => [
    `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`,
    text,
  ]);
}

function examples(pairs: Command['examples']): readonly string[] {
  return pairs.flatMap(([call, does]) => [`# ${does}`, call]);
}

function section(title: string, lines: readonly string[]): string {
  return [title, ...lines.map((line) => `  ${line}`)].join('\n');
}

function columns(pairs: readonly (readonly [string, string])[]): readonly string[] {
  const width = pairs.reduce((widest, [left]) => Math.max(widest, left.length), 0);
  return pairs.map(([left, right]) => `${left.padEnd(width)}  ${right}`);
}

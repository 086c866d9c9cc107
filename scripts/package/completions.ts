import { commandsOf, optionsOf, parseHelp, type HelpEntry, type Option } from './help-text.ts';

/** The completion script of one program for each supported shell. */
export type Completions = Readonly<Record<'bash' | 'zsh' | 'fish', string>>;

/**
 * Returns the completion scripts of a program, generated from its `--help`. They complete its commands, its options,
 * and file names after an option that takes a file.
 */
export function completionsOf(program: string, help: string): Completions {
  const parsed = parseHelp(help);
  const commands = commandsOf(parsed, program);
  const options = optionsOf(parsed);
  return {
    bash: bashText(program, commands, options),
    zsh: zshText(program, commands, options),
    fish: fishText(program, commands, options),
  };
}

const takesPath = ({ value }: Option): boolean => value !== undefined && /^(?:FILE|DIR|STORE)/.test(value);

function optionSpellings({ long, short }: Option): readonly string[] {
  return [`--${long}`, ...(short === undefined ? [] : [`-${short}`])];
}

/** Returns the completion script for bash. When the script offers no words, bash offers file names. */
function bashText(program: string, commands: readonly HelpEntry[], options: readonly Option[]): string {
  const withValue = options.filter(({ value }) => value !== undefined);
  const words = [...commands.map(({ term }) => term), ...options.map(({ long }) => `--${long}`)];
  const name = `_${program.replaceAll('-', '_')}`;
  return [
    `${name}() {`,
    '  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}',
    '  COMPREPLY=()',
    ...(withValue.length === 0
      ? []
      : [`  case $previous in`, `    ${withValue.flatMap(optionSpellings).join(' | ')}) return ;;`, '  esac']),
    `  mapfile -t COMPREPLY < <(compgen -W '${words.join(' ')}' -- "$current")`,
    '}',
    `complete -o default -F ${name} ${program}`,
    '',
  ].join('\n');
}

function zshText(program: string, commands: readonly HelpEntry[], options: readonly Option[]): string {
  const specs = options.map((option) => {
    const [long = '', short] = optionSpellings(option);
    const value = option.value === undefined ? '' : `:${option.value}:${takesPath(option) ? '_files' : ''}`;
    const names = short === undefined ? long : `'(${long} ${short})'{${long},${short}}'`;
    return short === undefined
      ? `  '${names}[${escapeForZsh(option.text)}]${value}'`
      : `  ${names}[${escapeForZsh(option.text)}]${value}'`;
  });
  const list = commands.map(({ term, text }) => `${term}\\:"${escapeForZsh(text).replaceAll('"', ' ')}"`);
  return [
    `#compdef ${program}`,
    `_arguments -s \\`,
    ...specs.map((spec) => `${spec} \\`),
    `  '1:command:((${list.join(' ')}))' \\`,
    `  '*:file:_files'`,
    '',
  ].join('\n');
}

function fishText(program: string, commands: readonly HelpEntry[], options: readonly Option[]): string {
  return [
    ...commands.map(
      ({ term, text }) => `complete -c ${program} -n __fish_use_subcommand -f -a ${term} -d ${quoteForFish(text)}`,
    ),
    ...options.map((option) => {
      const short = option.short === undefined ? '' : ` -s ${option.short}`;
      const value = option.value === undefined ? '' : takesPath(option) ? ' -r -F' : ' -x';
      return `complete -c ${program} -l ${option.long}${short}${value} -d ${quoteForFish(option.text)}`;
    }),
    '',
  ].join('\n');
}

/** Returns a text without the characters that would end a description in zsh. */
function escapeForZsh(text: string): string {
  return text.replaceAll(/[[\]:\\']/g, ' ').replaceAll(/ +/g, ' ');
}

/** Returns a text quoted for fish. */
function quoteForFish(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
}

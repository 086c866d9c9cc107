import { AGENT_HELP_TEXT as AGENT_HELP } from '../../daemon/agent/help.ts';
import { BACKEND_HELP_TEXT as BACKEND_HELP } from '../../daemon/backend/arguments.ts';
import { CONSOLE_HELP_TEXT as CONSOLE_HELP } from '../../tui/config/parse-arguments.ts';
import { COMPLETION_SCRIPTS } from '../../tui/monctl/completion-scripts.ts';
import { manualText } from '../../tui/monctl/help.ts';
import { GLOBAL_OPTIONS } from '../../tui/monctl/parse-arguments.ts';
import { ALL_COMMANDS } from '../../tui/monctl/run.ts';
import { completionsOf, type Completions } from './completions.ts';
import { manPage, manPageOfCommands } from './man-page.ts';
import { PACKAGES, type PackagedProgram } from './packages.ts';

/** The manual page and the shell completions of one program. */
export interface Manual {
  readonly page: string;
  readonly completions: Completions;
}

interface ManualEdition {
  readonly version: string;
  readonly dateS: number;
}

const PACKAGED_PROGRAMS = PACKAGES.flatMap(({ programs }) => programs);

/** The help texts of the programs whose help is a single text. */
const HELP_TEXTS: Readonly<Record<string, string>> = {
  'mon-backend': BACKEND_HELP,
  'mon-agent': AGENT_HELP,
  mon: CONSOLE_HELP,
};

/** One-line summary of each program for the list of manual pages. */
const PROGRAM_SUMMARIES: Readonly<Record<string, string>> = {
  'mon-backend': 'takes results of checks, keeps events, and tells handlers',
  'mon-agent': 'runs the checks of a machine and reports to a backend',
  mon: 'shows what is broken right now on one full screen',
  monctl: 'asks and changes a monitoring backend from the command line',
};

/** Returns the manuals, generated from the `--help` texts, by the name of the program. */
export function manualsOf(edition: ManualEdition): ReadonlyMap<string, Manual> {
  return new Map(PACKAGED_PROGRAMS.map((program) => [program.name, manualOf(program, edition)]));
}

function manualOf({ name, section }: PackagedProgram, { version, dateS }: ManualEdition): Manual {
  const others = PACKAGED_PROGRAMS.filter((other) => other.name !== name);
  const seeAlso = others.map((other) => `${other.name}(${String(other.section)})`);
  const subject = { name, section, version, dateS, summary: PROGRAM_SUMMARIES[name] ?? '', seeAlso };
  const help = HELP_TEXTS[name];
  if (help !== undefined) return { page: manPage(subject, help), completions: completionsOf(name, help) };
  const commands = ALL_COMMANDS.map((command) => {
    const words = ['monctl', ...command.words].join(' ');
    return [words, manualText(command.words, [command], GLOBAL_OPTIONS)] as const;
  });
  const page = manPageOfCommands(subject, manualText([], ALL_COMMANDS, GLOBAL_OPTIONS), new Map(commands));
  return { page, completions: completionsOfMonctl() };
}

/** Returns the completions of monctl. They are separate scripts because they query the backend for names. */
function completionsOfMonctl(): Completions {
  const { bash = '', zsh = '', fish = '' } = COMPLETION_SCRIPTS;
  // zsh loads the file as the body of the function that it defines, so the file must call that function at its end.
  return { bash, zsh: `#compdef monctl\n${zsh}_monctl "$@"\n`, fish };
}

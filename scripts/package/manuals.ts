import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { COMPLETION_SCRIPTS } from '../../tui/monctl/completion-scripts.ts';
import { manual } from '../../tui/monctl/help.ts';
import { GLOBAL_OPTIONS } from '../../tui/monctl/parse-arguments.ts';
import { COMMANDS } from '../../tui/monctl/run.ts';
import { completionsOf, type Completions } from './completions.ts';
import { manPage, manPageOfCommands } from './man-page.ts';
import type { Package, PackagedProgram } from './packages.ts';

/** What people read and shells complete, of one program. */
export interface Manual {
  readonly page: string;
  readonly completions: Completions;
}

interface Build {
  /** Of the built programs. */
  readonly folder: string;
  readonly version: string;
  readonly dateS: number;
}

/** By the name of the program, from what it says with `--help`. */
export async function manualsOf(packages: readonly Package[], build: Build): Promise<ReadonlyMap<string, Manual>> {
  const all = packages.flatMap(({ programs }) => programs);
  const pairs = all.map(async (program) => [program.name, await manualOf(program, all, build)] as const);
  return new Map(await Promise.all(pairs));
}

async function manualOf(
  { name, section, files: [file = ''] }: PackagedProgram,
  all: readonly PackagedProgram[],
  { folder, version, dateS }: Build,
): Promise<Manual> {
  const seeAlso = all.filter((other) => other.name !== name).map((other) => `${other.name}(${String(other.section)})`);
  const subject = { name, section, version, dateS, summary: SUMMARIES[name] ?? '', seeAlso };
  if (name === 'monctl') {
    const commands = COMMANDS.map((command) => {
      const words = ['monctl', ...command.words].join(' ');
      return [words, manual(command.words, [command], GLOBAL_OPTIONS)] as const;
    });
    const page = manPageOfCommands(subject, manual([], COMMANDS, GLOBAL_OPTIONS), new Map(commands));
    return { page, completions: completionsOfMonctl() };
  }
  const { stdout: help } = await promisify(execFile)(process.execPath, [join(folder, file), '--help']);
  return { page: manPage(subject, help), completions: completionsOf(name, help) };
}

/** As the list of all pages shows them. */
const SUMMARIES: Readonly<Record<string, string>> = {
  'mon-backend': 'takes results of checks, keeps events, and tells handlers',
  'mon-agent': 'runs the checks of a machine and reports to a backend',
  mon: 'full-screen console of a monitoring backend',
  monctl: 'a monitoring backend from the command line',
};

/** It asks the backend for names, so it has scripts of its own. */
function completionsOfMonctl(): Completions {
  const { bash = '', zsh = '', fish = '' } = COMPLETION_SCRIPTS;
  // The file is loaded as the function that it defines.
  return { bash, zsh: `#compdef monctl\n${zsh}_monctl "$@"\n`, fish };
}

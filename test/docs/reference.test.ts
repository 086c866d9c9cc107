import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { AGENT_HELP_TEXT as AGENT_HELP } from '../../daemon/agent/help.ts';
import { readAgentConfig as loadAgentConfig } from '../../daemon/agent/load-config.ts';
import { BACKEND_HELP_TEXT as BACKEND_HELP } from '../../daemon/backend/arguments.ts';
import { loadConfig } from '../../daemon/backend/config/load-config.ts';
import { errorMessage } from '../../shared/errors.ts';
import { readConsoleConfig as loadConsoleConfig } from '../../tui/config/config-file.ts';
import { CONSOLE_HELP_TEXT as CONSOLE_HELP } from '../../tui/config/parse-arguments.ts';
import { parseArguments } from '../../tui/monctl/parse-arguments.ts';
import { ALL_COMMANDS } from '../../tui/monctl/run.ts';
import { repositoryFiles } from '../support/repository.ts';
import { tempDir } from '../support/temp-dir.ts';
import { blocksOf, type Block } from './blocks.ts';
import { callsIn, type ShellCall } from './shell-words.ts';

const PAGES = repositoryFiles('README.md', 'docs/*.md', 'docs/{how-to,reference}/*.md');
const BLOCKS = [...PAGES].flatMap(([page, text]) =>
  blocksOf(text).map((block) => ({ at: `${page}:${String(block.line)}`, block })),
);

describe('the commands in the documentation', () => {
  const calls = BLOCKS.filter(({ block }) => block.language === 'sh').flatMap(({ at, block }) =>
    callsIn(block.text).map(([program = '', ...words]) => ({ at, program: program.replace(/^.*\//, ''), words })),
  );

  test('every monctl command in the documentation exists and has the options that are shown', () => {
    const own = calls.filter(({ program }) => program === 'monctl');
    expect(own.length).toBeGreaterThan(150);
    expect(own.flatMap(({ at, words }) => problemOf(at, words))).toEqual([]);
  });

  test.each([
    { name: 'mon-backend', help: BACKEND_HELP },
    { name: 'mon-agent', help: AGENT_HELP },
    { name: 'mon', help: CONSOLE_HELP },
  ])('every $name command in the documentation uses only options that its help lists', ({ name, help }) => {
    const own = calls.filter(({ program }) => program === name);
    expect(own.length).toBeGreaterThan(2);
    const options = own.flatMap(({ at, words }) =>
      words.filter((word) => /^--?[a-z]/i.test(word)).map((word) => ({ at, option: word.split('=')[0] ?? '' })),
    );
    expect(options.filter(({ option }) => !hasOption(help, option))).toEqual([]);
  });
});

/** Returns the error that monctl reports for a command line; empty if the command line is valid. */
function problemOf(at: string, words: ShellCall): readonly string[] {
  try {
    parseArguments(words, ALL_COMMANDS);
    return [];
  } catch (error) {
    return [`${at}: monctl ${words.join(' ')}: ${errorMessage(error)}`];
  }
}

function hasOption(help: string, option: string): boolean {
  return new RegExp(`(?:^|[\\s\\[,])${option}(?![\\w-])`, 'm').test(help);
}

describe('the example configurations in the documentation', () => {
  const configurations = BLOCKS.filter(
    ({ block: { language, attributes } }) => /^(?:yaml|json)$/.test(language) && !('untested' in attributes),
  );

  test.each(configurations)('the example configuration at $at is valid', async ({ block }) => {
    expect(await problemIn(block)).toBeUndefined();
  });
});

/** Match the settings by which the program of a configuration is recognized. */
const OF_CONSOLE = /^(?:contexts|context|views|keys|theme|skin):/m;
const OF_AGENT = /^(?:agent|client):/m;
const OF_BACKEND = /^(?:checks|handlers|filters|mutators|api|tls|watchdogs|[a-z]+-[a-z-]+):/m;

/**
 * Returns the error that the program of a configuration reports; `undefined` if there is none. Other blocks, such as
 * responses, only have to be valid JSON or YAML.
 */
async function problemIn({ language, text }: Block): Promise<string | undefined> {
  const file = join(await tempDir(), `page.${language}`);
  await writeFile(file, text);
  try {
    if (language === 'json' && !/^\{\s*"checks"/.test(text)) JSON.parse(text);
    else if (OF_CONSOLE.test(text)) return problemOfConsole(await loadConsoleConfig(file, {}));
    else if (OF_AGENT.test(text)) await loadAgentConfig({ file, directories: [], env: {}, flags: {} });
    else if (language === 'json' || OF_BACKEND.test(text)) await loadConfig({ file, directories: [], env: {} });
    else return parseAllDocuments(text).flatMap(({ errors }) => errors)[0]?.message;
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}

function problemOfConsole(loaded: object): string | undefined {
  return 'problem' in loaded ? String(loaded.problem) : undefined;
}

test.each([
  { commands: 'a b | c -l # all', calls: 'a b, c -l' },
  { commands: "A=1 monctl x --reason 'a b' > file 2>&1 &", calls: 'monctl x --reason a b' },
  { commands: 'until a 2>/dev/null; do sleep 0.2; done', calls: 'a, sleep 0.2, done' },
  { commands: 'a --x="1 2" \\\n  b', calls: 'a --x=1 2 b' },
])('the parser for shell examples finds the commands $calls in the line $commands', ({ commands, calls }) => {
  expect(
    callsIn(commands)
      .map((call) => call.join(' '))
      .join(', '),
  ).toBe(calls);
});

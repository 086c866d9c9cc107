import { HELP as AGENT_HELP } from '../../daemon/agent/help.ts';
import { HELP_TEXT as BACKEND_HELP } from '../../daemon/backend/arguments.ts';
import { HELP as CONSOLE_HELP } from '../../tui/config/parse-arguments.ts';
import type { Command } from '../../tui/monctl/command.ts';
import { EXIT_CODE_TEXTS } from '../../tui/monctl/exit-codes.ts';
import type { CommandOption } from '../../tui/monctl/flags.ts';
import { ENVIRONMENT, synopsis } from '../../tui/monctl/help.ts';
import { GLOBAL_OPTIONS } from '../../tui/monctl/parse-arguments.ts';
import { COMMANDS } from '../../tui/monctl/run.ts';
import { code, fenced, markdownTable } from './markdown-text.ts';

/** Returns the text of `docs/commands.md`, generated from the help texts of the programs. */
export function commandsPage(): string {
  return [
    '# Commands and options',
    '<!-- `node scripts/print-pages.ts` generates this page from the help texts of the programs. Change the texts. -->',
    ...program('mon-backend', BACKEND_HELP, '[Operations](operations.md), [settings](settings.md)'),
    ...program('mon-agent', AGENT_HELP, '[The agent](agent.md), [settings](settings.md#the-agent)'),
    ...program('mon', CONSOLE_HELP, '[The console](console.md)'),
    '## monctl',
    'What it is for, and how it finds its backend: [monctl](monctl.md).',
    markdownTable([['Command', 'What it does'], ...COMMANDS.map((one) => [code(callOf(one)), one.summary])]),
    '### Options of every command',
    optionTable(GLOBAL_OPTIONS),
    markdownTable([['Variable', 'Is'], ...ENVIRONMENT.map(([name, text]) => [code(name), text])]),
    '### Exit codes',
    markdownTable([['Code', 'Means'], ...EXIT_CODE_TEXTS.map(([number, text]) => [String(number), text])]),
    ...COMMANDS.flatMap((one) => commandSection(one)),
    '',
  ].join('\n\n');
}

function program(name: string, help: string, more: string): readonly string[] {
  return [`## ${name}`, `More: ${more}.`, fenced('text', help.replaceAll(/^\n|\s+$/g, ''))];
}

function commandSection(command: Command): readonly string[] {
  const { words, summary, details = [], options, examples } = command;
  return [
    `### monctl ${words.join(' ')}`,
    `${summary}.`,
    fenced('text', synopsis(command)),
    ...(details.length === 0 ? [] : [fenced('text', details.join('\n'))]),
    ...(Object.keys(options).length === 0 ? [] : [optionTable(options)]),
    ...(examples.length === 0
      ? []
      : [fenced('sh', examples.flatMap(([call, does]) => [`# ${does}`, call]).join('\n'))]),
  ];
}

function callOf({ words, operands = [] }: Command): string {
  return ['monctl', ...words, ...operands].join(' ');
}

function optionTable(options: Readonly<Record<string, CommandOption>>): string {
  const rows = Object.entries(options).map(([name, { short, value, text }]) => [
    code(`${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`),
    text,
  ]);
  return markdownTable([['Option', 'Does'], ...rows]);
}

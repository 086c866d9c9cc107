import { AGENT_HELP_TEXT as AGENT_HELP } from '../../daemon/agent/help.ts';
import { BACKEND_HELP_TEXT as BACKEND_HELP } from '../../daemon/backend/arguments.ts';
import { CONSOLE_HELP_TEXT as CONSOLE_HELP } from '../../tui/config/parse-arguments.ts';
import type { Command } from '../../tui/monctl/command.ts';
import { EXIT_CODE_TEXTS } from '../../tui/monctl/exit-codes.ts';
import type { CommandOption } from '../../tui/monctl/flags.ts';
import { ENVIRONMENT_VARIABLES, synopsisText } from '../../tui/monctl/help.ts';
import { GLOBAL_OPTIONS } from '../../tui/monctl/parse-arguments.ts';
import { ALL_COMMANDS } from '../../tui/monctl/run.ts';
import { inlineCode, fencedBlock, markdownTable } from './markdown-text.ts';

/** Returns the text of `docs/commands.md`, generated from the help texts of the programs. */
export function commandsPage(): string {
  return [
    '# Commands and options',
    '<!-- `node scripts/print-pages.ts` generates this page from the help texts of the programs. Change the texts. -->',
    ...programSection('mon-backend', BACKEND_HELP, '[Operations](operations.md), [settings](settings.md)'),
    ...programSection('mon-agent', AGENT_HELP, '[The agent](agent.md), [settings](settings.md#the-agent)'),
    ...programSection('mon', CONSOLE_HELP, '[The console](console.md)'),
    '## monctl',
    '[monctl](monctl.md) describes its purpose and how it finds its backend.',
    markdownTable([['Command', 'What it does'], ...ALL_COMMANDS.map((one) => [inlineCode(callOf(one)), one.summary])]),
    '### Options of every command',
    optionTable(GLOBAL_OPTIONS),
    markdownTable([['Variable', 'Is'], ...ENVIRONMENT_VARIABLES.map(([name, text]) => [inlineCode(name), text])]),
    '### Exit codes',
    markdownTable([['Code', 'Means'], ...EXIT_CODE_TEXTS.map(([number, text]) => [String(number), text])]),
    ...ALL_COMMANDS.flatMap((one) => commandSection(one)),
    '',
  ].join('\n\n');
}

function programSection(name: string, help: string, more: string): readonly string[] {
  return [`## ${name}`, `See also: ${more}.`, fencedBlock('text', help.replaceAll(/^\n|\s+$/g, ''))];
}

function commandSection(command: Command): readonly string[] {
  const { words, summary, details = [], options, examples } = command;
  return [
    `### monctl ${words.join(' ')}`,
    `${summary}.`,
    fencedBlock('text', synopsisText(command)),
    ...(details.length === 0 ? [] : [fencedBlock('text', details.join('\n'))]),
    ...(Object.keys(options).length === 0 ? [] : [optionTable(options)]),
    ...(examples.length === 0
      ? []
      : [fencedBlock('sh', examples.flatMap(([call, does]) => [`# ${does}`, call]).join('\n'))]),
  ];
}

function callOf({ words, operands = [] }: Command): string {
  return ['monctl', ...words, ...operands].join(' ');
}

function optionTable(options: Readonly<Record<string, CommandOption>>): string {
  const rows = Object.entries(options).map(([name, { short, value, text }]) => [
    inlineCode(`${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`),
    text,
  ]);
  return markdownTable([['Option', 'Does'], ...rows]);
}

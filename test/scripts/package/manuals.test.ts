import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { completionsOf } from '../../../scripts/package/completions.ts';
import { commandsOf, optionsOf, parseHelp } from '../../../scripts/package/help-text.ts';
import { manPage, manPageOfCommands } from '../../../scripts/package/man-page.ts';

const HELP = `
  tool: does one thing

  Usage
    tool start [options]   run until stopped
    tool stop              end it

  Options
    -c, --config FILE      its file; default ./tool.yml,
                           or none
    --level LEVEL          how much it says: 'all' or "little"
    --quite-a-long-option one blank parts it
    --no-color             no colors
    --cert-file, --key-file FILE
                           certificate and key

  Examples
    tool start -c .tool\\n.yml
`;

describe('the parser of help texts', () => {
  const help = parseHelp(HELP);

  test('a help text is split into paragraphs and sections', () => {
    expect(help.paragraphs).toEqual(['tool: does one thing']);
    expect(help.sections.map(({ title }) => title)).toEqual(['Usage', 'Options', 'Examples']);
  });

  test('the parser of a help text finds every spelling of each option', () => {
    expect(optionsOf(help)).toEqual([
      { long: 'config', short: 'c', value: 'FILE', text: 'its file; default ./tool.yml, or none' },
      { long: 'level', short: undefined, value: 'LEVEL', text: `how much it says: 'all' or "little"` },
      { long: 'quite-a-long-option', short: undefined, value: undefined, text: 'one blank parts it' },
      { long: 'no-color', short: undefined, value: undefined, text: 'no colors' },
      { long: 'cert-file', short: undefined, value: 'FILE', text: 'certificate and key' },
      { long: 'key-file', short: undefined, value: 'FILE', text: 'certificate and key' },
    ]);
  });

  test('the parser of a help text finds the commands', () => {
    expect(commandsOf(help, 'tool').map(({ term }) => term)).toEqual(['start', 'stop']);
  });
});

describe('a page of the manual', () => {
  const subject = {
    name: 'tool',
    section: 8,
    version: '1.0.0',
    dateS: 0,
    summary: 'one thing',
    seeAlso: ['other(1)'],
  } as const;

  test('a manual page contains the text of --help in the man format', () => {
    expect(manPage(subject, HELP).split('\n')).toEqual([
      '.TH TOOL 8 1970-01-01 "mon 1.0.0" "mon"',
      '.SH NAME',
      String.raw`tool \- one thing`,
      '.SH SYNOPSIS',
      '.PP',
      '.nf',
      'tool start [options]   run until stopped',
      'tool stop              end it',
      '.fi',
      '.SH DESCRIPTION',
      '.PP',
      'tool one thing.',
      '.PP',
      'tool: does one thing',
      '.SH OPTIONS',
      '.TP',
      String.raw`.B \-c, \-\-config FILE`,
      'its file; default ./tool.yml, or none',
      '.TP',
      String.raw`.B \-\-level LEVEL`,
      String.raw`how much it says: \(aqall\(aq or \(dqlittle\(dq`,
      '.TP',
      String.raw`.B \-\-quite\-a\-long\-option`,
      'one blank parts it',
      '.TP',
      String.raw`.B \-\-no\-color`,
      'no colors',
      '.TP',
      String.raw`.B \-\-cert\-file, \-\-key\-file FILE`,
      'certificate and key',
      '.SH EXAMPLES',
      '.PP',
      '.nf',
      String.raw`tool start \-c .tool\en.yml`,
      '.fi',
      '.SH SEE ALSO',
      'other(1)',
      '',
    ]);
  });

  test('the manual page of many commands describes each of them and the common options once', () => {
    const help = 'tool - many things\n\nSynopsis\n  tool COMMAND\n\nOptions of every command\n  --raw  as it is';
    const one =
      'tool list - List\n\nSynopsis\n  tool list\n\nOptions\n  --all  all\n\nOptions of every command\n  --raw  as it is';
    const page = manPageOfCommands(subject, help, new Map([['tool list', one]]));
    expect(page).toContain(
      ['.SS tool list', '.PP', '.nf', 'tool list', '.fi', '.TP', String.raw`.B \-\-all`, 'all'].join('\n'),
    );
    expect(page.match(/OPTIONS OF EVERY COMMAND/g)).toHaveLength(1);
  });
});

describe('completions', () => {
  const { bash, zsh, fish } = completionsOf('tool', HELP);
  const completed = (words: string): string =>
    execFileSync(
      'bash',
      ['-c', `${bash}\nCOMP_WORDS=(${words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _tool; echo "\${COMPREPLY[*]}"`],
      {
        encoding: 'utf8',
      },
    ).trim();

  test('the bash completion offers commands and options, and files after an option that takes one', () => {
    expect(completed('tool st')).toBe('start stop');
    expect(completed('tool --c')).toBe('--config --cert-file');
    expect(completed('tool --config st')).toBe('');
  });

  test('the zsh and fish completions describe what each option does', () => {
    expect(zsh).toContain(`  '(--config -c)'{--config,-c}'[its file; default ./tool.yml, or none]:FILE:_files' \\\n`);
    expect(zsh).toContain(`((start\\:"run until stopped" stop\\:"end it"))`);
    expect(fish).toContain(`complete -c tool -l level -x -d 'how much it says: \\'all\\' or "little"'\n`);
    expect(fish).toContain("complete -c tool -n __fish_use_subcommand -f -a start -d 'run until stopped'\n");
  });
});

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { apiCommandProblem, isInDirectory } from '../../../shared/domain/api-command.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const LISTED = { isAllowed: true, directories: ['/opt/ok', '/usr/lib/nagios/'] };
const NONE = { isAllowed: false, directories: [] };
const isListed = (program: string): boolean =>
  LISTED.directories.some((directory) => isInDirectory(program, directory));
const problemOf = (
  definition: object,
  settings: Parameters<typeof apiCommandProblem>[1] = LISTED,
): string | undefined => apiCommandProblem({ ...definition }, settings, isListed);

test('the API may set any command when no setting restricts it', () => {
  const anywhere = { isAllowed: true, directories: [] };
  expect(problemOf({ command: 'rm -rf / ; :', env_vars: ['PATH=/tmp'] }, anywhere)).toBeUndefined();
});

describe('the setting that limits API commands to directories', () => {
  test.each([
    '/opt/ok/check',
    '/opt/ok/deep/check-disk.sh -w 80% --path /var -x a=b ~ *.log [a-z]? ',
    `/usr/lib/nagios/check_http -H 'a; b | c $(d)' -u "x & y > z"`,
  ])('the API command %s is allowed', (command) => {
    expect(problemOf({ command })).toBeUndefined();
  });

  test.each([
    { name: 'is found through PATH', command: 'check-disk -w 80' },
    { name: 'is in another directory', command: '/bin/sh -c true' },
    { name: 'is in a directory with a similar name', command: '/opt/okay/check' },
    { name: 'is the allowed directory itself', command: '/opt/ok' },
    { name: 'leaves the allowed directory by ..', command: '/opt/ok/../../bin/sh' },
    { name: 'leaves the allowed directory by .., as a list of arguments', command: ['/opt/ok/../../bin/sh'] },
    { name: 'is found through PATH, as a list of arguments', command: ['sh', '-c', 'true'] },
    { name: 'is a relative path', command: './opt/ok/check' },
    { name: 'is followed by another command', command: '/opt/ok/x; rm -rf /' },
    { name: 'has another command on the next line', command: '/opt/ok/x\nrm -rf /' },
    { name: 'is piped into another command', command: '/opt/ok/x | sh' },
    { name: 'runs in the background of another command', command: '/opt/ok/x & sh' },
    { name: 'has a command substitution', command: '/opt/ok/x $(sh)' },
    { name: 'has a command in backquotes', command: '/opt/ok/x `sh`' },
    { name: 'has a command substitution in quotes', command: '/opt/ok/x "$(sh)"' },
    { name: 'has a redirection', command: '/opt/ok/x > /etc/cron.d/x' },
    { name: 'has a shell variable', command: '/opt/ok/x $HOME' },
    { name: 'begins with a variable assignment', command: 'LD_PRELOAD=/tmp/x /opt/ok/x' },
    { name: 'has an unclosed quote', command: `/opt/ok/x 'a` },
    { name: 'has a backslash', command: '/opt/ok/x \\' },
    { name: 'has quotes within the path', command: `/opt/ok/x'/../../../bin/sh'` },
    { name: 'has a token', command: '/opt/ok/x :::name:::' },
    { name: 'has a token in quotes', command: `/opt/ok/x '{{ .name }}'` },
  ])('a command in the API is rejected if it $name', ({ command }) => {
    expect(problemOf({ command })).toEqual(expect.any(String));
  });

  test('a command that is a list of arguments may contain shell characters and tokens', () => {
    expect(problemOf({ command: ['/opt/ok/x', '; rm -rf /', '$(sh)', ':::name:::', '{{ .name }}'] })).toBeUndefined();
  });

  test('the check of API commands includes hooks, environment variables and output files of handlers', () => {
    const command = ['/opt/ok/x'];
    expect(problemOf({ command, hooks: { critical: { command: 'ps' } } })).toMatch(
      /^hooks\.critical\.command: must be one/,
    );
    expect(problemOf({ command, env_vars: ['LD_PRELOAD=/tmp/x.so'] })).toMatch(/^env_vars: /);
    const pipe = { type: 'fanout', name: 'x', options: { file: '/etc/cron.d/x' } };
    expect(problemOf({ type: 'transport', pipe })).toMatch(/^pipe\.options\.file: /);
    expect(problemOf({ type: 'transport', pipe: { ...pipe, options: {} } })).toBeUndefined();
  });

  test('a list of allowed directories does not apply to a handler without a command', () => {
    expect(problemOf({ type: 'webhook', url: 'https://example.org' })).toBeUndefined();
    expect(problemOf({ type: 'set', handlers: ['a'] })).toBeUndefined();
  });

  test('a shell runs exactly one program for every command line that the setting allows', async () => {
    const dir = await tempDir();
    const [program, log, other] = ['program', 'log', 'other'].map((name) => join(dir, name)) as [
      string,
      string,
      string,
    ];
    writeFileSync(program, `#!/bin/sh\necho ran >>${log}\n`, { mode: 0o700 });
    const pieces = [
      ' ',
      '\t',
      '\n',
      ';',
      '&',
      '|',
      '$(',
      ')',
      '`',
      '"',
      "'",
      '\\',
      '>',
      '<',
      '#',
      '{',
      '}',
      '!',
      '=',
      '*',
    ];
    const words = fc.constantFrom(...pieces, 'x', program, `touch ${other}`, `>${other}`, '${HOME}', 'a=b');
    let accepted = 0;
    fc.assert(
      fc.property(fc.array(words, { maxLength: 6 }), (rest) => {
        const command = `${program} ${rest.join('')}`;
        if (apiCommandProblem({ command }, LISTED, (named) => named === program) !== undefined) return;
        accepted++;
        writeFileSync(log, '');
        execFileSync('/bin/sh', ['-c', command], { cwd: dir, stdio: 'ignore' });
        expect(readFileSync(log, 'utf8')).toBe('ran\n');
        expect(existsSync(other)).toBe(false);
      }),
      { numRuns: propertyRuns(500) },
    );
    expect(accepted).toBeGreaterThan(10);
  });
});

test('the setting that forbids API commands rejects every definition with a command or an output file, and no other', () => {
  expect(problemOf({ command: ['/opt/ok/x'] }, NONE)).toMatch(/api-commands/);
  expect(problemOf({ type: 'pipe', command: 'x' }, NONE)).toMatch(/api-commands/);
  expect(problemOf({ type: 'transport', pipe: { options: { file: '/x' } } }, NONE)).toMatch(/api-commands/);
  expect(problemOf({ type: 'tcp', socket: { host: 'x', port: 1 } }, NONE)).toBeUndefined();
  expect(problemOf({ action: 'allow', expressions: [] }, NONE)).toBeUndefined();
});

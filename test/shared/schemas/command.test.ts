import { describe, expect, test } from 'vitest';
import { checkSchema } from '../../../shared/schemas/check.ts';
import { v2CheckSchema } from '../../../shared/schemas/v2/check.ts';
import { problemsOf } from '../../../shared/schemas/problems.ts';

const problemOf = (check: object): string | undefined => {
  const { error } = checkSchema.safeParse({ subscribers: ['a'], interval: 60, ...check });
  return error && problemsOf(error);
};

test.each([
  { command: 'df /' },
  { command: ['df'] },
  { command: ['df', '', ':::disk|/:::', '{{ x }}'] },
  { command: ['{{/bin/true'] },
  { command: 'true', hooks: { ok: { command: ['df', ':::disk:::'] } } },
])('the schema of a check accepts the command $command', (check) => {
  expect(problemOf(check)).toBeUndefined();
});

describe.each([
  ['a check', (command: unknown) => problemOf({ command }), 'command'],
  ['a hook', (command: unknown) => problemOf({ command: 'true', hooks: { ok: { command } } }), 'hooks.ok.command'],
])('the invalid command of %s', (_what, told, at) => {
  test.each<[unknown, string]>([
    [7, ': must be a shell command, or a list of a program and its arguments'],
    [[], ': must start with the executable to run'],
    [['', 'x'], '.0: must start with the executable to run'],
    [['df', 7], ': must be a shell command, or a list of a program and its arguments'],
    [['df', 'a\0b'], '.1: must not contain the byte 0'],
    [Array.from({ length: 1001 }, () => 'x'), ': '],
    [[':::program:::', 'x'], ': must contain the program itself: a token is not allowed there'],
    [['/opt/:::os:::/check'], ': must contain the program itself: a token is not allowed there'],
  ])('the schema rejects the command %j', (command, problem) => {
    expect(told(command)).toContain(`${at}${problem}`);
  });
});

test('a token in the program of a command is rejected in the v2 API too', () => {
  const { error } = v2CheckSchema.safeParse({
    metadata: { name: 'x' },
    interval: 60,
    command: ['{{ .labels.program }}'],
  });
  expect(error && problemsOf(error)).toBe('command: must contain the program itself: a token is not allowed there');
});

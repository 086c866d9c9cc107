import { describe, expect, test } from 'vitest';
import { DEFAULT_ARGUMENTS } from '../../../tui/config/arguments.ts';
import { parseConsoleArguments } from '../../../tui/config/parse-arguments.ts';

const parse = (...argv: readonly string[]) => parseConsoleArguments(argv, import.meta);

describe('the command line of the console', () => {
  test('an empty command line of the console yields the default settings', () => {
    expect(parse()).toEqual(DEFAULT_ARGUMENTS);
  });

  test.each([
    { argv: ['--mouse'], says: { mouse: true } },
    { argv: ['--no-bell', '--notify'], says: { bell: false, notify: true } },
    { argv: ['--skin', 'deuteranopia'], says: { skin: 'deuteranopia' } },
    { argv: ['--screen-reader'], says: { screenReader: true } },
    { argv: ['--no-screen-reader'], says: { screenReader: false } },
    { argv: ['--open', 'web-1/disk'], says: { open: 'web-1/disk' } },
    { argv: ['watch'], says: { watch: { filter: '', once: false, json: false } } },
    {
      argv: ['watch', '--filter', 'status=crit', '--once', '--json'],
      says: { watch: { filter: 'status=crit', once: true, json: true } },
    },
  ])('the console arguments $argv are parsed', ({ argv, says }) => {
    expect(parse(...argv)).toEqual({ ...DEFAULT_ARGUMENTS, ...says });
  });

  test.each([
    { argv: ['--skin', 'neon'], problem: /--skin must be one of dark, light, deuteranopia, tritanopia, mono/ },
    { argv: ['--once'], problem: /^--filter, --once and --json work only with "mon watch": see "mon --help"$/ },
    { argv: ['--open', 'web-1'], problem: /needs a client and a check, as in --open web-1\/disk/ },
    { argv: ['watch', '--open', 'web-1/disk'], problem: /--open works only with the full-screen console/ },
    { argv: ['wacth'], problem: /only options, or the command "watch"/ },
    { argv: ['watch', 'events'], problem: /only options, or the command "watch"/ },
    { argv: ['--backend', 'http://a', '--context', 'b'], problem: /not both/ },
  ])('the console arguments $argv are rejected with the right usage', ({ argv, problem }) => {
    expect(parse(...argv)).toEqual({ problem: expect.stringMatching(problem) });
  });
});

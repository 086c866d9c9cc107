import { describe, expect, test } from 'vitest';
import { DEFAULT_ARGUMENTS } from '../../../tui/config/arguments.ts';
import { parseArguments } from '../../../tui/config/parse-arguments.ts';

const parse = (...argv: readonly string[]) => parseArguments(argv, import.meta);

describe('the command line of the console', () => {
  test('says nothing but the defaults when there is nothing on it', () => {
    expect(parse()).toEqual(DEFAULT_ARGUMENTS);
  });

  test.each([
    { argv: ['--mouse'], says: { mouse: true } },
    { argv: ['--no-bell', '--notify'], says: { bell: false, notify: true } },
    { argv: ['--skin', 'deuteranopia'], says: { skin: 'deuteranopia' } },
    { argv: ['--screen-reader'], says: { screenReader: true } },
    { argv: ['--no-screen-reader'], says: { screenReader: false } },
    { argv: ['watch'], says: { watch: { filter: '', once: false, json: false } } },
    {
      argv: ['watch', '--filter', 'status=crit', '--once', '--json'],
      says: { watch: { filter: 'status=crit', once: true, json: true } },
    },
  ])('$argv', ({ argv, says }) => {
    expect(parse(...argv)).toEqual({ ...DEFAULT_ARGUMENTS, ...says });
  });

  test.each([
    { argv: ['--skin', 'neon'], problem: /--skin must be one of dark, light, deuteranopia, tritanopia, mono/ },
    { argv: ['--once'], problem: /need "mon watch"/ },
    { argv: ['wacth'], problem: /only options, or the command "watch"/ },
    { argv: ['watch', 'events'], problem: /only options, or the command "watch"/ },
    { argv: ['--backend', 'http://a', '--context', 'b'], problem: /not both/ },
  ])('$argv is refused with what is right', ({ argv, problem }) => {
    expect(parse(...argv)).toEqual({ problem: expect.stringMatching(problem) });
  });
});

import { spawnSync } from 'node:child_process';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { commandOf, commandText } from '../../../shared/domain/command-text.ts';
import { propertyRuns } from '../../support/property-runs.ts';

test('a list of arguments is printed so that a shell reads each argument back unchanged', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 5 }), (texts) => {
      const words = texts.map((text) => text.replaceAll('\0', '').toWellFormed());
      const line = commandText(['printf', '%s\\n.\\n', ...words]);
      const { stdout } = spawnSync('/bin/sh', ['-c', line], { encoding: 'utf8' });
      expect(stdout).toBe(words.length === 0 ? '\n.\n' : words.map((word) => `${word}\n.\n`).join(''));
    }),
    { numRuns: propertyRuns(30) },
  );
});

test.each([
  { command: 'df | tail -1', text: 'df | tail -1' },
  {
    command: ['check-disk', '-w', '80', '/srv/my disk', "it's"],
    text: String.raw`check-disk -w 80 '/srv/my disk' 'it'\''s'`,
  },
  { command: ['A=b', 'c=d'], text: "'A=b' c=d" },
])('a check command $command is shown as $text', ({ command, text }) => {
  expect(commandText(command)).toBe(text);
});

test.each([undefined, null, 7, {}, [], ['a', 7]])('the value %j is not a valid command', (value) => {
  expect(commandOf(value)).toBeUndefined();
});

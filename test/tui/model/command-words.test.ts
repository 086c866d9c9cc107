import { describe, expect, test } from 'vitest';
import { fillWords, findPlaceholders } from '../../../tui/model/command-words.ts';

const ATTRIBUTES = {
  client: { name: 'web-1', address: '-oProxyCommand=reboot', labels: { rack: 'r20' }, subscriptions: ['linux', 'web'] },
  check: {
    name: 'disk',
    status: 2,
    output: 'full\n\u001B[31m90 %\u0007 $(reboot) `id` ; rm -rf /',
    note: null,
    empty: '',
  },
};

describe('the arguments of an own command', () => {
  test.each([
    ['a whole argument', '{{client.name}}', 'web-1'],
    ['parts of an argument', '{{client.name}}: {{check.name}}!', 'web-1: disk!'],
    ['a nested attribute', '{{client.labels.rack}}', 'r20'],
    ['blanks in a placeholder', '{{ client.name }}', 'web-1'],
    ['a number', '{{check.status}}', '2'],
    ['a list', '{{client.subscriptions}}', 'linux,web'],
    ['a default', '{{client.rack|no rack}}', 'no rack'],
    ['an empty default', '{{check.note|}}', ''],
    ['a default for an empty text', '{{check.empty|none}}', 'none'],
    ['a text without placeholders', 'a | b', 'a | b'],
    ['an attribute of the prototype', '{{client.constructor|none}}', 'none'],
  ])('%s is filled', (_rule, arg, expected) => {
    expect(fillWords(['program', arg], ATTRIBUTES)).toEqual({ words: ['program', expected] });
  });

  test('a value is one line without control characters, and a shell never parses it', () => {
    expect(fillWords(['program', '{{check.output}}'], ATTRIBUTES)).toEqual({
      words: ['program', String.raw`full 90 %\x07 $(reboot) ${'`id`'} ; rm -rf /`],
    });
  });

  test('a value is cut to 4,096 characters', () => {
    const filled = fillWords(['program', '{{check.output}}'], { check: { output: 'x'.repeat(10_000) } });
    expect(filled).toEqual({ words: ['program', 'x'.repeat(4096)] });
  });

  test('a value that would become an option is refused, unless -- precedes its argument', () => {
    expect(fillWords(['ssh', '{{client.address}}'], ATTRIBUTES)).toEqual({
      problem: '"-oProxyCommand=reboot" would be an option: put "--" before {{client.address}}',
    });
    expect(fillWords(['ssh', '--', '{{client.address}}'], ATTRIBUTES)).toEqual({
      words: ['ssh', '--', '-oProxyCommand=reboot'],
    });
    expect(fillWords(['ssh', '--host={{client.address}}'], ATTRIBUTES)).toEqual({
      words: ['ssh', '--host=-oProxyCommand=reboot'],
    });
  });

  test.each([
    ['{{client.rack}}', 'there is no client.rack'],
    ['{{check.note}}', 'there is no check.note'],
    ['{{client.labels}}', 'client.labels has attributes of its own: name one of them'],
  ])('the placeholder %s has no value', (arg, problem) => {
    expect(fillWords(['program', arg], ATTRIBUTES)).toEqual({ problem });
  });

  test('the placeholders of a text are found, and braces that are no placeholder are reported', () => {
    expect(findPlaceholders('{{client.name}} {{check.x|y}}')).toEqual([
      ['client', 'name'],
      ['check', 'x'],
    ]);
    expect(findPlaceholders('{ } | plain')).toEqual([]);
    for (const wrong of ['{{client}}', '{{}}', '{{client.name', 'client.name}}', '{{client..name}}', '{{$x.y}}']) {
      expect(findPlaceholders(wrong)).toBeUndefined();
    }
  });
});

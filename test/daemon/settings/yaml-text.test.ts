import fc from 'fast-check';
import { stringify } from 'yaml';
import { describe, expect, test } from 'vitest';
import { parseYamlText, YamlTextError } from '../../../daemon/settings/yaml-text.ts';
import { propertyRuns } from '../../support/property-runs.ts';

function refusal(text: string): string {
  try {
    parseYamlText(text);
  } catch (error) {
    if (error instanceof YamlTextError) return `${String(error.line)}:${String(error.column)} ${error.message}`;
    throw error;
  }
  return 'it was accepted';
}

test.each<{ name: string; text: string; value: unknown }>([
  { name: 'an empty text', text: '', value: null },
  {
    name: 'words that YAML 1.1 treats as booleans',
    text: 'a: yes\nb: on\nc: n',
    value: { a: 'yes', b: 'on', c: 'n' },
  },
  {
    name: 'a schedule, a time and a version are texts',
    text: 'a: 12:30:45\nb: 1.2.3',
    value: { a: '12:30:45', b: '1.2.3' },
  },
  { name: 'names that look like numbers', text: '1: {command: ps}', value: { '1': { command: 'ps' } } },
  { name: 'an alias', text: 'a: &x {n: 1}\nb: *x', value: { a: { n: 1 }, b: { n: 1 } } },
  { name: 'a merge key is a name like any other', text: '<<: {a: 1}', value: { '<<': { a: 1 } } },
  { name: 'a byte order mark', text: '\uFEFFa: 1', value: { a: 1 } },
  { name: 'JSON', text: '{"a": [1, null, true, "x"]}', value: { a: [1, null, true, 'x'] } },
])('YAML is parsed to the same value as JSON: $name', ({ text, value }) => {
  expect(parseYamlText(text)).toEqual(value);
});

describe('rejected YAML', () => {
  test.each([
    { text: 'a: !custom 1', message: '1:4 tags are not allowed: remove what begins with "!"' },
    { text: 'a: !!binary aGk=', message: '1:4 tags are not allowed: remove what begins with "!"' },
    { text: 'a:\n\tb: 1', message: '2:1 indent with spaces: remove the tab' },
    { text: '? [a, b]\n: 1', message: '1:3 a name must be a text: put it in double quotes' },
    { text: 'a: .nan', message: '1:4 this number is too large: put it in double quotes' },
    { text: 'a: 9007199254740993', message: '1:4 this number is too large: put it in double quotes' },
    { text: '{'.repeat(40), message: expect.stringContaining('1:') },
    { text: `${'[ '.repeat(40)}${'] '.repeat(40)}`, message: '1:1 nested deeper than 32 levels' },
  ])('the YAML text "$text" is rejected with its position and a remedy', ({ text, message }) => {
    expect(refusal(text)).toEqual(message);
  });
});

const deep = (inside: string): string => `${'['.repeat(10)}${inside}${']'.repeat(10)}`;

test('YAML aliases cannot exceed the depth limit', () => {
  const chain = [
    'a0: &a0 1',
    ...[1, 2, 3, 4].map((at) => `a${String(at)}: &a${String(at)} ${deep(`*a${String(at - 1)}`)}`),
  ];
  expect(refusal(chain.join('\n'))).toBe('1:1 nested deeper than 32 levels');
});

test('no YAML error repeats a value of the text, which may be an unquoted password', () => {
  const values = [
    '*',
    '&',
    '!',
    '%',
    '@',
    '`',
    '|',
    '> ',
    '"a" ',
    '"',
    '"\\U',
    "'",
    '[',
    ']',
    '{',
    '{a: b} ',
    ', ',
    ': ',
    '? ',
  ];
  for (const before of values) {
    for (const after of ['', ': x', ' y', '}}', '\n---']) {
      expect(refusal(`password: ${before}hunter2${after}`)).not.toContain('hunter2');
      expect(refusal(`${before}hunter2${after}`)).not.toContain('hunter2');
    }
  }
});

test('JSON values that are written as YAML are parsed to the same values', () => {
  const value = fc.dictionary(
    fc.stringMatching(/^[a-z]\w{0,8}$/).filter((name) => !['constructor', 'prototype'].includes(name)),
    fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.array(fc.string())),
  );
  fc.assert(
    fc.property(value, (settings) => {
      expect(parseYamlText(stringify(settings, { version: '1.2' }))).toEqual({ ...settings });
    }),
  );
});

test('any text is parsed as YAML or rejected with an error', () => {
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.constantFrom('a', ':', ' ', '\n', '-', '[', ']', '{', '}', '&', '*', '!', '"', '\t', '#', '|', '?'),
      }),
      (text) => {
        expect(typeof refusal(text)).toBe('string');
      },
    ),
    { numRuns: propertyRuns(500) },
  );
});

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonTextError, parseJsonFile, parseJsonText } from '../../../shared/domain/json-text.ts';
import { escapeRawControls, parseJsonWithRawControls } from '../../../shared/domain/raw-control-characters.ts';
import { cpuMs } from '../../support/cpu-ms.ts';
import { propertyRuns } from '../../support/property-runs.ts';

function problemOf(text: string): string {
  try {
    parseJsonText(text);
  } catch (error) {
    if (error instanceof JsonTextError) return `${String(error.line)}:${String(error.column)} ${error.message}`;
    throw error;
  }
  return 'none';
}

test.each<[text: string, problem: string]>([
  ['', '1:1 the text ends where a value is expected'],
  ['{\n  "a": 1,\n}', '2:9 remove the comma before "}"'],
  ['[1, 2,]', '1:6 remove the comma before "]"'],
  ['{"a": 1 "b": 2}', '1:9 expected "," or "}"'],
  ['{"a": [1 2]}', '1:10 expected "," or "]"'],
  ['{"a": 1', '1:8 expected "," or "}"'],
  ['{"a" 1}', '1:6 expected ":" after "a"'],
  ['{a: 1}', '1:2 expected a name in double quotes'],
  ["{'a': 1}", '1:2 expected a name in double quotes'],
  ['{"a": yes}', '1:7 this is not a value: put texts in double quotes'],
  ['{"a": 01}', '1:7 this is not a value: put texts in double quotes'],
  ['{"a": NaN}', '1:7 this is not a value: put texts in double quotes'],
  ['{"a": }', '1:7 expected a value'],
  ['{"a": "b\n}', '1:7 this string is not closed, or contains an invalid escape'],
  ['{"a": "\\x"}', '1:7 this string is not closed, or contains an invalid escape'],
  ['{"a": "\\\n"}', '1:7 this string is not closed, or contains an invalid escape'],
  ['{\n  // note\n}', '2:3 JSON has no comments: remove this one'],
  ['{} # note', '1:4 JSON has no comments: remove this one'],
  ['{} {}', '1:4 expected nothing more after the value'],
  ['{"a": 1,\n "a": 2}', '2:2 the name "a" is defined twice: remove one'],
  ['{"\\u0061": 1, "a": 2}', '1:15 the name "a" is defined twice: remove one'],
  ['{"__proto__": {}}', '1:2 the field name "__proto__" is not allowed'],
  ['{"a": {"constructor": {}}}', '1:8 the field name "constructor" is not allowed'],
  ['9007199254740993', '1:1 this number is too large: put it in double quotes'],
  ['1e999', '1:1 this number is too large: put it in double quotes'],
  ['['.repeat(100_000), '1:33 nested deeper than 32 levels'],
])('the JSON text %j is rejected with its position', (text, problem) => {
  expect(problemOf(text)).toBe(problem);
});

test('the JSON parser skips a byte order mark at the start of the text', () => {
  expect(parseJsonText('\uFEFF{"a": 1}')).toEqual({ a: 1 });
});

test('JSON texts may contain raw control characters', () => {
  const text = '{"output": "one\ttwo\nthree\u0001\\n"}';
  expect(parseJsonText(text)).toEqual({ output: 'one\ttwo\nthree\u0001\n' });
  expect(parseJsonWithRawControls(text)).toEqual({ output: 'one\ttwo\nthree\u0001\n' });
  expect(() => parseJsonWithRawControls('{"output": "a\n')).toThrow(SyntaxError);
});

const unescape = (json: string): string =>
  json.replaceAll(/\\(?:u00[01][0-9a-f]|[bfnrt])/g, (escape) => String(JSON.parse(`"${escape}"`)));

test('a JSON text has the same value whether its control characters are escaped or not', () => {
  const texts = fc
    .array(fc.constantFrom('a', '"', '\n', '\t', '\u0000', '\u001f', 'é', '/'))
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(texts, (text) => {
      expect(parseJsonWithRawControls(unescape(JSON.stringify({ text })))).toEqual({ text });
    }),
  );
});

test.each<[text: string, value: unknown, remarks: string[]]>([
  ['', undefined, []],
  [' \n\t', undefined, []],
  ['// nothing yet\n', undefined, []],
  ['{\n  // disks\n  "a": 1, /* and\n more **/ "b": [ /* none */ ] // end\n}', { a: 1, b: [] }, []],
  ['{"a": "// no comment /* at all */"}', { a: '// no comment /* at all */' }, []],
  ['{"a": "x\ty\n"}', { a: 'x\ty\n' }, []],
  [
    '{"a": NaN,\n "b": -Infinity}',
    { a: null, b: null },
    [
      '1:7 this is not a number in JSON: null is used instead; write a number, or remove it',
      '2:7 this is not a number in JSON: null is used instead; write a number, or remove it',
    ],
  ],
  [
    '{"a": 9007199254740993}',
    { a: 9_007_199_254_740_992 },
    ['1:7 this number is too large: the nearest that can be kept is used instead; put it in double quotes'],
  ],
  ['[1e999]', [null], ['1:2 this number is too large: null is used instead; put it in double quotes']],
])('a JSON file may contain %j', (text, value, remarks) => {
  const read = parseJsonFile(text);
  expect(read.value).toEqual(value);
  expect(read.remarks.map(({ line, column, message }) => `${String(line)}:${String(column)} ${message}`)).toEqual(
    remarks,
  );
});

test.each<[text: string, problem: RegExp]>([
  ['{} # note', /a comment begins with \/\/ or \/\*/],
  ['{ /* open }', /this comment is not closed/],
  ['{} / x', /a comment begins with/],
  ['{"a": 1,}', /remove the comma/],
])('a JSON file may not contain %j', (text, problem) => {
  expect(() => parseJsonFile(text)).toThrow(problem);
});

test('the JSON parser parses what JSON.stringify writes', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(0, 2), (value, indent) => {
      const text = JSON.stringify(value, undefined, indent);
      fc.pre(!/"(?:__proto__|constructor|prototype)":/.test(text));
      fc.pre(problemOf(text) === 'none' || !/number is too large/.test(problemOf(text)));
      expect(parseJsonText(text)).toEqual(JSON.parse(text));
    }),
  );
});

test('no JSON error message repeats a value, since the value may be an unquoted password', () => {
  for (const value of [
    'hunter2',
    '*hunter2',
    "'hunter2'",
    '"hunter2',
    '12hunter2',
    '{hunter2',
    '[hunter2',
    '"a" hunter2',
  ]) {
    expect(problemOf(`{"password": ${value}}`)).not.toContain('hunter2');
    expect(problemOf(`{"password": ${value}`)).not.toContain('hunter2');
  }
});

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

test('the JSON parser accepts nothing that JSON.parse rejects except raw control characters', () => {
  const pieces = fc.constantFrom('{', '}', '[', ']', ':', ',', '"', '"a"', '\\', '1', '-', '.', 'e', 'true', ' ', '\n');
  const texts = fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join(''));
  const wronglyAccepted = fc.property(texts, (text) => problemOf(text) !== 'none' || isJson(escapeRawControls(text)));
  expect(fc.check(wronglyAccepted, { numRuns: propertyRuns(2000) })).toMatchObject({ failed: false });
});

test('a megabyte of hostile JSON is rejected at once', () => {
  const begin = cpuMs();
  for (const text of [
    `"${'\\u'.repeat(500_000)}`,
    `"${'a'.repeat(1_000_000)}`,
    '-'.repeat(1_000_000),
    `"${'\\"'.repeat(500_000)}`,
  ]) {
    expect(problemOf(text)).not.toBe('none');
    expect(() => parseJsonWithRawControls(`${text}\n`)).toThrow(SyntaxError);
    expect(() => parseJsonFile(`${'/**/'.repeat(250_000)}${text}`)).toThrow(JsonTextError);
  }
  expect(cpuMs() - begin).toBeLessThan(1000);
});

test('a lone surrogate in a text or a name becomes U+FFFD', () => {
  const text = String.raw`{"a\ud800": ["x\udfffy", "\ud83d\ude00"]}`;
  expect(parseJsonText(text)).toEqual({ 'a\uFFFD': ['x\uFFFDy', '😀'] });
});

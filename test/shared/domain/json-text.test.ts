import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonTextError, parseJsonText } from '../../../shared/domain/json-text.ts';

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
  ['{"a": "b\n"}', '1:7 this string is not closed on its line, or holds a bad escape'],
  ['{"a": "\\x"}', '1:7 this string is not closed on its line, or holds a bad escape'],
  ['{\n  // note\n}', '2:3 JSON has no comments: remove this one'],
  ['{} # note', '1:4 JSON has no comments: remove this one'],
  ['{} {}', '1:4 expected nothing more after the value'],
  ['{"a": 1,\n "a": 2}', '2:2 the name "a" stands here twice: remove one'],
  ['{"\\u0061": 1, "a": 2}', '1:15 the name "a" stands here twice: remove one'],
  ['{"__proto__": {}}', '1:2 the name "__proto__" is not allowed'],
  ['{"a": {"constructor": {}}}', '1:8 the name "constructor" is not allowed'],
  ['9007199254740993', '1:1 this number is too large: put it in double quotes'],
  ['1e999', '1:1 this number is too large: put it in double quotes'],
  ['['.repeat(100_000), '1:33 nested deeper than 32 levels'],
])('%j is refused with its place', (text, problem) => {
  expect(problemOf(text)).toBe(problem);
});

test('a byte order mark at the start is skipped', () => {
  expect(parseJsonText('\uFEFF{"a": 1}')).toEqual({ a: 1 });
});

test('reads what JSON.stringify writes', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(0, 2), (value, indent) => {
      const text = JSON.stringify(value, undefined, indent);
      fc.pre(!/"(?:__proto__|constructor|prototype)":/.test(text));
      fc.pre(problemOf(text) === 'none' || !/number is too large/.test(problemOf(text)));
      expect(parseJsonText(text)).toEqual(JSON.parse(text));
    }),
  );
});

test('no problem repeats a value, which may be a password without its quotes', () => {
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

test('accepts nothing that JSON.parse refuses', () => {
  const pieces = fc.constantFrom('{', '}', '[', ']', ':', ',', '"', '"a"', '\\', '1', '-', '.', 'e', 'true', ' ', '\n');
  const texts = fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join(''));
  const wronglyAccepted = fc.property(texts, (text) => problemOf(text) !== 'none' || isJson(text));
  expect(fc.check(wronglyAccepted, { numRuns: 2000 })).toMatchObject({ failed: false });
});

test('a megabyte of hostile text is refused at once', () => {
  const begin = performance.now();
  for (const text of [`"${'\\u'.repeat(500_000)}`, `"${'a'.repeat(1_000_000)}`, '-'.repeat(1_000_000)]) {
    expect(problemOf(text)).not.toBe('none');
  }
  expect(performance.now() - begin).toBeLessThan(1000);
});

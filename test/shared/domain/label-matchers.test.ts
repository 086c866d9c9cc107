import { describe, expect, test } from 'vitest';
import { labelFilter, parseMatcher, type LabelMatcher } from '../../../shared/domain/label-matchers.ts';

describe('a label matcher', () => {
  test.each([
    ['alertname=Down', 'alertname', 'Down', false, true],
    ['alertname="Down"', 'alertname', 'Down', false, true],
    [' job != "a \\"b\\"\\n" ', 'job', 'a "b"\n', false, false],
    ['job=~node.*', 'job', 'node.*', true, true],
    ['job!~"a|b"', 'job', 'a|b', true, false],
    ['job=', 'job', '', false, true],
    ['"service.name"="shop"', 'service.name', 'shop', false, true],
    ['service.name=shop', 'service.name', 'shop', false, true],
    ['区域=上海', '区域', '上海', false, true],
    [String.raw`job=~"web-\\d+\.x"`, 'job', String.raw`web-\d+\.x`, true, true],
    [String.raw`job=~web-\d+`, 'job', String.raw`web-\d+`, true, true],
  ])('the label matcher %s is parsed', (text, name, value, isRegex, isEqual) => {
    expect(parseMatcher(text)).toEqual({ name, value, isRegex, isEqual });
  });

  test.each(['', 'alertname', '="x"', '{job="a"}'])('the label matcher %j is rejected', (text) => {
    expect(parseMatcher(text)).toEqual({ problem: expect.stringContaining('must look like') });
  });

  test('a label matcher requires a closing quote', () => {
    expect(parseMatcher('a="b')).toEqual({ problem: 'the value of a has no closing quote' });
  });
});

test.each([
  ['job=node', true],
  ['job!=node', false],
  ['job=~no', false],
  ['job=~no.*|x', true],
  ['job!~no.*', false],
  ['other=', true],
  ['other!=', false],
  ['toString=', true],
])('the label matcher %s matches job=node: %s', (text, holds) => {
  const filter = labelFilter([parseMatcher(text) as LabelMatcher]);
  expect(typeof filter === 'function' ? filter({ job: 'node' }) : filter).toBe(holds);
});

test('an invalid pattern of a label matcher is reported with its reason', () => {
  expect(labelFilter([{ name: 'job', value: '(', isRegex: true, isEqual: true }])).toEqual({
    problem: expect.stringContaining('the pattern of job'),
  });
});

const matches = (source: string, value: string): boolean | string => {
  const filter = labelFilter([{ name: 'x', value: source, isRegex: true, isEqual: true }]);
  return typeof filter === 'function' ? filter({ x: value }) : filter.problem;
};

// Results of Go's regexp for `^(?:PATTERN)$`.
test.each([
  ['q-[0-9]+', 'q-12', true],
  ['q-[0-9]+', 'xq-12', false],
  ['^Q$', 'Q', true],
  ['^(?:a|b)$', 'b', true],
  ['a|b$|^c', 'c', true],
  ['b', 'a\nb', false],
  ['.*', 'a\nb', false],
  ['(?s).*', 'a\nb', true],
  ['(?m)^a$\n^b$', 'a\nb', true],
  ['(?i)web.*', 'WEB-1', true],
  ['(?i:w)eb', 'Web', true],
  ['(?i:w)eb', 'WEB', false],
  ['a(?i)b|c', 'aB', true],
  ['(?i)ς', 'σ', true],
  ['(?i)[^a]', 'A', false],
  ['[^a]', '\n', true],
  ['[]a-]+', ']a-', true],
  ['[[:alpha:]]+[[:^digit:]]', 'abx', true],
  [String.raw`[\d\-x]+`, '1-x', true],
  [String.raw`\pL+\p{Greek}\P{Lu}`, '磁盘αβ', true],
  [String.raw`\Qa.b\E+`, 'a.bb', true],
  [String.raw`\x41\x{1F600}\07`, 'A😀\u0007', true],
  [String.raw`\s`, '\v', false],
  ['(?P<name>a|b)+?', 'abab', true],
  ['a{2,3}', 'aaa', true],
  ['a{2,3}', 'aaaa', false],
  ['a{2,}', 'a', false],
  ['a{,2}', 'a{,2}', true],
  ['a|', '', true],
  ['()', '', true],
  ['(a|b)*c|d?', 'ababc', true],
  [String.raw`10\.0\.0\.(1|2):91\d{2}`, '10.0.0.2:9100', true],
])('the label pattern %j matches %j: %s', (source, value, expected) => {
  expect(matches(source, value)).toBe(expected);
});

test.each([
  ['(?=a)', 'has a group that RE2 does not support, such as a look-ahead'],
  ['(?<!a)b', 'has a group that RE2 does not support, such as a look-ahead'],
  [String.raw`(a)\1`, String.raw`has \1, which RE2 does not know`],
  [String.raw`a\Z`, String.raw`has \Z, which RE2 does not know`],
  [String.raw`\p{Klingon}`, 'uses an unknown class of characters'],
  ['a**', 'repeats a repetition'],
  ['a{2}{3}', 'repeats a repetition'],
  ['*', 'has nothing before "*"'],
  ['a|+b', 'has nothing before "+"'],
  ['[z-a]', 'ends before it begins'],
  ['a{3,2}', 'ends before it begins'],
  ['[a', 'is not closed'],
  ['(a', 'is not closed'],
  ['a)', 'closes nothing'],
  ['[[:wrong:]]', 'which RE2 does not know'],
  ['a\\', 'ends too early'],
  ['a{1001}', 'repeats more than 1000 times'],
  ['((a{9}){9}){9}', 'is too large'],
  ['('.repeat(101) + ')'.repeat(101), 'has more than 100 levels'],
  ['a'.repeat(4097), 'is longer than 4096 characters'],
])('the label pattern %j is rejected', (source, problem) => {
  expect(matches(source, 'a')).toContain(problem);
});

test('a label pattern that is a long list of alternatives has a small cost', () => {
  const names = Array.from({ length: 300 }, (_, at) => `web-${String(at)}`);
  expect(matches(`(${names.join('|')}|db-.*)`, 'web-299')).toBe(true);
  expect(matches(`(${names.join('|')}|db-.*)`, 'db-1')).toBe(true);
  expect(matches(`(${names.join('|')}|db-.*)`, 'web-300')).toBe(false);
});

test('matchers of one silence are rejected if their patterns together are too large', () => {
  const large = { name: 'x', value: '.{240}', isRegex: true, isEqual: true };
  expect(labelFilter([large])).toBeTypeOf('function');
  expect(labelFilter([large, large, large, large])).toEqual({
    problem: 'together, the patterns are too large: split them into several silences',
  });
});

test('every pattern of a label matcher is evaluated in bounded time for any value', () => {
  const value = Array.from({ length: 4096 }, (_, at) => ((at * at) % 7 < 3 ? 'a' : 'b')).join('');
  for (const source of ['(a|b)*a(a|b){90}', '(a*)*b{9}c', '(a|aa)+$', '(.*a){60}z', '(x+x+)+y']) {
    const start = performance.now();
    expect(matches(source, value)).toBeTypeOf('boolean');
    expect(performance.now() - start).toBeLessThan(1000);
  }
});

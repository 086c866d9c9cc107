import { describe, expect, test } from 'vitest';
import { labelFilter, parseMatcher, type LabelMatcher } from '../../../shared/domain/label-matchers.ts';

describe('a matcher', () => {
  test.each([
    ['alertname=Down', 'alertname', 'Down', false, true],
    ['alertname="Down"', 'alertname', 'Down', false, true],
    [' job != "a \\"b\\"\\n" ', 'job', 'a "b"\n', false, false],
    ['job=~node.*', 'job', 'node.*', true, true],
    ['job!~"a|b"', 'job', 'a|b', true, false],
    ['job=', 'job', '', false, true],
  ])('%s is read', (text, name, value, isRegex, isEqual) => {
    expect(parseMatcher(text)).toEqual({ name, value, isRegex, isEqual });
  });

  test.each(['', 'alertname', '="x"', '{job="a"}'])('%j is refused', (text) => {
    expect(parseMatcher(text)).toEqual({ problem: expect.stringContaining('must be like') });
  });

  test('has its quotes closed', () => {
    expect(parseMatcher('a="b')).toEqual({ problem: 'the value of a does not end with the quote it begins with' });
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
])('%s holds for job=node: %s', (text, holds) => {
  const filter = labelFilter([parseMatcher(text) as LabelMatcher]);
  expect(typeof filter === 'function' ? filter({ job: 'node' }) : filter).toBe(holds);
});

test('a pattern that cannot be read is told', () => {
  expect(labelFilter([{ name: 'job', value: '(', isRegex: true, isEqual: true }])).toEqual({
    problem: expect.stringContaining('the pattern of job'),
  });
});

import { describe, expect, test } from 'vitest';
import type { LabelSubject } from '../../../shared/domain/alert-labels.ts';
import {
  matchersText,
  parseMatchers,
  parseMatcherSelector,
  requiredValues,
  type MatcherSelector,
} from '../../../shared/domain/matcher-selector.ts';

function selectorOf(text: string): MatcherSelector {
  const selector = parseMatcherSelector(text);
  if (selector.kind !== 'selector') throw new Error(selector.message);
  return selector;
}

/** An event of a check with these labels on a client with two subscriptions. */
function subjectOf(labels: Readonly<Record<string, string>> = {}): LabelSubject {
  return {
    client: 'web-1',
    check: 'disk',
    subscriptions: ['web', 'linux'],
    status: 2,
    attribute: (_owner, name) => {
      if (name === '{}') return Object.keys(labels);
      const label = name.slice(1, -1);
      return Object.hasOwn(labels, label) ? [labels[label] ?? ''] : [];
    },
  };
}

describe('an invalid matcher set', () => {
  test.each([
    ['longer than it may be', `{a="${'x'.repeat(16_384)}"}`, 'the matchers are longer than 16384 characters'],
    ['of more matchers than it may have', `{${'a="b",'.repeat(100)}a="b"}`, 'more than 100 matchers'],
    ['that matches the empty value', '{a!="b",c=~".*"}', 'at least one matcher must not match the empty value'],
    ['with text behind its end', '{a="b"} or {c="d"}', 'expected nothing after the closing brace'],
    ['without its end', '{a="b"', 'expected a matcher like alertname="Down"'],
    ['with an escape that JSON does not know', String.raw`{a="\d"}`, 'expected a matcher like alertname="Down"'],
    ['with a label that has no name', '{""="b"}', 'expected a matcher like alertname="Down"'],
  ])('a matcher set %s is rejected', (_what, text, message) => {
    expect(parseMatcherSelector(text)).toMatchObject({ kind: 'problem', message: expect.stringContaining(message) });
  });
});

test('a set of a hundred matchers is parsed and written back unchanged', () => {
  const matchers = parseMatchers(`{${'a="b",'.repeat(99)}"c d"!~"e|f"}`);
  if ('kind' in matchers) throw new Error(matchers.message);
  expect(matchers).toHaveLength(100);
  expect(parseMatchers(matchersText(matchers))).toEqual(matchers);
});

describe('a label with several values', () => {
  test.each([
    ['{subscription="web"}', true],
    ['{subscription="none"}', false],
    ['{alertname="disk",subscription!="none"}', true],
    ['{alertname="disk",subscription!="web"}', false],
    ['{subscription=~"lin.*"}', true],
    ['{alertname="disk",subscription!~"lin.*"}', false],
  ])('the matcher set %s covers the event: %s', (text, covers) => {
    expect(selectorOf(text).matches(subjectOf())).toBe(covers);
  });
});

test('a label that an event does not have is empty, even if it is named like an inherited member', () => {
  expect(selectorOf('{alertname="disk",toString=""}').matches(subjectOf())).toBe(true);
  expect(selectorOf('{alertname="disk",constructor!=""}').matches(subjectOf())).toBe(false);
});

test('an event is indexed only by the values that a matcher set requires', () => {
  const text = '{a="b",c="",d!="e",f=~"g",h!~"i"}';
  expect(requiredValues(selectorOf(text)).map(({ name }) => name)).toEqual(['a']);
});

test('the cost of a matcher set counts its patterns, unless a required value excludes most events', () => {
  const pattern = `job=~"${'x.'.repeat(50)}"`;
  expect(selectorOf(`{${pattern}}`).cost).toBe(5 + 50);
  expect(selectorOf(`{${pattern},alertname!="Down"}`).cost).toBe(5 + 50 + 1);
  expect(selectorOf(`{${pattern},alertname="Down"}`).cost).toBe(2);
});

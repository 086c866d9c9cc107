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

/** Returns the event of a check with these labels, on a client with two subscriptions. */
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
    ['that is too long', `{a="${'x'.repeat(16_384)}"}`, 'the matchers are longer than 16384 characters'],
    ['with too many matchers', `{${'a="b",'.repeat(100)}a="b"}`, 'more than 100 matchers'],
    ['that matches the empty value', '{a!="b",c=~".*"}', 'at least one matcher must not match the empty value'],
    ['with text after its closing brace', '{a="b"} or {c="d"}', 'expected nothing after the closing brace'],
    ['without its closing brace', '{a="b"', 'expected a matcher like alertname="Down"'],
    ['with an escape that JSON does not know', String.raw`{a="\d"}`, 'expected a matcher like alertname="Down"'],
    ['with a label that has no name', '{""="b"}', 'expected a matcher like alertname="Down"'],
  ])('a set of label matchers %s is rejected', (_what, text, message) => {
    expect(parseMatcherSelector(text)).toMatchObject({ kind: 'problem', message: expect.stringContaining(message) });
  });
});

test('a matcher set with a hundred matchers is parsed and written back unchanged', () => {
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
  ])('the set of label matchers %s covers the event: %s', (text, covers) => {
    expect(selectorOf(text).matches(subjectOf())).toBe(covers);
  });
});

test('a label that an event does not have is empty, even if JavaScript objects inherit a member of that name', () => {
  expect(selectorOf('{alertname="disk",toString=""}').matches(subjectOf())).toBe(true);
  expect(selectorOf('{alertname="disk",constructor!=""}').matches(subjectOf())).toBe(false);
});

test('a matcher set is indexed only by the label values that it requires', () => {
  const text = '{a="b",c="",d!="e",f=~"g",h!~"i"}';
  expect(requiredValues(selectorOf(text)).map(({ name }) => name)).toEqual(['a']);
});

test('the cost of a set of label matchers counts its patterns unless a required value excludes most events', () => {
  const pattern = `job=~"${'x.'.repeat(50)}"`;
  expect(selectorOf(`{${pattern}}`).cost).toBe(5 + 50);
  expect(selectorOf(`{${pattern},alertname!="Down"}`).cost).toBe(5 + 50 + 1);
  expect(selectorOf(`{${pattern},alertname="Down"}`).cost).toBe(2);
});

import { describe, expect, test } from 'vitest';
import {
  findInhibitorByRules,
  isInhibitor,
  parseInhibitionRule,
  type InhibitionRule,
} from '../../../../shared/domain/notify/inhibition-rule.ts';
import type { InhibitionDefinition } from '../../../../shared/schemas/inhibition.ts';
import { anEvent } from '../../../support/a-job.ts';

function ruleOf(definition: Partial<InhibitionDefinition>): InhibitionRule {
  const rule = parseInhibitionRule('r', { source: 'check=switch', target: 'check!=switch', equal: [], ...definition });
  if (!('source' in rule)) throw new Error(rule.map(({ message }) => message).join());
  return rule;
}

const disk = anEvent({ client: { name: 'web-1', rack: 'a' }, check: { name: 'disk', status: 2 } });

describe('what a rule finds', () => {
  test.each<{ name: string; source: string; found: boolean }>([
    { name: 'a check', source: 'check=disk', found: true },
    { name: 'a status', source: 'check=disk status=crit', found: true },
    { name: 'another status', source: 'check=disk status=warn', found: false },
    { name: 'an attribute', source: 'rack=a', found: true },
    { name: 'a pattern', source: 'client~web-*', found: true },
    { name: 'how often it occurred', source: 'check=disk occurrences>=3', found: false },
  ])('$name', ({ source, found }) => {
    expect(isInhibitor(ruleOf({ source }), 'default', disk)).toBe(found);
  });

  test('no end of a problem keeps anything quiet', () => {
    expect(isInhibitor(ruleOf({ source: 'check=disk' }), 'default', { ...disk, action: 'resolve' })).toBe(false);
  });

  test('an invalid search of a rule is a problem of its attribute', () => {
    const problems = parseInhibitionRule('r', { source: 'output~x', target: 'status=', equal: [] });
    expect('source' in problems ? [] : problems.map(({ attribute }) => attribute)).toEqual(['source', 'target']);
  });
});

test('an inhibitor is looked up by the attributes in common, and is another event than the inhibited one', () => {
  const asked: unknown[] = [];
  const index = {
    find: (rule: InhibitionRule, key: string, other: object) => {
      asked.push([rule.name, key, other]);
      return { client: 'sw', check: 'switch' };
    },
  };
  const rules = [ruleOf({ target: 'check=cpu' }), ruleOf({ source: 'check=disk' }), ruleOf({ equal: ['client.rack'] })];
  expect(findInhibitorByRules(rules, index, 'default', disk)).toMatchObject({
    rule: 'r',
    client: 'sw',
    check: 'switch',
  });
  expect(asked).toEqual([['r', '[["client.rack","a"]]', { client: 'web-1', check: 'disk' }]]);
});

test('the fingerprint of a rule stays the one that stored events refer to', () => {
  const rule = ruleOf({ source: 'check=disk status=crit', target: 'check!=disk', equal: ['client.rack'] });
  expect(rule.fingerprint).toBe('dbc33719dcc656a4');
});

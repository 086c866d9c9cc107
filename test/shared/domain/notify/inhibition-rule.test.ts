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

describe('the source search of an inhibition rule', () => {
  test.each<{ name: string; source: string; isMatch: boolean }>([
    { name: 'the check', source: 'check=disk', isMatch: true },
    { name: 'the status', source: 'check=disk status=crit', isMatch: true },
    { name: 'a different status', source: 'check=disk status=warn', isMatch: false },
    { name: 'an attribute of the client', source: 'rack=a', isMatch: true },
    { name: 'a pattern of the client name', source: 'client~web-*', isMatch: true },
    { name: 'the occurrences', source: 'check=disk occurrences>=3', isMatch: false },
  ])(
    'the source search of an inhibition rule decides by $name whether an event inhibits others',
    ({ source, isMatch }) => {
      expect(isInhibitor(ruleOf({ source }), 'default', disk)).toBe(isMatch);
    },
  );

  test('a resolved event inhibits no other event', () => {
    expect(isInhibitor(ruleOf({ source: 'check=disk' }), 'default', { ...disk, action: 'resolve' })).toBe(false);
  });

  test('an invalid search of an inhibition rule is reported for the attribute source or target', () => {
    const problems = parseInhibitionRule('r', { source: 'output~x', target: 'status=', equal: [] });
    expect('source' in problems ? [] : problems.map(({ attribute }) => attribute)).toEqual(['source', 'target']);
  });
});

test('the inhibitor is looked up by the attributes that both events share, and is never the inhibited event itself', () => {
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

test('the fingerprint of an inhibition rule does not change between versions, since stored events refer to it', () => {
  const rule = ruleOf({ source: 'check=disk status=crit', target: 'check!=disk', equal: ['client.rack'] });
  expect(rule.fingerprint).toBe('dbc33719dcc656a4');
});

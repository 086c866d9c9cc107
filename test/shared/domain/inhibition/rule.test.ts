import { describe, expect, test } from 'vitest';
import {
  inhibitorOf,
  isInhibitor,
  parseInhibition,
  type InhibitionRule,
} from '../../../../shared/domain/inhibition/rule.ts';
import type { InhibitionDefinition } from '../../../../shared/schemas/inhibition.ts';
import { anEvent } from '../../../support/a-job.ts';

function ruleOf(definition: Partial<InhibitionDefinition>): InhibitionRule {
  const rule = parseInhibition('r', { when: 'check=switch', quiet: 'check!=switch', equal: [], ...definition });
  if (!('when' in rule)) throw new Error(rule.map(({ message }) => message).join());
  return rule;
}

const disk = anEvent({ client: { name: 'web-1', rack: 'a' }, check: { name: 'disk', status: 2 } });

describe('the events that an inhibition rule matches', () => {
  test.each<{ name: string; when: string; found: boolean }>([
    { name: 'a check', when: 'check=disk', found: true },
    { name: 'a status', when: 'check=disk status=crit', found: true },
    { name: 'another status', when: 'check=disk status=warn', found: false },
    { name: 'an attribute', when: 'rack=a', found: true },
    { name: 'a pattern', when: 'client~web-*', found: true },
    { name: 'how often it occurred', when: 'check=disk occurrences>=3', found: false },
  ])('an inhibition rule matches by $name', ({ when, found }) => {
    expect(isInhibitor(ruleOf({ when }), 'default', disk)).toBe(found);
  });

  test('the resolution of a problem inhibits nothing', () => {
    expect(isInhibitor(ruleOf({ when: 'check=disk' }), 'default', { ...disk, action: 'resolve' })).toBe(false);
  });

  test('an inhibition rule that cannot be parsed is a problem of its attribute', () => {
    const problems = parseInhibition('r', { when: 'output~x', quiet: 'status=', equal: [] });
    expect('when' in problems ? [] : problems.map(({ attribute }) => attribute)).toEqual(['when', 'quiet']);
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
  const rules = [ruleOf({ quiet: 'check=cpu' }), ruleOf({ when: 'check=disk' }), ruleOf({ equal: ['client.rack'] })];
  expect(inhibitorOf(rules, index, 'default', disk)).toMatchObject({
    inhibitor: { rule: 'r', client: 'sw', check: 'switch' },
  });
  expect(asked).toEqual([['r', '[["client.rack","a"]]', { client: 'web-1', check: 'disk' }]]);
});

import { describe, expect, test } from 'vitest';
import { requiredOkPercent, ruleVerdict, type RuleCounts } from '../../../shared/domain/aggregate-rule.ts';
import { aggregateRuleSchema } from '../../../shared/schemas/aggregate-rule.ts';

type Rule = Parameters<typeof ruleVerdict>[0];

const counts = (overrides: Partial<RuleCounts>): RuleCounts => ({
  fresh: 10,
  notOk: 0,
  stale: 0,
  ignored: 0,
  ...overrides,
});

describe('a rule of an aggregate (spec, aggregates 1)', () => {
  test.each<{ name: string; rule: Rule; overrides: Partial<RuleCounts>; status: number; output: string }>([
    {
      name: 'OK below its thresholds',
      rule: { warning: '20%', critical: '50%' },
      overrides: { notOk: 1 },
      status: 0,
      output: '1 of 10 (10 %) not OK (warning from 20%, critical from 50%)',
    },
    {
      name: 'a warning at a percentage threshold',
      rule: { warning: '20%', critical: '50%' },
      overrides: { notOk: 2 },
      status: 1,
      output: '2 of 10 (20 %) not OK (warning from 20%, critical from 50%)',
    },
    {
      name: 'the more severe status when two thresholds are reached',
      rule: { warning: 2, critical: '50%' },
      overrides: { notOk: 5 },
      status: 2,
      output: '5 of 10 (50 %) not OK (warning from 2, critical from 50%)',
    },
    {
      name: 'critical at a threshold that is a number, whatever the number of results is',
      rule: { critical: 3 },
      overrides: { fresh: 1000, notOk: 3 },
      status: 2,
      output: '3 of 1000 (0 %) not OK (critical from 3)',
    },
    {
      name: 'a warning at a percentage of stale results',
      rule: { stale: { after: 300, warning: '10%' } },
      overrides: { fresh: 8, stale: 2 },
      status: 1,
      output: '0 of 8 (0 %) not OK; 2 of 10 (20 %) stale (warning from 10%)',
    },
    {
      name: 'unknown when there are fewer results than min-results',
      rule: { warning: '20%', 'min-results': 3 },
      overrides: { fresh: 2, notOk: 2, ignored: 1 },
      status: 3,
      output: '2 results, at least 3 needed; 1 silenced ignored',
    },
    {
      name: 'OK when there are no results',
      rule: { warning: '20%' },
      overrides: { fresh: 0 },
      status: 0,
      output: '0 of 0 not OK (warning from 20%)',
    },
    {
      name: 'OK with a threshold of 0 % while every result is OK',
      rule: { warning: '0%' },
      overrides: { notOk: 0 },
      status: 0,
      output: '0 of 10 (0 %) not OK (warning from 0%)',
    },
  ])('an aggregate rule yields $name', ({ rule, overrides, status, output }) => {
    expect(ruleVerdict(rule, counts(overrides))).toEqual({ status, output });
  });

  test.each<[Rule, number | undefined]>([
    [{ warning: '20%', critical: '50%' }, 80],
    [{ critical: '50%' }, 50],
    [{ warning: 3 }, 80],
    [{ critical: 20 }, 0],
    [{ stale: { after: 60, warning: 1 } }, undefined],
  ])('the aggregate rule %j requires %j percent of ten results to be OK', (rule, percent) => {
    expect(requiredOkPercent(rule, 10)).toBe(percent);
  });
});

test.each([
  [{}, false],
  [{ warning: '20%' }, true],
  [{ warning: '120%' }, false],
  [{ warning: 0 }, false],
  [{ 'min-results': 2 }, true],
  [{ stale: { after: 60, critical: '12.5%' } }, true],
  [{ critical: 2, wrong: true }, false],
])('the validity of the aggregate rule %j is %j', (rule, isOne) => {
  expect(aggregateRuleSchema.safeParse(rule).success).toBe(isOne);
});

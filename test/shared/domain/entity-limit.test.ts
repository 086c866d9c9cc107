import { expect, test } from 'vitest';
import { entityWarning, isBeyondLimit, isNearLimit } from '../../../shared/domain/entity-limit.ts';
import type { EntityLimitSetting } from '../../../shared/schemas/entity-usage.ts';

test.each<{ name: string; total: number; limit: EntityLimitSetting; isBeyond: boolean }>([
  { name: 'a new entity is accepted below the limit', total: 99, limit: 100, isBeyond: false },
  { name: 'a new entity is rejected at the limit', total: 100, limit: 100, isBeyond: true },
  { name: 'a new entity is rejected above the limit, as after an upgrade', total: 250, limit: 100, isBeyond: true },
  { name: 'every entity is rejected with a limit of 0', total: 0, limit: 0, isBeyond: true },
  { name: 'no entity is rejected with the limit unlimited', total: 1_000_000, limit: 'unlimited', isBeyond: false },
])('the entity limit decides whether a new entity is rejected: $name', ({ total, limit, isBeyond }) => {
  expect(isBeyondLimit({ total, proxies: 0, limit })).toBe(isBeyond);
});

test.each<{ name: string; limit: EntityLimitSetting; from: number | undefined }>([
  { name: 'from 90.3 % of a limit of 100 on', limit: 100, from: 91 },
  { name: 'from 93 % of a limit of 1000 on', limit: 1000, from: 930 },
  { name: 'only at a large limit itself', limit: 5000, from: 5000 },
  { name: 'never without a limit', limit: 'unlimited', from: undefined },
])('the entity warning of API responses is shown $name', ({ limit, from = 1_000_000 }) => {
  const isWarned = (total: number): boolean => entityWarning({ total, proxies: 0, limit }) !== undefined;
  expect(isWarned(from - 1)).toBe(false);
  expect(isWarned(from)).toBe(limit !== 'unlimited');
});

test.each<{ name: string; limit: EntityLimitSetting; from: number | undefined }>([
  { name: 'from 80 % of a limit of 100 on', limit: 100, from: 80 },
  { name: 'from 80 % of a large limit on', limit: 5000, from: 4000 },
  { name: 'never without a limit', limit: 'unlimited', from: undefined },
])('the backend condition warns of the entity limit $name', ({ limit, from = 1_000_000 }) => {
  expect(isNearLimit({ total: from - 1, proxies: 0, limit })).toBe(false);
  expect(isNearLimit({ total: from, proxies: 0, limit })).toBe(limit !== 'unlimited');
});

test('the entity warning counts agents and proxy clients', () => {
  expect(entityWarning({ total: 95, proxies: 15, limit: 100 })).toBe(
    'You are currently using 95/100 total entities, 80/100 agent entities, and 15/100 proxy entities',
  );
});

import { expect, test } from 'vitest';
import { entityWarning, isBeyondLimit, isNearLimit } from '../../../shared/domain/entity-limit.ts';
import type { EntityLimitSetting } from '../../../shared/schemas/entity-usage.ts';

test.each<{ name: string; total: number; limit: EntityLimitSetting; isBeyond: boolean }>([
  { name: 'below the limit there is place', total: 99, limit: 100, isBeyond: false },
  { name: 'at the limit there is none for another', total: 100, limit: 100, isBeyond: true },
  { name: 'above it neither, as after an upgrade', total: 250, limit: 100, isBeyond: true },
  { name: 'a limit of 0 lets nobody in', total: 0, limit: 0, isBeyond: true },
  { name: 'unlimited is never reached', total: 1_000_000, limit: 'unlimited', isBeyond: false },
])('the entity limit is compared: $name', ({ total, limit, isBeyond }) => {
  expect(isBeyondLimit({ total, proxies: 0, limit })).toBe(isBeyond);
});

test.each<{ name: string; limit: EntityLimitSetting; from: number | undefined }>([
  { name: 'of 100 from 90.3 % on', limit: 100, from: 91 },
  { name: 'of 1000 from 93 % on', limit: 1000, from: 930 },
  { name: 'of many when all are used', limit: 5000, from: 5000 },
  { name: 'never without a limit', limit: 'unlimited', from: undefined },
])('the entity warning is shown $name', ({ limit, from = 1_000_000 }) => {
  const isWarned = (total: number): boolean => entityWarning({ total, proxies: 0, limit }) !== undefined;
  expect(isWarned(from - 1)).toBe(false);
  expect(isWarned(from)).toBe(limit !== 'unlimited');
});

test.each<{ name: string; limit: EntityLimitSetting; from: number | undefined }>([
  { name: 'from 80 % of 100 on', limit: 100, from: 80 },
  { name: 'from 80 % of many on', limit: 5000, from: 4000 },
  { name: 'never without a limit', limit: 'unlimited', from: undefined },
])('the operators are warned about the entity limit $name', ({ limit, from = 1_000_000 }) => {
  expect(isNearLimit({ total: from - 1, proxies: 0, limit })).toBe(false);
  expect(isNearLimit({ total: from, proxies: 0, limit })).toBe(limit !== 'unlimited');
});

test('the entity warning counts agents and proxies', () => {
  expect(entityWarning({ total: 95, proxies: 15, limit: 100 })).toBe(
    'You are currently using 95/100 total entities, 80/100 agent entities, and 15/100 proxy entities',
  );
});

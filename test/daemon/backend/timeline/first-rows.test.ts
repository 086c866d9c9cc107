import { expect, test } from 'vitest';
import { FirstRows } from '../../../../daemon/backend/timeline/first-rows.ts';

test('the first of many rows are found, whatever their order', () => {
  const rows = new FirstRows<number>((a, b) => a - b, 10);
  for (let at = 0; at < 10_000; at++) rows.add((at * 7919) % 10_000);
  expect([rows.total, rows.from(7)]).toEqual([10_000, [7, 8, 9]]);
});

test('all rows are found if they are few', () => {
  const rows = new FirstRows<number>((a, b) => a - b, 10);
  for (const row of [3, 1, 2]) rows.add(row);
  expect(rows.from(0)).toEqual([1, 2, 3]);
});

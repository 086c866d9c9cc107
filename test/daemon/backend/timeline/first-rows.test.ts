import { expect, test } from 'vitest';
import { FirstRows } from '../../../../daemon/backend/timeline/first-rows.ts';

test('the first rows of ten thousand are found, in whatever order the rows arrive', () => {
  const rows = new FirstRows<number>((a, b) => a - b, 10);
  for (let at = 0; at < 10_000; at++) rows.add((at * 7919) % 10_000);
  expect([rows.total, rows.from(7)]).toEqual([10_000, [7, 8, 9]]);
});

test('all rows are returned in order if there are fewer than the limit', () => {
  const rows = new FirstRows<number>((a, b) => a - b, 10);
  for (const row of [3, 1, 2]) rows.add(row);
  expect(rows.from(0)).toEqual([1, 2, 3]);
});

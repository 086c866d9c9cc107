import { expect, test } from 'vitest';
import { SeenRequests } from '../../../../../../daemon/backend/cluster/forwarding/proof/seen-requests.ts';

test('each request number of a sender counts as new exactly once', () => {
  const seen = new SeenRequests(1000);
  expect([seen.recordNumber('a', 2, 0), seen.recordNumber('a', 1, 0), seen.recordNumber('b', 1, 0)]).toEqual([
    true,
    true,
    true,
  ]);
  expect([seen.recordNumber('a', 2, 1), seen.recordNumber('a', 1, 1), seen.recordNumber('b', 1, 1)]).toEqual([
    false,
    false,
    false,
  ]);
});

test('request numbers far below the highest count as repeated, so that memory stays bounded', () => {
  const seen = new SeenRequests(1000);
  let first = 0;
  for (let number = 1; number <= 200_000; number++) if (seen.recordNumber('a', 2 * number, 0)) first++;
  expect(first).toBe(200_000);
  expect(seen.recordNumber('a', 3, 0)).toBe(false);
  expect(seen.recordNumber('a', 399_999, 0)).toBe(true);
});

test('the record of a sender is removed only when all of its requests are too old to be accepted', () => {
  const seen = new SeenRequests(1000);
  seen.recordNumber('a', 1, 0);
  seen.recordNumber('b', 1, 999);
  expect(seen.recordNumber('a', 1, 1000)).toBe(false);
  seen.recordNumber('c', 1, 2500);
  expect(seen.recordNumber('a', 1, 2500)).toBe(true);
});

import fc from 'fast-check';
import { expect, expectTypeOf, test } from 'vitest';
import { parseExpiry, expireAtOf } from '../../../shared/domain/expiry.ts';
import type { SilencedRow } from '../../../shared/schemas/feed.ts';
import type { SilencedEntry } from '../../../shared/schemas/silenced.ts';

test('the end of a silence stays the same to the millisecond after a round trip over the API', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 99_999_999_999_999 }), (expireAtMs) => {
      expect(parseExpiry(expireAtOf({ expireAtMs }))).toBe(expireAtMs);
    }),
  );
  expect(parseExpiry(expireAtOf({ expireAtMs: null }))).toBeNull();
});

test.each([
  { name: 'seconds', expireAt: 1_795_184_718.25, endMs: 1_795_184_718_250 },
  { name: 'milliseconds, as older backends wrote them', expireAt: 1_795_184_718_250, endMs: 1_795_184_718_250 },
])('the end of a silence in $name is parsed', ({ expireAt, endMs }) => {
  expect(parseExpiry(expireAt)).toBe(endMs);
});

test('the types of a stored silence and of a silence in the API are not interchangeable', () => {
  expectTypeOf<SilencedEntry>().not.toExtend<Pick<SilencedRow, 'expire_at'>>();
  expectTypeOf<SilencedRow>().not.toExtend<Pick<SilencedEntry, 'expireAtMs'>>();
});

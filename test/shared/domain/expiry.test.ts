import fc from 'fast-check';
import { expect, expectTypeOf, test } from 'vitest';
import { endOf, expireAtOf } from '../../../shared/domain/expiry.ts';
import type { SilencedRow } from '../../../shared/schemas/feed.ts';
import type { SilencedEntry } from '../../../shared/schemas/silenced.ts';

test('an end that goes over the wire and back is the same moment, to the millisecond', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 99_999_999_999_999 }), (expireAtMs) => {
      expect(endOf(expireAtOf({ expireAtMs }))).toBe(expireAtMs);
    }),
  );
  expect(endOf(expireAtOf({ expireAtMs: null }))).toBeNull();
});

test.each([
  { name: 'seconds', expireAt: 1_795_184_718.25, endMs: 1_795_184_718_250 },
  { name: 'milliseconds, as older backends wrote them', expireAt: 1_795_184_718_250, endMs: 1_795_184_718_250 },
])('an end in $name is parsed', ({ expireAt, endMs }) => {
  expect(endOf(expireAt)).toBe(endMs);
});

test('the type of a silence entry and the type of its row on the wire do not extend each other', () => {
  expectTypeOf<SilencedEntry>().not.toExtend<Pick<SilencedRow, 'expire_at'>>();
  expectTypeOf<SilencedRow>().not.toExtend<Pick<SilencedEntry, 'expireAtMs'>>();
});

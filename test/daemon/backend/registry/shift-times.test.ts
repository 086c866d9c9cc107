import { expect, test } from 'vitest';
import { shiftedTimes } from '../../../../daemon/backend/registry/shift-times.ts';
import type { Key } from '../../../../daemon/backend/ports.ts';
import { TABLES } from '../../../../daemon/backend/tables/tables.ts';

const HOUR_MS = 3_600_000;

/** What a correction of an hour makes of each value of a table, by the name of the table. */
const MOVED: readonly (readonly [table: string, before: unknown, after: unknown])[] = [
  ['silenced', { reason: 'x', begin: 5000, expire_at: 9_000_000 }, { reason: 'x', begin: 8600, expire_at: 12_600_000 }],
  ['silenced', { begin: 5000, expire_at: null }, { begin: 8600, expire_at: null }],
  ['silenced', { begin: null, expire_at: null }, undefined],
  ['stash', { path: 'a', content: {}, expire_at: 1 }, { path: 'a', content: {}, expire_at: 1 + HOUR_MS }],
  ['stash', { path: 'a', content: {}, expire_at: null }, undefined],
  ['invalidated', 7, 7 + HOUR_MS],
  ['tombstone', { deletedMs: 1, untilMs: 2 }, { deletedMs: 1 + HOUR_MS, untilMs: 2 + HOUR_MS }],
  [
    'session',
    { startedMs: 1, expiresMs: 2, access: [{ hash: 'h', expiresMs: 3 }] },
    { startedMs: 1 + HOUR_MS, expiresMs: 2 + HOUR_MS, access: [{ hash: 'h', expiresMs: 3 + HOUR_MS }] },
  ],
  ['user', { username: 'eve', passwordChangedMs: 1 }, { username: 'eve', passwordChangedMs: 1 + HOUR_MS }],
  ['api-key', { id: 'k', expiresAt: 60, lifetime: 60 }, { id: 'k', expiresAt: 3660, lifetime: 60 }],
  ['api-key', { id: 'chosen as a date', expiresAt: 60 }, undefined],
];

test.each(MOVED)('%s %j becomes %j', async (table, before, after) => {
  const store = {
    async *scan([asked]: Key): AsyncGenerator<readonly [Key, string]> {
      if (asked === table) yield await Promise.resolve([[table, 'key'], JSON.stringify(before)] as const);
    },
  };
  const ops = await shiftedTimes(store, TABLES, 3600);
  expect(ops).toEqual(after === undefined ? [] : [{ type: 'put', key: [table, 'key'], value: JSON.stringify(after) }]);
});

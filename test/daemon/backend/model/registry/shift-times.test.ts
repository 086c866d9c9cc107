import { expect, test } from 'vitest';
import { shiftedTimes } from '../../../../../daemon/backend/model/registry/shift-times.ts';
import type { Key } from '../../../../../daemon/backend/ports.ts';
import { TABLES } from '../../../../../daemon/backend/model/tables/tables.ts';

const HOUR_MS = 3_600_000;

/** Values of each table before and after a clock correction of an hour; `undefined` means that nothing changes. */
const MOVED: readonly (readonly [table: string, before: unknown, after: unknown])[] = [
  // All times of a silence move, so that the duration from its creation to its end stays the same.
  [
    'silenced',
    { reason: 'x', begin: 5000, expire_at: 9_000_000, timestamp: 4000 },
    { reason: 'x', begin: 8600, expire_at: 12_600_000, timestamp: 7600 },
  ],
  ['silenced', { begin: 5000, expire_at: null, timestamp: 4000 }, { begin: 8600, expire_at: null, timestamp: 7600 }],
  ['silenced', { begin: null, expire_at: null }, undefined],
  [
    'silenced',
    { begin: null, expire_at: null, timestamp: 4, idle: { since: 5, at: 6, ends_at: 7 } },
    { begin: null, expire_at: null, timestamp: 3604, idle: { since: 3605, at: 3606, ends_at: 3607 } },
  ],
  // The time of the last suppressed run is a recorded fact and does not move.
  [
    'silenced-use',
    { suppressed: 1, last_suppressed: 5, unmatched_since: 5 },
    { suppressed: 1, last_suppressed: 5, unmatched_since: 3605 },
  ],
  ['silenced-use', { suppressed: 1, last_suppressed: 5 }, undefined],
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

/** Values before and after an hour in which no backend ran; `undefined` means that nothing changes. */
const WAITED: typeof MOVED = [
  ['silenced', { begin: 5000, expire_at: 9_000_000 }, undefined],
  [
    'silenced',
    { begin: 5000, expire_at: 9_000_000, idle: { since: 5, at: 6 } },
    { begin: 5000, expire_at: 9_000_000, idle: { since: 3605, at: 3606 } },
  ],
  [
    'silenced-use',
    { suppressed: 0, last_suppressed: null, unmatched_since: 5 },
    { suppressed: 0, last_suppressed: null, unmatched_since: 3605 },
  ],
  ['stash', { path: 'a', content: {}, expire_at: 1 }, undefined],
];

const HOUR_LATER = { seconds: 3600, outageMs: 0 };
const HOUR_AWAY = { seconds: 0, outageMs: HOUR_MS };
const counters = (since: number): object => ({ suppressed: 0, last_suppressed: null, unmatched_since: since });

const MOVES = [
  MOVED.map(([table, before, after]) => ({ moves: HOUR_LATER, table, before, after })),
  WAITED.map(([table, before, after]) => ({ moves: HOUR_AWAY, table, before, after })),
  // Both corrections at once: 100 - 60 + 3600.
  [{ moves: { seconds: -60, outageMs: HOUR_MS }, table: 'silenced-use', before: counters(100), after: counters(3640) }],
].flat();

test.each(MOVES)(
  'a clock correction ($moves) changes $table from $before to $after',
  async ({ moves, table, before, after }) => {
    const store = {
      async *scan([asked]: Key): AsyncGenerator<readonly [Key, string]> {
        if (asked === table) yield await Promise.resolve([[table, 'key'], JSON.stringify(before)] as const);
      },
    };
    const ops = await shiftedTimes(store, TABLES, moves);
    expect(ops).toEqual(
      after === undefined ? [] : [{ type: 'put', key: [table, 'key'], value: JSON.stringify(after) }],
    );
  },
);

import { expect, test } from 'vitest';
import { silencedOfStored, storedSilenced } from '../../../../../daemon/backend/model/silences/storage.ts';

const STORED = {
  id: '*:disk',
  subscription: null,
  check: 'disk',
  reason: null,
  creator: null,
  begin: null,
  expire_at: 1_732_390_600_000,
  expire_on_resolve: false,
  timestamp: 1_732_380_000,
  reminded: { at: 1_732_390_000, events: 3 },
};

test('the sent reminder of a silence is stored under the earlier attribute name reminded', () => {
  const entry = silencedOfStored(STORED);
  expect(entry).toMatchObject({ reminder_sent: STORED.reminded, expireAtMs: STORED.expire_at });
  expect(entry).not.toHaveProperty('reminded');
  expect(storedSilenced(entry)).toEqual(STORED);
});

test('a silence without a sent reminder is stored without the attribute reminded', () => {
  const { reminded: _, ...stored } = STORED;
  expect(silencedOfStored(stored)).not.toHaveProperty('reminder_sent');
  expect(storedSilenced(silencedOfStored(stored))).toEqual(stored);
});

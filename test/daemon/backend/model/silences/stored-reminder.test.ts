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

test('a stored silence keeps the name reminded, and has reminder_sent in memory', () => {
  const entry = silencedOfStored(STORED);
  expect(entry).toMatchObject({ reminder_sent: STORED.reminded, expireAtMs: STORED.expire_at });
  expect(entry).not.toHaveProperty('reminded');
  expect(storedSilenced(entry)).toEqual(STORED);
});

test('a silence without a reminder is stored without one', () => {
  const { reminded: _, ...stored } = STORED;
  expect(silencedOfStored(stored)).not.toHaveProperty('reminder_sent');
  expect(storedSilenced(silencedOfStored(stored))).toEqual(stored);
});

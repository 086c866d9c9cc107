import { describe, expect, test } from 'vitest';
import { reminderAt } from '../../../shared/domain/silence-reminder.ts';
import { silencedEntry, type SilencedRequest } from '../../../shared/domain/silencing.ts';
import type { SilencedEntry } from '../../../shared/schemas/silenced.ts';

const NOW = 1_000_000;
const HOUR = 3600;

describe('the reminder of an ending silence (spec, reminder 1)', () => {
  test.each<{ name: string; request: SilencedRequest; more?: Partial<SilencedEntry>; at: number | undefined }>([
    { name: 'ten minutes before the end', request: { check: 'disk', expire: HOUR }, at: NOW + HOUR - 600 },
    { name: 'never for a silence without an end', request: { check: 'disk', expire: -1 }, at: undefined },
    { name: 'never for a short silence', request: { check: 'disk', expire: 600 }, at: undefined },
    {
      name: 'never for a short silence that begins later',
      request: { check: 'disk', begin: NOW + HOUR, expire: 600 },
      at: undefined,
    },
    {
      name: 'only once',
      request: { check: 'disk', expire: HOUR },
      more: { reminder_sent: { at: NOW, events: 1 } },
      at: undefined,
    },
    {
      name: 'never for a silence of a maintenance run',
      request: { check: 'disk', expire: HOUR },
      more: { run: 'run-0001' },
      at: undefined,
    },
  ])('the reminder of an ending silence is due $name', ({ request, more, at }) => {
    const entry = { ...silencedEntry(request, NOW * 1000), ...more };
    expect(reminderAt(entry, 600)).toBe(at === undefined ? undefined : at * 1000);
  });

  test('the reminder of an ending silence can be turned off', () => {
    expect(reminderAt(silencedEntry({ check: 'disk', expire: HOUR }, NOW * 1000), 0)).toBeUndefined();
  });
});

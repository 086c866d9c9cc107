import fc from 'fast-check';
import { expect, test } from 'vitest';
import { selectorId } from '../../../shared/domain/silencing.ts';
import type { EventRow } from '../../../shared/schemas/feed.ts';
import { previewSilence } from '../../../tui/model/silence-preview.ts';
import { anEventRow } from '../../support/feed-rows.ts';

const NOW_MS = Date.UTC(2026, 10, 20, 12);

const SUBSCRIPTIONS: Readonly<Record<string, readonly string[]>> = {
  'web-1': ['linux', 'web'],
  'db-1': ['linux', 'db'],
};

const EVENTS: readonly EventRow[] = [
  anEventRow({ client: 'web-1', check: 'disk', status: 2 }),
  anEventRow({ client: 'web-1', check: 'cpu', status: 1, silenced_by: ['x'] }),
  anEventRow({ client: 'db-1', check: 'disk', status: 3 }),
];

test.each([
  { name: 'a client and check', entries: [{ subscription: 'client:web-1', check: 'disk' }], total: 1 },
  { name: 'a check on all clients', entries: [{ check: 'disk' }], total: 2 },
  { name: 'a client', entries: [{ subscription: 'client:web-1' }], total: 2 },
  { name: 'a subscription', entries: [{ subscription: 'linux' }], total: 3 },
  { name: 'a check on a subscription', entries: [{ subscription: 'db', check: 'disk' }], total: 1 },
  {
    name: 'a client whose name is a prefix of other names',
    entries: [{ subscription: 'lin' }, { check: 'dis' }],
    total: 0,
  },
  {
    name: 'several overlapping targets',
    entries: [{ check: 'disk' }, { subscription: 'client:web-1' }],
    total: 3,
  },
  { name: 'an unknown client', entries: [{ subscription: 'client:gone' }], total: 0 },
])('the preview of a silence of $name counts $total events', ({ entries, total }) => {
  expect(preview(entries).total).toBe(total);
});

test('the preview of a silence counts events by severity and counts the silenced events', () => {
  expect(preview([{ subscription: 'linux' }])).toEqual({
    total: 3,
    bySeverity: { critical: 1, warning: 1, unknown: 1, ok: 0 },
    alreadySilenced: 1,
    others: { count: 3, names: ['web-1/disk', 'web-1/cpu', 'db-1/disk'] },
    overlaps: ['x'],
  });
});

test('the preview of an active silence by search counts the events that the silence already covers', () => {
  const selector = 'env=prod';
  const rows = [
    ...EVENTS,
    anEventRow({ client: 'db-2', check: 'cpu', status: 2, silenced_by: [selectorId(selector)] }),
  ];
  const found = previewSilence(
    [{ selector }],
    rows.map((row) => ({ row })),
    () => [],
    NOW_MS,
  );
  expect(found).toMatchObject({ total: 1, others: { names: ['db-2/cpu'] } });
});

test('the counts of a silence preview add up to its total', () => {
  const entry = fc.record(
    { subscription: fc.constantFrom('linux', 'web', 'client:db-1'), check: fc.constantFrom('disk', 'cpu') },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.array(entry), (entries) => {
      const { total, bySeverity } = preview(entries);
      expect(Object.values(bySeverity).reduce((sum, count) => sum + count, 0)).toBe(total);
    }),
  );
});

function preview(entries: readonly { subscription?: string; check?: string }[]): ReturnType<typeof previewSilence> {
  const events = EVENTS.map((row) => ({ row }));
  return previewSilence(entries, events, (client) => SUBSCRIPTIONS[client] ?? [], NOW_MS);
}

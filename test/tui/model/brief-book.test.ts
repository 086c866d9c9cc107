import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventKey } from '../../../shared/domain/event-key.ts';
import type { EventRow } from '../../../shared/schemas/feed.ts';
import { EventBriefs } from '../../../tui/model/brief-book.ts';
import { EventRecord, rankOf } from '../../../tui/model/event-record.ts';
import { EventRegistry } from '../../../tui/model/event-registry.ts';
import { anEventRow } from '../../support/feed-rows.ts';

const NOW_MS = 1_767_225_600_000;
const CLIENTS = ['web-1', 'web-2', 'web-3', 'web-4'];
const keyOf = (client: string): string => eventKey(client, anEventRow({ client }).check);

const briefOf = ({ status, action, since, silenced_by, acknowledged }: EventRow) => ({
  status,
  action,
  since,
  silenced_by,
  ...(acknowledged !== undefined && { acknowledged }),
});

const brief = (status: number, since: number) => ({ status, action: 'create' as const, since, silenced_by: [] });

const shownRows = (registry: EventRegistry): readonly EventRow[] =>
  registry.order.slice(0, registry.order.length).map(({ row }) => row);

const rowArbitrary = fc
  .record({
    client: fc.constantFrom(...CLIENTS),
    status: fc.constantFrom(1, 2, 3),
    action: fc.constantFrom('create' as const, 'flapping' as const),
    since: fc.nat({ max: 20 }),
    output: fc.constantFrom('full', 'less'),
    silenced_by: fc.constantFrom<string[]>([], ['*:disk']),
    by: fc.constantFrom('ada', undefined),
  })
  .map(({ by, ...about }) => anEventRow({ ...about, ...(by !== undefined && { acknowledged: { by, at: 0 } }) }));

const stepArbitrary = fc.oneof(
  fc.record({ kind: fc.constantFrom('whole' as const, 'brief' as const), row: rowArbitrary }),
  fc.record({ kind: fc.constant('gone' as const), client: fc.constantFrom(...CLIENTS) }),
  fc.record({ kind: fc.constant('snapshot' as const) }),
);

test('a brief change is counted like a full row, and the full row is sorted correctly when it arrives', () => {
  fc.assert(
    fc.property(fc.array(stepArbitrary, { maxLength: 30 }), (steps) => {
      const [all, some] = [new EventRegistry(), new EventRegistry()];
      const rows = new Map<string, EventRow>();
      const owed = new Set<string>();
      for (const step of steps) {
        if (step.kind === 'gone') {
          for (const registry of [all, some]) registry.apply(keyOf(step.client), null, NOW_MS);
          rows.delete(keyOf(step.client));
          owed.delete(keyOf(step.client));
        } else if (step.kind === 'snapshot') {
          for (const registry of [all, some]) {
            registry.beginSnapshot();
            for (const [key, row] of rows) registry.apply(key, row, NOW_MS);
            registry.endSnapshot();
          }
          owed.clear();
        } else {
          const key = keyOf(step.row.client);
          rows.set(key, step.row);
          all.apply(key, step.row, NOW_MS);
          if (step.kind === 'whole') {
            some.apply(key, step.row, NOW_MS);
            owed.delete(key);
          } else {
            some.applyBrief(key, briefOf(step.row), NOW_MS);
            owed.add(key);
          }
        }
        expect({ ...some.counts }).toEqual({ ...all.counts });
        expect(some.size).toBe(all.size);
      }
      for (const key of owed) some.apply(key, rows.get(key) ?? null, NOW_MS);
      expect(shownRows(some)).toEqual(shownRows(all));
      expect({ ...some.counts }).toEqual({ ...all.counts });
      expect(some.briefsUpTo({ rank: Infinity }, 10)).toEqual([]);
    }),
  );
});

test('an event that arrives as a brief change during a snapshot that lacks the event is kept', () => {
  const registry = new EventRegistry();
  registry.apply(keyOf('web-1'), anEventRow({ client: 'web-1', status: 2 }), NOW_MS);
  registry.beginSnapshot();
  registry.applyBrief(keyOf('web-1'), brief(1, 200), NOW_MS);
  registry.endSnapshot();
  expect([registry.size, registry.counts.warning, registry.counts.critical]).toEqual([1, 1, 0]);
});

test('a query returns the keys of brief changes above a position of the list, the uppermost first', () => {
  const registry = new EventRegistry();
  for (const [at, client] of CLIENTS.entries()) {
    registry.apply(keyOf(client), anEventRow({ client, status: 2, since: 100 - at }), NOW_MS);
  }
  const last = registry.get(keyOf('web-2'));
  if (last === undefined) throw new Error('it is there');
  registry.applyBrief(keyOf('web-1'), brief(1, 200), NOW_MS);
  registry.applyBrief(keyOf('web-3'), brief(1, 300), NOW_MS);
  registry.applyBrief(keyOf('web-4'), brief(2, 400), NOW_MS);
  expect(registry.briefsUpTo(last, 10)).toEqual([keyOf('web-4'), keyOf('web-1')]);
  expect(registry.briefsUpTo(last, 1)).toEqual([keyOf('web-4')]);
});

test('a repeated query for brief keys returns the same as a first query', () => {
  const records = CLIENTS.map((client, at) => new EventRecord(keyOf(client), anEventRow({ client, since: 100 - at })));
  const recordArbitrary = fc.constantFrom(...records);
  const stepOfBook = fc.oneof(
    fc.record({ kind: fc.constant('hear' as const), record: recordArbitrary, row: rowArbitrary }),
    fc.record({ kind: fc.constant('forget' as const), record: recordArbitrary }),
    fc.record({ kind: fc.constant('ask' as const), record: recordArbitrary, row: rowArbitrary }),
  );
  fc.assert(
    fc.property(fc.array(stepOfBook, { maxLength: 40 }), (steps) => {
      const book = new EventBriefs();
      const known = new Map<EventRecord, EventRow>();
      const told: (readonly [again: Set<string>, first: Set<string>])[] = [];
      for (const step of steps) {
        if (step.kind === 'hear') {
          book.addBrief(step.record, step.row);
          known.set(step.record, step.row);
        } else if (step.kind === 'forget') {
          book.removeBrief(step.record);
          known.delete(step.record);
        } else {
          const fresh = new EventBriefs();
          for (const [record, row] of known) fresh.addBrief(record, row);
          const rank = rankOf(step.row);
          told.push([new Set(book.keysUpToRank(rank, 10)), new Set(fresh.keysUpToRank(rank, 10))]);
        }
      }
      expect(told.map(([again]) => again)).toEqual(told.map(([, first]) => first));
    }),
  );
});

test('queries for a few, then more, then all brief keys return the same as a first query', () => {
  const book = new EventBriefs();
  const rows = Array.from({ length: 3000 }, (_, at) =>
    anEventRow({ client: `web-${String(at)}`, status: 2, since: 10_000 - at }),
  );
  const keys = rows.map(({ client }) => keyOf(client));
  for (const [at, row] of rows.entries()) book.addBrief(new EventRecord(keys[at] ?? '', row), row);
  expect(book.keysUpToRank(Infinity, 3)).toEqual(keys.slice(0, 3));
  expect(book.keysUpToRank(rankOf(anEventRow({ status: 2, since: 9999 })), 5)).toEqual(keys.slice(0, 2));
  expect(book.keysUpToRank(rankOf(anEventRow({ status: 2, since: 7500 })), 5)).toEqual(keys.slice(0, 5));
  expect(book.keysUpToRank(Infinity, 3000)).toEqual(keys);
});

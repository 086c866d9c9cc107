import { expect, test } from 'vitest';
import { ReceivedAttributes } from '../../../shared/client/received-attributes.ts';
import { FeedSession } from '../../../shared/client/feed-session.ts';
import { attributeTextOf } from '../../../shared/domain/event-attributes.ts';
import { CLIENT_ATTRIBUTES } from '../../../shared/schemas/attribute-set.ts';
import type { EventRow } from '../../../shared/schemas/feed.ts';
import { anEventRow } from '../../support/feed-rows.ts';

const SET = { id: 's1', attributes: { rack: 'r20' } };

/** Returns a copy of an event row as it arrives from a backend. */
const received = (row: EventRow): EventRow => structuredClone(row);

test('an event gets the attributes of the set that it refers to, and its JSON contains neither', () => {
  const sets = new ReceivedAttributes();
  const row = received(anEventRow({ client_set: 's1', check_set: 'unknown' }));
  sets.apply({ attributes: { s1: SET }, events: { a: row } });
  expect(attributeTextOf(row, 'client.rack')).toBe('r20');
  expect(JSON.parse(JSON.stringify(row))).toEqual(anEventRow());
});

test('events with the same set of attributes share one object', () => {
  const sets = new ReceivedAttributes();
  const rows = [1, 2].map(() => received(anEventRow({ client_set: 's1' })));
  sets.apply({ attributes: { 'team-a/s1': SET } });
  for (const row of rows) sets.addTo(row);
  expect(rows[0]?.[CLIENT_ATTRIBUTES]).toBe(rows[1]?.[CLIENT_ATTRIBUTES]);
});

test('an event keeps its attributes after their set was removed, and a later event does not get them', () => {
  const sets = new ReceivedAttributes();
  const [earlier, later] = [1, 2].map(() => received(anEventRow({ client_set: 's1' })));
  if (earlier === undefined || later === undefined) throw new Error('no rows');
  sets.apply({ attributes: { s1: SET }, events: { a: earlier } });
  sets.apply({ attributes: { s1: null }, events: { b: later } });
  expect(attributeTextOf(earlier, 'rack')).toBe('r20');
  expect(attributeTextOf(later, 'rack')).toBe('');
});

test('a session that resumes without attributes requests a snapshot from a backend that sends them', () => {
  const hello = { type: 'hello', version: '1', store: 's', name: 'a', time: 0 } as const;
  const position = { store: 's', seq: 7 };
  const older = new FeedSession(position, new ReceivedAttributes());
  older.accept(hello);
  expect(older.position).toEqual(position);
  const newer = new FeedSession(position, new ReceivedAttributes());
  newer.accept({ ...hello, attributes: true });
  expect(newer.position).toBeUndefined();
  const again = new FeedSession({ ...position, hasAttributes: true }, new ReceivedAttributes());
  again.accept({ ...hello, attributes: true });
  expect(again.position).toEqual({ ...position, hasAttributes: true });
  const unaware = new FeedSession(position);
  unaware.accept({ ...hello, attributes: true });
  expect(unaware.position).toEqual(position);
});

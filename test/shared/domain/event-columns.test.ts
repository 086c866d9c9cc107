import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { eventColumns, rowsOfColumns, snapshotInColumns } from '../../../shared/domain/event-columns.ts';
import type { EventColumns, EventRow } from '../../../shared/schemas/feed.ts';
import { anEventRow } from '../../support/feed-rows.ts';
import { propertyRuns } from '../../support/property-runs.ts';

/** A name from a short list, so that many names are equal. */
const name = fc.constantFrom('web-1', 'web-2', 'äö', '__proto__', '');
const texts = fc.array(name, { maxLength: 2 });

const usual = {
  client: name,
  check: name,
  status: fc.integer(),
  action: fc.constantFrom<EventRow['action']>('create', 'resolve', 'flapping'),
  occurrences: fc.nat(),
  since: fc.nat(),
  last: fc.nat(),
  silenced_by: texts,
  output: fc.string(),
  inhibited_by: fc.record({ rule: name, client: name, check: name }),
  groups: texts,
  recovering: fc.record({ results: fc.nat(), since: fc.nat(), last: fc.nat(), after: fc.constantFrom(3, '5m') }),
};
const requiredKeys = [
  'client',
  'check',
  'status',
  'action',
  'occurrences',
  'since',
  'last',
  'silenced_by',
  'output',
] as const;
const rows = fc.array(fc.record(usual, { requiredKeys: [...requiredKeys] }));
const placedRows = fc.array(fc.record({ ...usual, namespace: name }, { requiredKeys: [...requiredKeys, 'namespace'] }));

const overTheWire = (columns: EventColumns): EventColumns => JSON.parse(JSON.stringify(columns)) as EventColumns;

test.each([
  { name: 'rows', some: rows },
  { name: 'rows of many namespaces', some: placedRows },
])('columns of $name convert back to the same rows', ({ some }) => {
  fc.assert(
    fc.property(some, (held) => {
      expect(rowsOfColumns(overTheWire(eventColumns(held)))).toEqual(held);
    }),
    { numRuns: propertyRuns(300) },
  );
});

test('columns contain each name and text once', () => {
  const held = [
    anEventRow(),
    anEventRow({ silenced_by: ['a'] }),
    anEventRow({ client: 'web-002', silenced_by: ['a'] }),
  ];
  const columns = eventColumns(held);
  expect(columns).toMatchObject({
    client: { values: ['web-001', 'web-002'], indices: [0, 0, 1] },
    silenced_by: { values: [[], ['a']], indices: [0, 1, 1] },
    output: { values: [held[0]?.output], indices: [0, 0, 0] },
  });
  expect(columns).not.toHaveProperty('namespace');
  expect(columns).not.toHaveProperty('sparse');
});

test('a snapshot in columns contains only its events as columns', () => {
  const row = anEventRow();
  const clients = {};
  expect(snapshotInColumns({ events: { 'web-001/http-frontend': row }, clients })).toEqual({
    rows: { clients },
    columns: { events: eventColumns([row]) },
  });
  expect(snapshotInColumns({ events: {}, clients })).toEqual({ rows: { clients } });
});

test('unknown attributes in the columns of an event are left out', () => {
  const more = { groups: ['a'], client: 7 };
  expect(rowsOfColumns({ ...eventColumns([anEventRow()]), sparse: { 0: more } })).toEqual([
    anEventRow({ groups: ['a'] }),
  ]);
});

describe('columns of different lengths', () => {
  const columns = eventColumns([anEventRow(), anEventRow({ check: 'disk' })]);
  test.each<{ name: string; broken: Partial<EventColumns> }>([
    { name: 'a short one', broken: { last: [1] } },
    { name: 'a short one of places', broken: { check: { values: ['disk'], indices: [0] } } },
    { name: 'a place where there is nothing', broken: { check: { values: ['disk'], indices: [0, 1] } } },
    { name: 'a place before the first', broken: { output: { values: ['full'], indices: [0, -1] } } },
    { name: 'a place between two', broken: { client: { values: ['a', 'b'], indices: [0, 0.5] } } },
    { name: 'namespaces of some', broken: { namespace: { values: ['a'], indices: [0] } } },
    { name: 'more about a row that is not there', broken: { sparse: { 2: { groups: [] } } } },
    { name: 'more about no row', broken: { sparse: { length: { groups: [] } } } },
  ])('$name', ({ broken }) => {
    expect(rowsOfColumns({ ...columns, ...broken })).toBeUndefined();
  });
});

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
])('event columns of $name convert back to the same rows', ({ some }) => {
  fc.assert(
    fc.property(some, (held) => {
      expect(rowsOfColumns(overTheWire(eventColumns(held)))).toEqual(held);
    }),
    { numRuns: propertyRuns(300) },
  );
});

test('event columns contain each name and text only once', () => {
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

test('a snapshot in columns contains the events as columns and other topics as rows', () => {
  const row = anEventRow();
  const clients = {};
  expect(snapshotInColumns({ events: { 'web-001/http-frontend': row }, clients })).toEqual({
    rows: { clients },
    columns: { events: eventColumns([row]) },
  });
  expect(snapshotInColumns({ events: {}, clients })).toEqual({ rows: { clients } });
});

test('sparse attributes of event columns never replace known attributes of an event', () => {
  const more = { groups: ['a'], client: 7 };
  expect(rowsOfColumns({ ...eventColumns([anEventRow()]), sparse: { 0: more } })).toEqual([
    anEventRow({ groups: ['a'] }),
  ]);
});

describe('invalid event columns', () => {
  const columns = eventColumns([anEventRow(), anEventRow({ check: 'disk' })]);
  test.each<{ name: string; broken: Partial<EventColumns> }>([
    { name: 'a column that is too short', broken: { last: [1] } },
    { name: 'a column with too few indexes', broken: { check: { values: ['disk'], indices: [0] } } },
    { name: 'an index beyond the values', broken: { check: { values: ['disk'], indices: [0, 1] } } },
    { name: 'a negative index', broken: { output: { values: ['full'], indices: [0, -1] } } },
    { name: 'a fractional index', broken: { client: { values: ['a', 'b'], indices: [0, 0.5] } } },
    { name: 'a namespace for only some rows', broken: { namespace: { values: ['a'], indices: [0] } } },
    { name: 'sparse attributes for a missing row', broken: { sparse: { 2: { groups: [] } } } },
    { name: 'sparse attributes for an invalid row number', broken: { sparse: { length: { groups: [] } } } },
  ])('event columns with $name are rejected as a whole', ({ broken }) => {
    expect(rowsOfColumns({ ...columns, ...broken })).toBeUndefined();
  });
});

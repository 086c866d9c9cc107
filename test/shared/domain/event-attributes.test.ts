import { describe, expect, test } from 'vitest';
import {
  AttributePacker,
  viewAttributes,
  checkAttributes,
  clientAttributes,
} from '../../../shared/domain/attribute-set.ts';
import {
  attributeNamesOf,
  attributeReader,
  attributeTextOf,
  attributeValuesOf,
  compareAttributes,
  parseAttributeColumn,
} from '../../../shared/domain/event-attributes.ts';
import { parseEventOrder } from '../../../shared/domain/event-order.ts';
import { matchesSearch, parseSearch } from '../../../shared/domain/search.ts';
import { CHECK_ATTRIBUTES, CLIENT_ATTRIBUTES } from '../../../shared/schemas/attribute-set.ts';
import type { EventRow } from '../../../shared/schemas/feed.ts';
import { anEventRow } from '../../support/feed-rows.ts';

const HIDDEN = new Set(['pin']);
const packer = new AttributePacker();

function anEventWith(
  client: Readonly<Record<string, unknown>>,
  check: Readonly<Record<string, unknown>> = {},
  row: Partial<EventRow> = {},
): EventRow {
  return {
    ...anEventRow({ client: 'web-1', check: 'disk', ...row }),
    [CLIENT_ATTRIBUTES]: packer.pack('a', clientAttributes({ name: 'web-1', ...client }, 'client:web-1', HIDDEN)),
    [CHECK_ATTRIBUTES]: packer.pack('b', checkAttributes({ name: 'disk', ...check }, HIDDEN)),
  };
}

function isMatch(text: string, row: EventRow): boolean {
  const search = parseSearch(text);
  if (search.kind === 'problem') throw new Error(search.message);
  return matchesSearch(search, row, 0);
}

const WEB = anEventWith(
  {
    address: '10.0.0.1',
    timestamp: 5,
    subscriptions: ['web', 'rack:r20', 'client:web-1'],
    rack: 'r20',
    cores: 16,
    virtual: false,
    labels: { 'app.kubernetes.io/name': 'shop', region: 'eu' },
    tags: ['blue', 'canary'],
    pin: '1234',
    password: 'secret',
    team: 'ops',
  },
  { team: 'db', interval: 30, status: 2, executed: 9, handlers: ['pager'] },
);

describe('a search for events', () => {
  test.each([
    ['client.rack=r20', true],
    ['rack=r20', true],
    ['rack=R20', true],
    ['rack=r2', false],
    ['rack~r2*', true],
    ['rack!=r21', true],
    ['rack!=r20', false],
    ['check.rack=r20', false],
    ['team=db', true],
    ['team=ops', true],
    ['client.team=db', false],
    ['check.team=db', true],
    ['subscription=rack:r20', true],
    ['subscriptions=rack:r20', true],
    ['client.subscription=web', true],
    ['subscription=client:web-1', true],
    ['subscription~rack:*', true],
    ['subscription!=rack:r20', false],
    ['client.cores>=16', true],
    ['cores>16', false],
    ['cores=16', true],
    ['virtual=false', true],
    ['client.labels.region=eu', true],
    ['labels.app.kubernetes.io/name=shop', true],
    ['tags=canary', true],
    ['check.interval<=30', true],
    ['handlers=pager', true],
    ['nowhere=1', false],
    ['rack>5', false],
  ])('compares attributes: %s is %s', (text, expected) => {
    expect(isMatch(text, WEB)).toBe(expected);
  });

  test('an attribute that the client redacts matches no value', () => {
    expect(isMatch('pin=1234', WEB)).toBe(false);
    expect(isMatch('pin~*', WEB)).toBe(false);
    expect(isMatch('pin>0', WEB)).toBe(false);
    expect(attributeNamesOf([WEB]).join()).not.toMatch(/pin|password/);
  });

  test.each([
    ['password=secret', 0, 'password is secret and cannot be searched for'],
    ['web client.api_key=1', 4, 'client.api_key is secret and cannot be searched for'],
    ['check.duration>5', 0, 'check.duration changes with every result and is not an attribute'],
    ['check.status=2', 0, 'check.status is called status here: use status'],
    ['client.address=10.0.0.1', 0, 'client.address differs on every client'],
    ['statsu=crit', 0, 'there is no field "statsu": did you mean status?'],
    ['cores>many', 6, 'cores> compares numbers: use a number, as in cores>8'],
    ['quiet=x', 0, 'unknown field quiet: use inhibited'],
  ])('says what is allowed instead of %s', (text, position, message) => {
    const search = parseSearch(text);
    expect(search).toMatchObject({ kind: 'problem', position });
    expect(search.kind === 'problem' && search.message).toContain(message);
  });

  test('a name and an operator with a space between them are words', () => {
    expect(isMatch('load > 5', { ...WEB, output: 'load > 5' })).toBe(true);
  });
});

test('a column shows an attribute, and is named by its owner and its name', () => {
  const column = parseAttributeColumn('client.rack');
  expect(column).toMatchObject({ id: 'client.rack', title: 'RACK' });
  expect(typeof column === 'string' ? column : column.texts(WEB)).toEqual(['r20']);
  expect(parseAttributeColumn('client.subscription')).toMatchObject({ id: 'subscriptions' });
  expect(parseAttributeColumn('rack')).toBe(
    'there is no column "rack": for an attribute, use subscriptions, client.NAME or check.NAME',
  );
  expect(parseAttributeColumn('client.secret')).toContain('is secret');
});

const units = (sorted: readonly EventRow[]): readonly string[] => sorted.map((row) => attributeTextOf(row, 'unit'));

test('events are sorted by an attribute: numbers by value, then texts, then events without it', () => {
  const order = parseEventOrder('client.unit');
  const reversed = parseEventOrder('-client.unit');
  if (typeof order === 'string' || typeof reversed === 'string') throw new Error('the order was not accepted');
  const rows = ['b', 10, undefined, 9, 'a'].map((unit, at) => anEventWith({ unit }, {}, { client: String(at) }));
  expect(units(rows.toSorted(order))).toEqual(['9', '10', 'a', 'b', '']);
  expect(units(rows.toSorted(reversed))).toEqual(['', 'b', 'a', '10', '9']);
  expect(parseEventOrder('nope')).toContain('sort must be status, client');
});

test('the comparison of attributes is a total order', () => {
  const values = ['', '10', '9', '9.0', '-1', 'a', 'A', 'r1', '1e3'];
  const sorted = values.toSorted(compareAttributes);
  expect(values.toReversed().toSorted(compareAttributes)).toEqual(sorted);
});

test('events that share attributes name them once, and list their values in order', () => {
  const rows = [WEB, anEventWith({ rack: 'r9' }), anEventRow()];
  expect(attributeNamesOf(rows).slice(0, 3)).toEqual(['subscriptions', 'client.cores', 'client.rack']);
  expect(attributeNamesOf(rows)).toContain('check.team');
  expect(attributeNamesOf(rows)).not.toContain('check.status');
  expect(attributeValuesOf(rows, 'rack', 10)).toEqual(['r20', 'r9']);
  expect(attributeNamesOf([anEventRow()])).toEqual([]);
});

test('a view on a record finds the same attributes as the packed set', () => {
  const record = {
    name: 'web-1',
    rack: 'r20',
    subscriptions: ['web', 'client:web-1'],
    labels: { region: 'eu' },
    pin: 1,
  };
  const view = { ...anEventRow(), [CLIENT_ATTRIBUTES]: viewAttributes(record, 'client:web-1', HIDDEN) };
  const packed = anEventWith(record);
  for (const name of ['rack', 'subscriptions', 'labels.region', 'client.pin', 'nothing']) {
    expect(attributeReader(name)(view)).toEqual(attributeReader(name)(packed));
  }
});

test('a set of attributes is bounded', () => {
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`a${String(at)}`, 'x'.repeat(1000)]));
  const entries = clientAttributes(many, '', HIDDEN);
  expect(entries.length).toBeLessThanOrEqual(100);
  expect(JSON.stringify(entries).length).toBeLessThan(20_000);
});

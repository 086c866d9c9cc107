import { expect, test } from 'vitest';
import { runsWidth } from '../../../tui/text/runs.ts';
import { layOutColumns, sortedTitle, tableHead, tableRuns } from '../../../tui/list/table-columns.ts';
import { CLIENTS_VIEW, clientEntry } from '../../../tui/screens/clients/table.ts';
import { EventCounter } from '../../../tui/model/event-counts.ts';
import { TABLES_BY_VIEW } from '../../../tui/screens/tables.ts';
import { aClientRow } from '../../support/feed-rows.ts';

const NOW_MS = Date.UTC(2026, 10, 20, 12);
const NONE: ReadonlySet<string> = new Set();

const tables = Object.values(TABLES_BY_VIEW);

test.each(tables)(
  'the columns of the table $name fill the screen at every width, and the title of the first column is shown',
  (table) => {
    for (let columns = 60; columns <= 260; columns += 1) {
      const placed = layOutColumns(table, NONE, columns);
      expect(runsWidth(tableHead(placed, { column: table.sort, reversed: false }, columns))).toBe(columns);
      expect(placed[0]?.column.title).toBe(table.columns[0]?.title);
    }
  },
);

function ids(columns: number, hidden = NONE): string[] {
  return layOutColumns(CLIENTS_VIEW, hidden, columns).map(({ column }) => column.id);
}

test('a narrow table drops the least important columns first and never shows hidden columns', () => {
  expect(ids(120)).toEqual(['client', 'address', 'keepalive', 'version', 'events', 'subscriptions']);
  expect(ids(80)).toEqual(['client', 'address', 'keepalive', 'events', 'subscriptions']);
  expect(ids(60)).toEqual(['client', 'keepalive', 'events']);
  expect(ids(120, new Set(['client', 'address']))).toEqual([
    'client',
    'keepalive',
    'version',
    'events',
    'subscriptions',
  ]);
});

test('a hostile client attribute sends no control character to the terminal and does not shift a column', () => {
  const nasty = 'x\u001B[2J\u0007\u202E漢漢\n👩‍👩‍👧';
  const client = aClientRow({ name: nasty, address: nasty, version: nasty, subscriptions: [nasty] });
  const placed = layOutColumns(CLIENTS_VIEW, NONE, 120);
  for (const isCursor of [true, false]) {
    const entry = { key: nasty, row: clientEntry(client, new EventCounter(), undefined), isRemoved: false };
    const about = { placed, columns: 120, nowMs: NOW_MS, isCursor, isMarked: false, stale: false };
    const runs = tableRuns(entry, about);
    expect(runs.map(({ text }) => text).join('')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(runsWidth(runs)).toBe(120);
  }
});

test('the title of the sorted column always shows the direction, however narrow the column is', () => {
  expect(sortedTitle('AGE', { reversed: false }, 4)).toBe('AGE▼');
  expect(sortedTitle('COUNT', { reversed: true }, 5)).toBe('COUN▲');
});

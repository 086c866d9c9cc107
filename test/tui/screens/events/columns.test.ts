import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SilencedRow } from '../../../../shared/schemas/feed.ts';
import { tableHead, tableRuns } from '../../../../tui/list/table-columns.ts';
import { EVENTS_VIEW } from '../../../../tui/screens/events/table.ts';
import { fitEventColumns } from '../../../../tui/screens/events/layout.ts';
import type { Run } from '../../../../tui/text/theme.ts';
import { rowText } from '../../../../tui/text/row.tsx';
import { runsWidth } from '../../../../tui/text/runs.ts';
import { EventRecord } from '../../../../tui/model/event-record.ts';
import { anEventRow, aSilencedRow } from '../../../support/feed-rows.ts';
import { propertyRuns } from '../../../support/property-runs.ts';

const NOW_MS = Date.UTC(2026, 10, 20, 12);
const THEME = { color: true, ascii: false };

/** The only escape sequences that the console writes: changes of style. */
const LOOKS = /\u001B\[[\d;]+m/g;
const CONTROL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

interface RowAbout {
  readonly isCursor?: boolean;
  readonly isMarked?: boolean;
  readonly silence?: SilencedRow;
  readonly content?: ReadonlyMap<string, number>;
}

function eventRuns(
  record: EventRecord,
  columns: number,
  { silence, isCursor = false, isMarked = false, content = new Map() }: RowAbout = {},
): readonly Run[] {
  const row = { record, silence, isPlaced: false };
  const { placed } = fitEventColumns(columns, { content });
  const about = { placed, columns, nowMs: NOW_MS, isCursor, isMarked, stale: false };
  return tableRuns(
    { key: record.key, row, isRemoved: record.isRemoved },
    { ...about, look: EVENTS_VIEW.rowLook?.(row, NOW_MS) },
  );
}

function textOf(record: EventRecord, columns: number, more: RowAbout = {}): string {
  return eventRuns(record, columns, more)
    .map(({ text }) => text)
    .join('');
}

test('a row of the event list and the header fill the screen exactly at every width', () => {
  const record = new EventRecord(
    'k',
    anEventRow({ client: 'a-rather-long-name.eu-west-1.example.org', occurrences: 123_456 }),
  );
  const widths = Array.from({ length: 260 - 60 }, (_, index) => index + 60);
  for (const columns of widths) {
    const { placed } = fitEventColumns(columns);
    expect(runsWidth(tableHead(placed, { column: 'status', reversed: false }, columns))).toBe(columns);
    expect(runsWidth(eventRuns(record, columns))).toBe(columns);
  }
});

test('a hostile text in the event list sends no control byte to the terminal and does not shift a column', () => {
  const nasty = fc.string({
    unit: fc.oneof(
      fc.constantFrom('\u001B', '\u009B', '\u0007', '\n', '\r', '\t', '\u202E', '\u200D', '\uFE0F', '\u0300', '\uD800'),
      fc.constantFrom('[2J', ']0;x', '漢', '👩‍👩‍👧', 'é', 'ａ', '🇩🇪'),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 2 }),
    ),
    maxLength: 40,
  });
  fc.assert(
    fc.property(nasty, nasty, nasty, fc.boolean(), (client, check, output, isCursor) => {
      const record = new EventRecord('k', anEventRow({ client, check, output }));
      const runs = eventRuns(record, 120, { isCursor });
      expect(rowText(THEME, runs).replaceAll(LOOKS, '')).not.toMatch(CONTROL);
      expect(runsWidth(runs)).toBe(120);
      const silence = aSilencedRow({ creator: client, reason: output });
      const silenced = new EventRecord('k', anEventRow({ client, check, silenced_by: ['x'] }));
      expect(runsWidth(eventRuns(silenced, 80, { silence }))).toBe(80);
    }),
    { numRuns: propertyRuns(3500) },
  );
});

/** The widths of texts in a list that contains silenced events. */
const SILENCED = new Map([['silence', 8]]);

const RECOVERING = { results: 3, since: 100, last: 140, after: '5m' };

describe('the row of an event', () => {
  test.each([
    { name: 'critical', row: { status: 2 }, says: '✗ CRIT' },
    { name: 'warning', row: { status: 1 }, says: '! WARN' },
    { name: 'unknown', row: { status: 127 }, says: '? UNKN' },
    { name: 'flapping', row: { status: 2, action: 'flapping' as const }, says: '~ CRIT' },
    { name: 'recovering', row: { status: 2, recovering: RECOVERING }, says: '↑ CRIT' },
    { name: 'the progress of a recovery', row: { recovering: RECOVERING }, says: 'recovering, OK for 40s of 5m' },
    { name: 'silenced', row: { status: 2, silenced_by: ['x'] }, says: 'S CRIT' },
    { name: 'the age of the event', row: { since: NOW_MS / 1000 - 7300 }, says: ' 2h ' },
    { name: 'a count too long for its column', row: { occurrences: 1_234_567 }, says: '1234k' },
  ])('the row of an event shows the state in words: $name', ({ row, says }) => {
    expect(textOf(new EventRecord('k', anEventRow(row)), 120)).toContain(says);
  });

  test.each([
    { name: 'the remaining time', silence: { expire_at: NOW_MS / 1000 + 2460 }, says: '41m left' },
    { name: 'a silence until the event resolves', silence: { expire_on_resolve: true }, says: 'until OK' },
    { name: 'a silence without an end', silence: {}, says: 'no end' },
  ])('the row of a silenced event shows its output and $name', ({ silence, says }) => {
    const record = new EventRecord('k', anEventRow({ silenced_by: ['x'], output: 'the disk is full' }));
    const row = aSilencedRow({ expire_at: null, expire_on_resolve: false, ...silence });
    const text = textOf(record, 120, { silence: row, content: SILENCED });
    expect(text).toContain('S CRIT');
    expect(text).toContain(`  ${says}`);
    expect(text).toContain('the disk is full');
  });

  test('the output of a silenced event on a narrow screen goes before the end of the silence', () => {
    const record = new EventRecord('k', anEventRow({ silenced_by: ['x'], output: 'the disk is full' }));
    const text = textOf(record, 60, { silence: aSilencedRow(), content: SILENCED });
    expect(text).toContain('S CRIT');
    expect(text).not.toContain('no end');
    expect(text).toContain('the disk');
  });

  test('the row of a resolved event says OK while the list is paused', () => {
    const record = new EventRecord('k', anEventRow());
    record.isRemoved = true;
    expect(textOf(record, 120)).toContain('✓ OK');
    expect(textOf(record, 120)).toContain('resolved');
  });

  test('the row of an event shows the cursor and the mark', () => {
    expect(textOf(new EventRecord('k', anEventRow()), 120, { isCursor: true, isMarked: true })).toMatch(/^>\* /);
  });
});

function tonesOf(record: EventRecord, about: RowAbout = {}): readonly string[] {
  return eventRuns(record, 120, about).map(({ tone }) => tone);
}

describe('the tones of the row of an event', () => {
  test.each<{ name: string; row: Parameters<typeof anEventRow>[0]; tones: readonly string[] }>([
    {
      name: 'a critical event is red, and its status is bold',
      row: { status: 2 },
      tones: ['critical-row', 'critical'],
    },
    { name: 'a warning is yellow', row: { status: 1 }, tones: ['warning'] },
    { name: 'an unknown status is magenta', row: { status: 3 }, tones: ['unknown'] },
    { name: 'a silenced event is faint', row: { status: 2, silenced_by: ['x'] }, tones: ['faint'] },
    {
      name: 'an inhibited event is faint',
      row: { status: 2, inhibited_by: { rule: 'r', client: 'sw-1', check: 'uplink' } },
      tones: ['faint'],
    },
    {
      name: 'an acknowledged event is faint',
      row: { status: 2, acknowledged: { by: 'bob', at: 0 } },
      tones: ['faint'],
    },
    {
      name: 'a flapping event has the color of its severity',
      row: { action: 'flapping' },
      tones: ['critical-row', 'flapping'],
    },
  ])('the row of $name', ({ row, tones }) => {
    const record = new EventRecord('k', anEventRow({ status: 2, ...row }));
    expect(new Set(tonesOf(record).filter((tone) => tone !== 'plain'))).toEqual(new Set(tones));
  });

  test('the row of a resolved event is green', () => {
    const record = new EventRecord('k', anEventRow({ status: 2 }));
    record.isRemoved = true;
    expect(new Set(tonesOf(record))).toEqual(new Set(['ok', 'plain']));
  });

  test('the row under the cursor keeps the color of its status up to the edge of the screen', () => {
    const record = new EventRecord('k', anEventRow({ status: 1, output: '' }));
    const runs = eventRuns(record, 120, { isCursor: true });
    expect(runs.map(({ tone }) => tone)).toEqual(['warning-inverse']);
    expect(runsWidth(runs)).toBe(120);
  });

  test('the row of an event that changed within 2 seconds is highlighted, and no longer after that', () => {
    const record = new EventRecord('k', anEventRow({ status: 1 }));
    record.changedAtMs = NOW_MS - 1999;
    expect(tonesOf(record)).toEqual(['warning-strong', 'warning-inverse', 'warning-strong', 'plain']);
    record.changedAtMs = NOW_MS - 2000;
    expect(tonesOf(record)).toEqual(['warning', 'plain']);
  });
});

/** Returns the widths of the columns of events by id, for texts of these widths. */
function columnWidths(
  columns: number,
  content: Readonly<Record<string, number>>,
  wide = false,
): Readonly<Record<string, number>> {
  const { placed } = fitEventColumns(columns, { wide, content: new Map(Object.entries(content)) });
  return Object.fromEntries(placed.map(({ column, width }) => [column.id, width]));
}

describe('the widths of the columns of events', () => {
  test('names are as wide as their texts, and the output gets the remaining cells', () => {
    expect(columnWidths(80, { client: 11, check: 11 })).toMatchObject({ client: 11, check: 11, output: 32 });
  });

  test('a long name gets the cells that the other name does not need', () => {
    expect(columnWidths(80, { client: 60, check: 4 })).toMatchObject({ client: 27, check: 6 });
    expect(columnWidths(80, { client: 60, check: 60 })).toMatchObject({ client: 19, check: 14 });
  });

  test.each([80, 120, 200])(
    'a name of 200 characters leaves, with full names on %i columns, space for the output',
    (columns) => {
      const { client = 0, check = 0, output = 0 } = columnWidths(columns, { client: 200, check: 12 }, true);
      expect(output).toBeGreaterThanOrEqual(24);
      expect(check).toBe(12);
      expect(client).toBeGreaterThan(20);
    },
  );

  test.each([20, 30, 40, 50])('the columns are not wider than a screen of only %i columns', (columns) => {
    const { placed } = fitEventColumns(columns);
    const cells = placed.reduce((sum, { width }) => sum + width + 2, 1);
    expect(cells).toBeLessThanOrEqual(columns);
  });
});

test('the column ESC is shown only if an event escalates, with its step and the time until the next one', () => {
  const now = NOW_MS / 1000;
  const escalations = [{ handler: 'page', step: 2, of: 3, at: now - 240, due: now + 960 }];
  const record = new EventRecord('k', anEventRow({ escalations }));
  const content = new Map([['escalation', 7]]);
  expect(textOf(record, 120, { content })).toContain(' 2/3 16m ');
  expect(textOf(record, 120)).not.toContain('2/3');
  expect(fitEventColumns(120, { content }).placed.map(({ column }) => column.title)).toContain('ESC');
  expect(fitEventColumns(120).placed.map(({ column }) => column.title)).not.toContain('ESC');
});

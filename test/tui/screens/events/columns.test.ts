import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SilencedRow } from '../../../../shared/schemas/feed.ts';
import { tableHead, tableRuns } from '../../../../tui/list/table-columns.ts';
import { EVENTS } from '../../../../tui/screens/events/table.ts';
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
}

function eventRuns(
  record: EventRecord,
  columns: number,
  { silence, isCursor = false, isMarked = false }: RowAbout = {},
): readonly Run[] {
  const row = { record, silence, isPlaced: false };
  const { placed } = fitEventColumns(columns);
  const about = { placed, columns, nowMs: NOW_MS, isCursor, isMarked, stale: false };
  return tableRuns(
    { key: record.key, row, isRemoved: record.isRemoved },
    { ...about, faint: EVENTS.isFaint?.(row) === true, tonedGaps: EVENTS.hasTonedGaps === true },
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

  test('the row of a silenced event shows who silenced it, for how long and why', () => {
    const record = new EventRecord('k', anEventRow({ silenced_by: ['x'] }));
    const silence = aSilencedRow({ creator: 'bob', reason: 'CHG-1', expire_at: NOW_MS / 1000 + 2460 });
    expect(textOf(record, 120, { silence })).toContain('silenced by bob, 41m left: CHG-1');
  });

  test('the row of a resolved event shows that the event is gone while the list is paused', () => {
    const record = new EventRecord('k', anEventRow());
    record.isRemoved = true;
    expect(textOf(record, 120)).toContain('✓ gone');
  });

  test('the row of an event shows the cursor and the mark', () => {
    expect(textOf(new EventRecord('k', anEventRow()), 120, { isCursor: true, isMarked: true })).toMatch(/^>\* /);
  });
});

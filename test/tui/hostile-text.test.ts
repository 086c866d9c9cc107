import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fitEventColumns } from '../../tui/screens/events/layout.ts';
import { rowText } from '../../tui/text/row.tsx';
import { layOutColumns, tableRuns } from '../../tui/list/table-columns.ts';
import { announcementText, eventSentence } from '../../tui/lines/sentences.ts';
import { EventRecord } from '../../tui/model/event-record.ts';
import { SILENCES_VIEW } from '../../tui/screens/silences/table.ts';
import { cellWidth } from '../../tui/terminal/cells.ts';
import { FEED_HELLO } from '../support/feed-server.ts';
import { anEventRow, aSilencedRow } from '../support/feed-rows.ts';
import { propertyRuns } from '../support/property-runs.ts';

const NOW_MS = FEED_HELLO.time;
const COLUMNS = 120;

/**
 * Text of harmless and harmful output: control characters, escape sequences, bidi, combining marks, wide characters.
 */
const hostile = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
      fc.constantFrom(
        '\u001B[2J',
        '\u001B]0;owned\u0007',
        '\u001B]52;c;cm0=\u0007',
        '\u009B31m',
        '\u0090q\u009C',
        '\u001B[31m',
        '\r\n',
        '\b\b',
        '\t',
        '\u202E',
        '\u2066x\u2069',
        '\u200B\u200D\uFEFF',
        'e\u0301\u0301\u0301\u0301\u0301\u0301',
        '日本',
        '👩‍👩‍👧‍👦',
        '🇩🇪',
        '\uD800',
        'ｱﾞ',
      ),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

/** The escape sequences that the console writes within a row: they turn text styles on and off. */
const OWN = /\u001B\[[\d;]*m/g;

const CONTROL = /[\u0000-\u001F\u007F-\u009F\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/;

/**
 * Returns the problem of a row that is wider than the screen or contains a control character that the console did not
 * write; `undefined` if there is no problem.
 */
function problemOf(text: string): string | undefined {
  const shown = text.replaceAll(OWN, '');
  if (CONTROL.test(shown)) return `a control character in ${JSON.stringify(shown)}`;
  const cells = cellWidth(shown);
  return cells > COLUMNS ? `${String(cells)} cells: ${JSON.stringify(shown)}` : undefined;
}

test('a hostile check output sends no control byte to the terminal and does not shift a column', () => {
  const { placed } = fitEventColumns(COLUMNS);
  const theme = { color: true, ascii: false };
  const about = { placed, columns: COLUMNS, nowMs: NOW_MS, isCursor: false, isMarked: false, stale: false };
  fc.assert(
    fc.property(hostile, hostile, hostile, fc.boolean(), (output, client, check, ascii) => {
      const record = new EventRecord('key', anEventRow({ client, check, output }));
      const row = { record, silence: undefined, isPlaced: false };
      const text = rowText({ ...theme, ascii }, tableRuns({ key: 'key', row, isRemoved: false }, about));
      expect(problemOf(text)).toBeUndefined();
      const shown = text.replaceAll(OWN, '');
      // Every row has the same width, so the columns right of a name stay aligned.
      expect(cellWidth(shown)).toBe(COLUMNS);
      expect(ascii && /[^ -~]/.test(shown)).toBe(false);
    }),
    { numRuns: propertyRuns(3000) },
  );
});

test('a hostile text of a silence sends no control byte to the terminal from the table of silences', () => {
  const placed = layOutColumns(SILENCES_VIEW, new Set(), COLUMNS);
  const about = { placed, columns: COLUMNS, nowMs: NOW_MS, isCursor: false, isMarked: false, stale: false };
  fc.assert(
    fc.property(hostile, hostile, (reason, creator) => {
      const silence = aSilencedRow({ id: creator, subscription: creator, reason, creator });
      const row = { entry: silence, silence, state: 'active', events: 1, endedAtMs: undefined, ...silence };
      const text = rowText({ color: true, ascii: false }, tableRuns({ key: creator, row, isRemoved: false }, about));
      expect(problemOf(text)).toBeUndefined();
    }),
    { numRuns: propertyRuns(1000) },
  );
});

test('a hostile text of an event sends no control byte to the terminal in screen-reader mode', () => {
  fc.assert(
    fc.property(hostile, hostile, hostile, (output, client, check) => {
      const row = anEventRow({ client, check, output });
      const texts = [
        eventSentence(row, NOW_MS),
        announcementText(
          [
            { kind: 'critical', row },
            { kind: 'resolved', row },
          ],
          NOW_MS,
        ),
      ];
      for (const text of texts) expect(CONTROL.test(text)).toBe(false);
    }),
    { numRuns: propertyRuns(1000) },
  );
});

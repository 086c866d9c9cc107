import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { rowChange } from '../../../tui/terminal/row-change.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { Screen } from '../../support/screen.ts';

const COLUMNS = 40;

/** Returns the row change as text, with `ESC` shown as `^`. */
function shownChange(previous: string, next: string, columns = 80): string {
  return rowChange(previous, next, columns).replaceAll('\u001B', '^');
}

test.each([
  ['no cell', 'web-1 disk 12s', 'web-1 disk 12s', ''],
  ['an age in the middle', 'web-1 disk 12s connect timeout', 'web-1 disk 13s connect timeout', '^[13G3'],
  ['two distant cells', '✗ CRIT web-1 disk full  12s', '! WARN web-1 disk full  13s', '^[1G! WARN^[26G3'],
  ['a shorter row', 'web-1 disk 12s and much more', 'web-1 disk 12s', '^[15G^[K'],
  ['a longer row', 'web-1 disk 12s', 'web-1 disk 12s  and more', '^[17Gand more'],
  ['a style', 'a web-1 is red', 'a \u001B[31mweb-1\u001B[39m is red', '^[3G^[31mweb-1^[m'],
  [
    'cells within a style',
    '\u001B[1m\u001B[31mCRIT 12s\u001B[39m\u001B[22m',
    '\u001B[1m\u001B[31mCRIT 13s\u001B[39m\u001B[22m',
    '^[7G^[1;31m3^[m',
  ],
  ['a wide character', 'name 日月 12s', 'name 日本 12s', '^[8G本'],
])('a change of %s in a row writes only the cells that differ', (_, previous, next, change) => {
  expect(shownChange(previous, next)).toBe(change);
});

test.each([
  ['a combining mark', 'e\u0301 is 12 years old'],
  ['an emoji, since terminals measure emoji differently', 'up 👍 12s'],
  ['a link', '\u001B]8;;http://x\u0007x\u001B]8;;\u0007'],
  ['an unknown style', '\u001B[58;5;1mx\u001B[59m y'],
])('a changed row is written as a whole for %s', (_, next) => {
  expect(rowChange('something else', next, 80)).toBe(`\u001B[1G\u001B[K${next}`);
});

test('a changed row is written as a whole if that is not longer', () => {
  expect(shownChange('ab', 'cd')).toBe('^[1Gcd');
  expect(shownChange('a\u001B[1mb\u001B[22mc\u001B[1md\u001B[22m', 'x')).toBe('^[1G^[Kx');
});

/** A row as Ink writes it: pieces of text, each with one style. */
const row = fc
  .array(
    fc.tuple(
      fc.constantFrom('', '1', '2', '7', '31', '38;5;208', '38;2;1;2;3', '44', '4'),
      fc.oneof(
        fc.string({ maxLength: 8, unit: 'grapheme-ascii' }),
        fc.constantFrom('日本', '…', '●', ' ', '      ', '12s', '13s', 'é', 'e\u0301', '👍', '│'),
      ),
    ),
    { maxLength: 7 },
  )
  .map((pieces) =>
    pieces.map(([look, text]) => (look === '' || text === '' ? text : `\u001B[${look}m${text}${offOf(look)}`)),
  );

function offOf(look: string): string {
  const off = { '1': '22', '2': '22', '7': '27', '4': '24', '44': '49' }[look] ?? '39';
  return `\u001B[${off}m`;
}

/** A pair of similar rows, as in consecutive frames. */
const rows = fc
  .tuple(row, row, fc.nat(6), fc.nat(6))
  .map(
    ([first, second, from, to]) =>
      [first.join(''), [...first.slice(0, from), ...second.slice(from, to), ...first.slice(to)].join('')] as const,
  );

test('writing only the changed cells leads to the same screen as writing the whole row', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(rows, { minLength: 1, maxLength: 20 }), async (changes) => {
      const changed = new Screen({ columns: COLUMNS, rows: changes.length });
      const drawn = new Screen({ columns: COLUMNS, rows: changes.length });
      onTestFinished(() => [changed, drawn].forEach((screen) => screen.dispose()));
      const shown = changes.map(([previous, next]) => [previous.trimEnd(), next.trimEnd()] as const);
      // Turns off line wrapping, because Ink never writes a row that is wider than the screen.
      changed.feed('\u001B[?7l');
      drawn.feed('\u001B[?7l');
      changed.feed(shown.map(([previous]) => previous).join('\n'));
      changed.feed('\u001B[H');
      changed.feed(
        shown.map(([previous, next]) => (previous === next ? '' : rowChange(previous, next, COLUMNS))).join('\n'),
      );
      drawn.feed(shown.map(([, next]) => next).join('\n'));
      await Promise.all([changed.settled(), drawn.settled()]);
      expect(changed.styledText).toBe(drawn.styledText);
    }),
    { numRuns: propertyRuns(100) },
  );
});

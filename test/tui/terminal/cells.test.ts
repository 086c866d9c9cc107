import * as fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { safeLine } from '../../../shared/domain/terminal-text.ts';
import { cellWidth, fitToWidth } from '../../../tui/terminal/cells.ts';
import { propertyRuns } from '../../support/property-runs.ts';

test.each([
  ['web-1', 5],
  ['Größe', 5],
  ['日本', 4],
  ['👍', 2],
  ['é', 1],
  ['', 0],
])('the text "%s" is %i cells wide', (text, cells) => {
  expect(cellWidth(text)).toBe(cells);
});

/**
 * Character clusters with joiners, variation selectors, marks and wide characters: terminals disagree on their width.
 */
const CLUSTERS = [
  '👍🏽',
  '👨‍👩‍👧',
  '🇩🇪',
  '🇩',
  '1️⃣',
  '❤️',
  '☁',
  '🏳️‍🌈',
  '한',
  'ᄒ',
  'ᅡ',
  'क्षि',
  'กำ',
  'ｶﾞ',
  'か\u3099',
  'e\u0301',
  'a',
];
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc
    .array(fc.constantFrom(...CLUSTERS, '\u200d', '\ufe0f', '\u0301'), { maxLength: 12 })
    .map((parts) => parts.join('')),
);

test('the measured width of safe text equals the width that Ink measures', () => {
  fc.assert(
    fc.property(anyText, (raw) => {
      const line = safeLine(raw);
      expect(cellWidth(line)).toBe(stringWidth(line));
      expect(cellWidth(`\u001B[1m\u001B[31m${line}\u001B[39m\u001B[22m`)).toBe(stringWidth(line));
    }),
    { numRuns: propertyRuns(2000) },
  );
});

test.each([
  ['pads on the right', 'web', 6, {}, 'web   '],
  ['pads on the left', '12', 4, { align: 'right' as const }, '  12'],
  ['leaves a text that fits unchanged', 'web', 3, {}, 'web'],
  ['cuts off the end of a long text', 'web-eu-west-017', 8, {}, 'web-eu-…'],
  ['cuts out the middle of a long text', 'web-eu-west-017', 8, { cut: 'middle' as const }, 'web-…017'],
  ['never cuts a wide character in two at the start', '日本語', 4, {}, '日… '],
  ['never cuts a wide character in two at the end', '日本語日本', 6, { cut: 'middle' as const }, '日…本 '],
  ['keeps letters and combining marks together', 'e\u0301e\u0301e\u0301', 2, {}, 'e\u0301…'],
  ['shows only the ellipsis in one cell', 'web', 1, {}, '…'],
  ['yields an empty text for no cells', 'web', 0, {}, ''],
])('fitting a text into a number of cells %s', (_rule, text, width, options, expected) => {
  expect(fitToWidth(text, width, options)).toBe(expected);
});

test('a fitted text always fills the width exactly, also by the measurement of Ink', () => {
  const options = fc.record({ align: fc.constantFrom('left', 'right'), cut: fc.constantFrom('end', 'middle') });
  fc.assert(
    fc.property(anyText.map(safeLine), fc.nat(20), options, (text, width, how) => {
      const fitted = fitToWidth(text, width, how);
      expect([cellWidth(fitted), stringWidth(fitted)]).toEqual([width, width]);
    }),
  );
});

import * as fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { safeLine, safeText } from '../../../shared/domain/terminal-text.ts';
import { cpuMs } from '../../support/cpu-ms.ts';
import { propertyRuns } from '../../support/property-runs.ts';

describe('text from outside on a terminal', () => {
  test.each([
    ['plain text stays', 'DISK CRITICAL - /var 91%', 'DISK CRITICAL - /var 91%'],
    ['letters of other scripts stay', 'Größe Ελλάδα Привет 日本語', 'Größe Ελλάδα Привет 日本語'],
    ['plain colors are removed', '\u001b[1;31mCRIT\u001b[0m disk \u001b[38:2:1:2:3mx', 'CRIT disk x'],
    ['8-bit colors are removed', '\u009b31mCRIT\u009bm', 'CRIT'],
    ['an unfinished color sequence is shown as text', '\u001b[31', '\\x1b[31'],
    ['the removal of a color does not form a new sequence', '\u001b\u001b[0m[2J', '\\x1b[2J'],
    ['a title change is shown as text', '\u001b]0;owned\u0007', '\\x1b]0;owned\\x07'],
    ['an unfinished title change is shown as text', '\u001b]0;owned', '\\x1b]0;owned'],
    ['a sequence that clears the screen is shown as text', '\u001b[2J\u001b[H', '\\x1b[2J\\x1b[H'],
    ['a query for the cursor position is shown as text', '\u001b[6n', '\\x1b[6n'],
    ['an 8-bit sequence is shown as text', '\u009b2J\u009d0;t\u009c', '\\x9b2J\\x9d0;t\\x9c'],
    ['a sixel picture is shown as text', '\u001bPq#0;2;0;0;0~\u001b\\', '\\x1bPq#0;2;0;0;0~\\x1b\\'],
    ['APC, PM and SOS sequences are shown as text', '\u001b_a\u001b^b\u001bXc', '\\x1b_a\\x1b^b\\x1bXc'],
    ['a link sequence is shown as text', '\u001b]8;;http://x\u001b\\y', '\\x1b]8;;http://x\\x1b\\y'],
    ['a clipboard sequence is shown as text', '\u001b]52;c;cm0gLXJm\u0007', '\\x1b]52;c;cm0gLXJm\\x07'],
    ['nested starts of sequences are shown as text', '\u001b\u001b]\u001b[', '\\x1b\\x1b]\\x1b['],
    ['backspace and DEL are shown as text', 'ok\b\b\u007f', 'ok\\x08\\x08\\x7f'],
    ['bidi control characters are shown as text', 'a\u202eb\u2066c\u200ed\u061c', 'a\\u202eb\\u2066c\\u200ed\\u061c'],
    ['characters without width are shown as text', 'ro\u200bot\ufeff\u2060\u00ad', 'ro\\u200bot\\ufeff\\u2060\\xad'],
    ['joiners that join nothing are shown as text', 'roo\u200dt a\ufe0f', 'roo\\u200dt a\\ufe0f'],
    ['joined emoji are split into emoji of known width', '❤️ 👨‍👩‍👧 👍🏽', '❤ 👨👩👧 👍'],
    ['a flag is shown as its letters', '🇩🇪 up', 'DE up'],
    ['line and paragraph separators are shown as text', 'a\u2028b\u2029c', 'a\\u2028b\\u2029c'],
    ['lone surrogates are shown as text', 'a\ud83d b\udc4d', 'a\\ud83d b\\udc4d'],
    ['noncharacters are shown as text', '\uffff\u{1ffff}', '\\uffff\\u{1ffff}'],
    ['every space character becomes a plain space', 'a\u00a0b\u2003c\u3000d', 'a b c  d'],
    ['a letter and its combining mark become one character', 'e\u0301', 'é'],
    ['the number of combining marks is limited', `x${'\u0301'.repeat(50)}`, `x${'\u0301'.repeat(4)}`],
    ['a combining mark at the start does not change the text before it', '\u0301x', '\u25cc\u0301x'],
    ['separate Hangul letters are shown as text', '\u1100\u1100', '\\u1100\\u1100'],
    ['Hangul syllables stay', '\u1112\u1161\u11ab', '한'],
  ])('text from outside is made safe for the terminal: %s', (_rule, raw, safe) => {
    expect(safeText(raw)).toBe(safe);
    expect(safeLine(raw)).toBe(safe);
  });

  test.each([
    ['line ends stay in a text', 'a\nb\r\nc\n', 'a\nb\nc\n'],
    ['a carriage return does not overwrite the line', 'ok\rCRITICAL', 'ok\\x0dCRITICAL'],
    [
      'a tab moves to the next multiple of eight columns',
      '\ta\tbc\n12345678\tx',
      '        a       bc\n12345678        x',
    ],
  ])('text of several lines is made safe for the terminal: %s', (_rule, raw, safe) => {
    expect(safeText(raw)).toBe(safe);
  });

  test.each([
    ['line ends within a line become spaces', 'a\nb\r\nc', 'a b c'],
    ['line ends at the end are removed', 'a\r\n\n', 'a'],
    ['a tab becomes a space', 'a\tb', 'a b'],
  ])('a single line is made safe for the terminal: %s', (_rule, raw, safe) => {
    expect(safeLine(raw)).toBe(safe);
  });
});

/** Pieces of text that attacks on terminals consist of, and harmless ones. */
const HOSTILE_PIECES = (
  '\u001b|\u001b[|\u001b]0;|\u001bP|\u001b\\|\u0007|\u009b|\u009c|31m|2J|[|m|\n|\r|\t|' +
  '\u202e|\u2066|\u200b|\u200d|\ufe0f|\u0301|\u20e3|\u{1f3fb}|🇩|👩|❤|日|가|\u0e33|\u1100|\u1161|ok| |1'
).split('|');

const hostileText = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.string({ unit: 'grapheme', maxLength: 8 }),
      fc.integer({ min: 0, max: 0x9f }).map((code) => String.fromCharCode(code)),
      fc.integer({ min: 0xd800, max: 0xdfff }).map((code) => String.fromCharCode(code)),
      fc.constantFrom(...HOSTILE_PIECES),
    ),
    { maxLength: 24 },
  )
  .map((pieces) => pieces.join(''));

test('safe text never contains a control byte and always has the measured width', () => {
  fc.assert(
    fc.property(hostileText, (raw) => {
      const text = safeText(raw);
      const line = safeLine(raw);
      expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
      expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
      // Terminals that support character clusters and those that do not show the line with the same width.
      const oneByOne = Array.from(line).reduce((width, character) => width + stringWidth(character), 0);
      expect(stringWidth(line)).toBe(oneByOne);
    }),
    { numRuns: propertyRuns(3000) },
  );
});

test('safe text stays unchanged', () => {
  fc.assert(
    fc.property(hostileText, (raw) => {
      expect(safeText(safeText(raw))).toBe(safeText(raw));
      expect(safeLine(safeLine(raw))).toBe(safeLine(raw));
    }),
  );
});

test.each([
  ['unfinished escape sequences', '\u001b['.repeat(512 * 1024)],
  ['one very long color sequence', `\u001b[${'1;'.repeat(512 * 1024)}`],
  ['combining marks', '\u0301'.repeat(1024 * 1024)],
])('a megabyte of %s is made safe for the terminal in bounded time', (_name, raw) => {
  const started = cpuMs();
  safeText(raw);
  expect(cpuMs() - started).toBeLessThan(2000);
});

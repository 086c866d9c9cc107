import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { warningHeader, warningTexts } from '../../../shared/domain/warning-header.ts';

test('the Warning header quotes and joins its texts', () => {
  expect(warningHeader(['a "b", c', 'ü\n'])).toBe('299 - "a \\"b\\", c", 299 - "\\u00fc\\n"');
});

test('warning texts survive the round trip through the Warning header, and the header is ASCII', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 60 }), { maxLength: 8 }), (texts) => {
      const header = warningHeader(texts);
      expect(header).toMatch(/^[ -~]*$/);
      expect(warningTexts(header)).toEqual(texts);
    }),
  );
});

test('long texts of the Warning header are truncated, and texts beyond the limit are counted', () => {
  const texts = Array.from({ length: 100 }, (_, at) => `${String(at)} ${'☃'.repeat(1000)}`);
  const header = warningHeader(texts);
  expect(header.length).toBeLessThan(5000);
  const read = warningTexts(header);
  expect(read[0]).toBe(`0 ${'☃'.repeat(497)}…`);
  expect(read.at(-1)).toBe('and 99 more: see the log of the backend');
});

test.each([undefined, '', '110 - "Response is Stale"', '299 - "never ends', '299 - "\\x"'])(
  'the Warning header %j yields no text',
  (header) => {
    expect(warningTexts(header)).toEqual([]);
  },
);

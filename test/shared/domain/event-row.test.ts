import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { outputSummary } from '../../../shared/domain/event-row.ts';

test.each([
  { name: 'is the first line', output: 'disk full\n/var 99 %', expected: 'disk full' },
  { name: 'ends at a carriage return too', output: 'progress 1\rprogress 2', expected: 'progress 1' },
  { name: 'is empty when the first line is', output: '\nsecond', expected: '' },
  { name: 'is cut', output: 'x'.repeat(300), expected: 'x'.repeat(200) },
  {
    name: 'shows half a character at the cut as a replacement',
    output: `${'x'.repeat(199)}🎈`,
    expected: `${'x'.repeat(199)}\uFFFD`,
  },
  { name: 'shows half a character from outside as a replacement', output: 'a\uD800b', expected: 'a\uFFFDb' },
])('a summary $name', ({ output, expected }) => {
  expect(outputSummary(output)).toBe(expected);
});

test('a summary is one line of valid UTF-8, whatever the output', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (output) => {
      const summary = outputSummary(output);
      expect(summary).not.toMatch(/[\r\n]/);
      expect(Buffer.from(summary).toString()).toBe(summary);
    }),
  );
});

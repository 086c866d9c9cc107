import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { outputSummary } from '../../../shared/domain/event-row.ts';

test.each([
  { name: 'is its first line', output: 'disk full\n/var 99 %', expected: 'disk full' },
  { name: 'ends at a carriage return', output: 'progress 1\rprogress 2', expected: 'progress 1' },
  { name: 'is the first line with text', output: '\n  \r\n second\nthird', expected: 'second' },
  { name: 'is empty if no line has text', output: '\n \n', expected: '' },
  { name: 'is truncated to 200 characters', output: 'x'.repeat(300), expected: 'x'.repeat(200) },
  {
    name: 'shows a character that is cut in half as U+FFFD',
    output: `${'x'.repeat(199)}🎈`,
    expected: `${'x'.repeat(199)}\uFFFD`,
  },
  { name: 'shows a lone surrogate of the output as U+FFFD', output: 'a\uD800b', expected: 'a\uFFFDb' },
])('the summary of a check output $name', ({ output, expected }) => {
  expect(outputSummary(output)).toBe(expected);
});

test('the summary of any check output is one line of valid UTF-8', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (output) => {
      const summary = outputSummary(output);
      expect(summary).not.toMatch(/[\r\n]/);
      expect(Buffer.from(summary).toString()).toBe(summary);
    }),
  );
});

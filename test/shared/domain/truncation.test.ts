import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { truncateOutput, truncatesOutput, withinOutputSize } from '../../../shared/domain/truncation.ts';

// The limit is in bytes of UTF-8; characters are never cut.
test.each<{ name: string; output: string; most: unknown; kept: string }>([
  { name: 'what fits is whole', output: 'abc', most: 3, kept: 'abc' },
  { name: 'what does not is cut', output: 'abcd', most: 3, kept: 'abc' },
  { name: 'with its lines', output: 'a\nb\nc', most: 3, kept: 'a\nb' },
  { name: 'never within a character of two bytes', output: 'aéé', most: 4, kept: 'aé' },
  { name: 'of three', output: '€€', most: 5, kept: '€' },
  { name: 'or of four', output: '😀😀', most: 7, kept: '😀' },
  { name: 'nor to a part of one', output: '😀', most: 3, kept: '' },
  { name: '0 is no bound', output: 'abc', most: 0, kept: 'abc' },
  { name: 'nor is a text', output: 'abc', most: '1', kept: 'abc' },
  { name: 'nor nothing', output: 'abc', most: undefined, kept: 'abc' },
])('max_output_size is applied: $name', ({ output, most, kept }) => {
  const check = { output, max_output_size: most };
  expect(withinOutputSize(check)).toEqual({ output: kept, max_output_size: most });
  // A check whose output fits is not copied.
  expect(withinOutputSize(check) === check).toBe(kept === output);
});

describe('the truncation of output', () => {
  test.each<{ name: string; check: Record<string, unknown>; expected: boolean }>([
    { name: 'not by default', check: {}, expected: false },
    { name: 'when asked to', check: { truncate_output: true }, expected: true },
    { name: 'of metrics', check: { type: 'metric' }, expected: true },
    { name: 'not of metrics that say no', check: { type: 'metric', truncate_output: false }, expected: false },
    {
      name: 'not of a check whose output goes to metric handlers of the v2 API',
      check: { type: 'metric', output_metric_format: 'graphite_plaintext', output_metric_handlers: ['tsdb'] },
      expected: false,
    },
    {
      name: 'not of an event of the v2 API that brings metrics',
      check: { type: 'metric', metrics: { handlers: ['tsdb'], points: [] }, event_metadata: { timestamp: 1 } },
      expected: false,
    },
    {
      name: 'of metrics with a format and no metric handlers',
      check: { type: 'metric', output_metric_format: 'graphite_plaintext', output_metric_handlers: [] },
      expected: true,
    },
    {
      name: 'of what goes to metric handlers when it asks for that',
      check: { type: 'metric', output_metric_handlers: ['tsdb'], truncate_output: true },
      expected: true,
    },
    { name: 'not of others', check: { type: 'standard' }, expected: false },
  ])('output is truncated $name', ({ check, expected }) => {
    expect(truncatesOutput(check)).toBe(expected);
  });

  test.each<{ name: string; output: string; length?: unknown; expected: string }>([
    { name: 'not when it is one short line', output: 'fine', expected: 'fine' },
    { name: 'not when it is empty', output: '', expected: '' },
    { name: 'to its first line', output: 'one\ntwo\nthree', expected: 'one\n...' },
    { name: 'without a mark when only newlines go', output: 'one\n\n\n', expected: 'one' },
    { name: 'to nothing when the first line is empty', output: '\ntwo', expected: '\n...' },
    { name: 'not at its length', output: 'x'.repeat(255), expected: 'x'.repeat(255) },
    {
      name: 'beyond its length, to one character more than it says',
      output: 'abcdef',
      length: 3,
      expected: 'abcd\n...',
    },
    { name: 'with the mark even when the one more is all', output: 'abcd', length: 3, expected: 'abcd\n...' },
    { name: 'to 256 characters unless told otherwise', output: 'x'.repeat(300), expected: `${'x'.repeat(256)}\n...` },
    {
      name: 'by characters, not halves of them',
      output: '😀'.repeat(5),
      length: 3,
      expected: `${'😀'.repeat(4)}\n...`,
    },
    { name: 'not when it has more halves than characters', output: '😀😀', length: 3, expected: '😀😀' },
    { name: 'as if no length was given when it is no number', output: 'abc', length: '1', expected: 'abc' },
    { name: 'as if no length was given when it is 0', output: 'abc', length: 0, expected: 'abc' },
    { name: 'also when it is nothing but newlines', output: '\n'.repeat(300), length: 3, expected: '\n\n\n\n\n...' },
  ])('output is truncated in the right form: $name', ({ output, length, expected }) => {
    expect(truncateOutput(output, length)).toBe(expected);
  });

  test('output is truncated to at most one character more than its length, and the mark', () => {
    const output = fc.string({ unit: fc.constantFrom('a', '\n', '😀', 'é'), maxLength: 40 });
    fc.assert(
      fc.property(output, fc.integer({ min: 1, max: 10 }), (text, length) => {
        const kept = truncateOutput(text, length);
        expect(Array.from(kept).length).toBeLessThanOrEqual(length + 1 + '\n...'.length);
        expect(text.startsWith(kept.replace(/\n\.\.\.$/, ''))).toBe(true);
      }),
    );
  });
});

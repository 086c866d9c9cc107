import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { truncateOutput, truncatesOutput, withinOutputSize } from '../../../shared/domain/truncation.ts';

// The limit is in bytes of UTF-8, and a character is never cut.
test.each<{ name: string; output: string; maxOutputSize: unknown; expectedOutput: string }>([
  { name: 'an output within the limit is unchanged', output: 'abc', maxOutputSize: 3, expectedOutput: 'abc' },
  { name: 'a longer output is truncated', output: 'abcd', maxOutputSize: 3, expectedOutput: 'abc' },
  { name: 'an output with several lines is truncated', output: 'a\nb\nc', maxOutputSize: 3, expectedOutput: 'a\nb' },
  {
    name: 'an output is never truncated within a character of two bytes',
    output: 'aéé',
    maxOutputSize: 4,
    expectedOutput: 'aé',
  },
  {
    name: 'an output is never truncated within a character of three bytes',
    output: '€€',
    maxOutputSize: 5,
    expectedOutput: '€',
  },
  {
    name: 'an output is never truncated within a character of four bytes',
    output: '😀😀',
    maxOutputSize: 7,
    expectedOutput: '😀',
  },
  { name: 'a single character that does not fit is removed', output: '😀', maxOutputSize: 3, expectedOutput: '' },
  { name: '0 is no limit', output: 'abc', maxOutputSize: 0, expectedOutput: 'abc' },
  { name: 'a text is no limit', output: 'abc', maxOutputSize: '1', expectedOutput: 'abc' },
  { name: 'a missing value is no limit', output: 'abc', maxOutputSize: undefined, expectedOutput: 'abc' },
])('max_output_size limits the output of a check: $name', ({ output, maxOutputSize, expectedOutput }) => {
  const check = { output, max_output_size: maxOutputSize };
  expect(withinOutputSize(check)).toEqual({ output: expectedOutput, max_output_size: maxOutputSize });
  // A check whose output fits is returned itself, not as a copy.
  expect(withinOutputSize(check) === check).toBe(expectedOutput === output);
});

describe('the truncation of output', () => {
  test.each<{ name: string; check: Record<string, unknown>; expected: boolean }>([
    { name: 'not by default', check: {}, expected: false },
    { name: 'with truncate_output: true', check: { truncate_output: true }, expected: true },
    { name: 'for a metric check', check: { type: 'metric' }, expected: true },
    {
      name: 'not for a metric check with truncate_output: false',
      check: { type: 'metric', truncate_output: false },
      expected: false,
    },
    {
      name: 'not for a check with metric handlers of the v2 API',
      check: { type: 'metric', output_metric_format: 'graphite_plaintext', output_metric_handlers: ['tsdb'] },
      expected: false,
    },
    {
      name: 'not for an event of the v2 API with metrics',
      check: { type: 'metric', metrics: { handlers: ['tsdb'], points: [] }, event_metadata: { timestamp: 1 } },
      expected: false,
    },
    {
      name: 'for a metric check with a metric format but no metric handlers',
      check: { type: 'metric', output_metric_format: 'graphite_plaintext', output_metric_handlers: [] },
      expected: true,
    },
    {
      name: 'for a check with metric handlers and truncate_output: true',
      check: { type: 'metric', output_metric_handlers: ['tsdb'], truncate_output: true },
      expected: true,
    },
    { name: 'not for a standard check', check: { type: 'standard' }, expected: false },
  ])('the stored output is truncated or not: $name', ({ check, expected }) => {
    expect(truncatesOutput(check)).toBe(expected);
  });

  test.each<{ name: string; output: string; length?: unknown; expected: string }>([
    { name: 'one short line is unchanged', output: 'fine', expected: 'fine' },
    { name: 'an empty output is unchanged', output: '', expected: '' },
    { name: 'several lines are truncated to the first line', output: 'one\ntwo\nthree', expected: 'one\n...' },
    { name: 'removed newlines at the end leave no mark', output: 'one\n\n\n', expected: 'one' },
    { name: 'an empty first line leaves only the mark', output: '\ntwo', expected: '\n...' },
    { name: 'a line of exactly the allowed length is unchanged', output: 'x'.repeat(255), expected: 'x'.repeat(255) },
    {
      name: 'a longer line is truncated to one character more than the allowed length',
      output: 'abcdef',
      length: 3,
      expected: 'abcd\n...',
    },
    { name: 'a line one character too long gets the mark', output: 'abcd', length: 3, expected: 'abcd\n...' },
    { name: 'the default length is 256 characters', output: 'x'.repeat(300), expected: `${'x'.repeat(256)}\n...` },
    {
      name: 'the length counts whole characters, not UTF-16 units',
      output: '😀'.repeat(5),
      length: 3,
      expected: `${'😀'.repeat(4)}\n...`,
    },
    {
      name: 'a line with more UTF-16 units than the allowed length is unchanged if its characters fit',
      output: '😀😀',
      length: 3,
      expected: '😀😀',
    },
    { name: 'an invalid length counts as absent', output: 'abc', length: '1', expected: 'abc' },
    { name: 'a length of 0 counts as absent', output: 'abc', length: 0, expected: 'abc' },
    { name: 'an output of only newlines is truncated', output: '\n'.repeat(300), length: 3, expected: '\n\n\n\n\n...' },
  ])('the truncated output has the right form: $name', ({ output, length, expected }) => {
    expect(truncateOutput(output, length)).toBe(expected);
  });

  test('truncated output has at most one character more than the maximum length before the cut mark', () => {
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

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { excessOfClient, excessOfResult } from '../../../shared/domain/attribute-limits.ts';

const LIMITS = { bytes: 1024, keys: 10 };
const nested = (levels: number): object => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`) as object;
const keys = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${String(at)}`, 1]));

describe('limits of the attributes of a client or a result (security S7)', () => {
  test.each([
    { title: 'as many bytes of JSON as allowed', record: { a: 'x'.repeat(1024 - 8) }, limit: undefined },
    { title: 'one byte of JSON more than allowed', record: { a: 'x'.repeat(1024 - 7) }, limit: 'bytes' },
    { title: 'characters of several bytes, which count as bytes,', record: { a: 'ä'.repeat(512) }, limit: 'bytes' },
    {
      title: 'many small values whose JSON is larger than allowed',
      record: { a: Array.from({ length: 600 }, () => 1) },
      limit: 'bytes',
    },
    { title: 'as many keys as allowed', record: keys(10), limit: undefined },
    { title: 'one key more than allowed', record: keys(11), limit: 'keys' },
    { title: 'one key more than allowed in a nested object', record: { a: [{ b: keys(11) }] }, limit: 'keys' },
    { title: '32 levels', record: nested(32), limit: undefined },
    { title: '33 levels', record: nested(33), limit: 'depth' },
  ])('a client with $title is accepted or exceeds the limit of attributes', ({ record, limit }) => {
    expect(excessOfClient(record, LIMITS)?.limit).toBe(limit);
  });

  test('the output and metrics of a result are exempt from the limits, except for their depth', () => {
    const long = 'x'.repeat(100_000);
    expect(excessOfResult({ output: long, metrics: { points: [long] } }, LIMITS)).toBeUndefined();
    expect(excessOfResult({ output: '', command: long }, LIMITS)?.limit).toBe('bytes');
    expect(excessOfResult({ output: '', metrics: nested(32) }, LIMITS)?.limit).toBe('depth');
    expect(excessOfClient({ output: long }, LIMITS)?.limit).toBe('bytes');
  });

  test.each([
    { title: 'the largest exact integer is allowed', value: 2 ** 53 - 1, limit: undefined },
    { title: 'a larger integer is rejected', value: 2 ** 53, limit: 'integer' },
    { title: 'a smaller negative integer is rejected', value: -(2 ** 53), limit: 'integer' },
    { title: 'a fraction is allowed', value: 2.5, limit: undefined },
  ])('integers of a result must be exactly representable (S8): $title', ({ value, limit }) => {
    expect(excessOfResult({ name: 'disk', nested: [{ value }] }, LIMITS)?.limit).toBe(limit);
    expect(excessOfResult({ name: 'disk', metrics: { points: [{ value }] } }, LIMITS)).toBeUndefined();
  });

  test('an oversized client is reported with its number of bytes, or as larger than a limit', () => {
    expect(excessOfClient({ a: 'x'.repeat(2000) }, LIMITS)?.message).toContain(
      'take 2008 bytes as JSON, but at most 1024 are allowed: send less',
    );
    const far = { a: Array.from({ length: 1_000_000 }, () => 1) };
    expect(excessOfClient(far, LIMITS)?.message).toContain(
      'take more than 4096 bytes as JSON, but at most 1024 are allowed: send less',
    );
  });

  test('a client or a result exceeds its limit exactly when it has more bytes than allowed', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 2, max: 300 }), (value, bytes) => {
        const record = { value };
        const isLarger = Buffer.byteLength(JSON.stringify(record)) > bytes;
        expect(excessOfClient(record, { bytes, keys: 1000 })?.limit).toBe(isLarger ? 'bytes' : undefined);
      }),
    );
  });
});

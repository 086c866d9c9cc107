import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeTuple, encodeTuple, tupleRange } from '../../../../daemon/backend/store/tuple.ts';
import { propertyRuns } from '../../../support/property-runs.ts';

type Part = string | number;
type Tuple = readonly Part[];

/** Mostly difficult values from a small set, so that tuples are often nearly equal. */
const part: fc.Arbitrary<Part> = fc.oneof(
  fc.constantFrom(
    '',
    'a',
    'aa',
    'b',
    '!',
    '"',
    ':',
    '\u0000',
    '\u0001',
    '\u0002',
    '\u0000\u0001',
    'a\u0000',
    'a\u0001',
  ),
  fc.string({ unit: 'binary', maxLength: 4 }),
  fc.constantFrom(0, 1, 9, 10, 11, 99, 100, 2 ** 32, 2 ** 53 - 1),
  fc.maxSafeNat(),
);
const tuple = fc.array(part, { maxLength: 4 });

/** Returns the bytes of an encoded tuple, which LevelDB compares. */
const bytes = (encoded: string): Buffer => Buffer.from(encoded, 'utf8');

/** Compares tuples part by part, in the order that every store guarantees. */
function compare(left: Tuple, right: Tuple): number {
  for (const [index, a] of left.entries()) {
    const b = right[index];
    if (b === undefined) return 1;
    if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
    const order = typeof a === 'number' ? Math.sign(a - Number(b)) : Buffer.compare(bytes(a), bytes(String(b)));
    if (order !== 0) return order;
  }
  return left.length === right.length ? 0 : -1;
}

test('decoding an encoded key tuple returns the original tuple', () => {
  fc.assert(
    fc.property(tuple, (key) => {
      expect(decodeTuple(encodeTuple(key))).toEqual(key);
    }),
  );
});

test('encoded key tuples sort like the tuples, and only equal tuples have equal encodings', () => {
  fc.assert(
    fc.property(tuple, tuple, (left, right) => {
      expect(Buffer.compare(bytes(encodeTuple(left)), bytes(encodeTuple(right)))).toBe(compare(left, right));
    }),
    { numRuns: propertyRuns(2000) },
  );
});

test('the key range of a prefix contains exactly the tuples that start with the prefix', () => {
  fc.assert(
    fc.property(tuple, tuple, fc.boolean(), (prefix, rest, isBelow) => {
      const key = isBelow ? [...prefix, ...rest] : rest;
      const encoded = bytes(encodeTuple(key));
      const { gte, lt } = tupleRange(prefix);
      const isInside = Buffer.compare(encoded, bytes(gte)) >= 0 && Buffer.compare(encoded, bytes(lt)) < 0;
      expect(isInside).toBe(prefix.every((each, index) => each === key[index]));
    }),
    { numRuns: propertyRuns(2000) },
  );
});

test('key tuples with the same text in different parts have different encodings', () => {
  expect(encodeTuple(['a:b', 'c'])).not.toBe(encodeTuple(['a', 'b:c']));
  expect(encodeTuple(['ab', ''])).not.toBe(encodeTuple(['a', 'b']));
  expect(encodeTuple([12])).not.toBe(encodeTuple([1, 2]));
  expect(encodeTuple(['1'])).not.toBe(encodeTuple([1]));
});

describe('invalid tuples', () => {
  test.each<{ name: string; key: Tuple }>([
    { name: 'a negative number', key: [-1] },
    { name: 'a fraction', key: [1.5] },
    { name: 'a number that is not exact', key: [2 ** 53] },
    { name: 'infinity', key: [Infinity] },
    { name: 'NaN', key: [NaN] },
    { name: 'the first half of a surrogate pair', key: ['\ud83d'] },
    { name: 'the second half of a surrogate pair', key: ['a', '\ude00b'] },
  ])('a key tuple with $name cannot be encoded', ({ key }) => {
    expect(() => encodeTuple(key)).toThrow(expect.objectContaining({ code: 'invalid' }));
  });

  test.each([
    { name: 'a string without end', encoded: '!abc' },
    { name: 'a number that is cut off', encoded: '\u00031' },
    { name: 'a number with other characters', encoded: '\u00021x' },
    { name: 'a number of no digits', encoded: '\u0000' },
    { name: 'an unknown tag', encoded: 'abc' },
  ])('a stored key with $name cannot be decoded', ({ encoded }) => {
    expect(() => decodeTuple(encoded)).toThrow(expect.objectContaining({ code: 'internal' }));
  });
});

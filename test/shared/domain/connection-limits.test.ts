import { expect, test } from 'vitest';
import { connectionLimits, connectionRejection } from '../../../shared/domain/connection-limits.ts';

test.each([
  {
    all: 50_000,
    files: Infinity,
    limits: { all: 50_000, withTunnels: 50_000, perAddress: 5000, answered: 64 },
    because: 'one address has a tenth',
  },
  {
    all: 50_000,
    files: 20_000,
    limits: { all: 18_976, withTunnels: 50_000, perAddress: 1897, answered: 64 },
    because: 'the store keeps its descriptors',
  },
  {
    all: 50_000,
    files: 1024,
    limits: { all: 768, withTunnels: 50_000, perAddress: 100, answered: 16 },
    because: 'of few it keeps a quarter',
  },
  {
    all: 500,
    files: 1024,
    limits: { all: 500, withTunnels: 500, perAddress: 100, answered: 16 },
    because: 'less than possible is fine',
  },
  {
    all: 500,
    perAddress: 500,
    files: 1024,
    limits: { all: 500, withTunnels: 500, perAddress: 500, answered: 16 },
    because: 'one may have all',
  },
])(
  'the connection limits follow from $all connections and $files files: $because',
  ({ all, perAddress, files, limits }) => {
    expect(connectionLimits(all, perAddress, files)).toEqual(limits);
  },
);

const limits = { all: 1000, perAddress: 100 };
test.each([
  { all: 999, ofAddress: 99, isShared: false, refusal: undefined },
  { all: 1000, ofAddress: 0, isShared: false, refusal: 'total' },
  { all: 1000, ofAddress: 0, isShared: true, refusal: 'total' },
  { all: 500, ofAddress: 100, isShared: false, refusal: 'address' },
  { all: 500, ofAddress: 499, isShared: true, refusal: undefined },
])('$all open, $ofAddress of an address (shared: $isShared): $refusal', ({ all, ofAddress, isShared, refusal }) => {
  expect(connectionRejection({ all, ofAddress }, isShared, limits)).toBe(refusal);
});

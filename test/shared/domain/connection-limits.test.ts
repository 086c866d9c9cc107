import { expect, test } from 'vitest';
import { connectionLimits, connectionRejection } from '../../../shared/domain/connection-limits.ts';

test.each([
  {
    all: 50_000,
    files: Infinity,
    limits: { all: 50_000, withTunnels: 50_000, perAddress: 5000, rejectionsWithReason: 64 },
    because: 'one address may use a tenth of all connections',
  },
  {
    all: 50_000,
    files: 20_000,
    limits: { all: 18_976, withTunnels: 50_000, perAddress: 1897, rejectionsWithReason: 64 },
    because: 'file descriptors are reserved for the store',
  },
  {
    all: 50_000,
    files: 1024,
    limits: { all: 768, withTunnels: 50_000, perAddress: 100, rejectionsWithReason: 16 },
    because: 'a quarter of a few file descriptors is reserved for the store',
  },
  {
    all: 500,
    files: 1024,
    limits: { all: 500, withTunnels: 500, perAddress: 100, rejectionsWithReason: 16 },
    because: 'a setting below the possible number applies as it is',
  },
  {
    all: 500,
    perAddress: 500,
    files: 1024,
    limits: { all: 500, withTunnels: 500, perAddress: 500, rejectionsWithReason: 16 },
    because: 'the setting may allow one address all connections',
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
])(
  'a connection after $all others, $ofAddress of one address (shared: $isShared), is rejected by: $refusal',
  ({ all, ofAddress, isShared, refusal }) => {
    expect(connectionRejection({ all, ofAddress }, isShared, limits)).toBe(refusal);
  },
);

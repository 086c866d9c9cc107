import { expect, test } from 'vitest';
import { formatPasswordHash, parsePasswordHash } from '../../../shared/schemas/password-hash.ts';

const good = { N: 32_768, r: 8, p: 3, salt: 's'.repeat(22), hash: 'h'.repeat(43) };

test('a password hash that is written parses to the same hash', () => {
  expect(parsePasswordHash(formatPasswordHash(good))).toEqual(good);
});

test.each([
  { name: 'the cost is not a power of two', hash: { ...good, N: 30_000 } },
  { name: 'the cost needs more memory than allowed', hash: { ...good, N: 1_048_576, r: 8 } },
  { name: 'the parallelization is 0', hash: { ...good, p: 0 } },
  { name: 'the parallelization is too high', hash: { ...good, p: 17 } },
  { name: 'the block size is 0', hash: { ...good, r: 0 } },
  { name: 'the salt is too short', hash: { ...good, salt: 'abc' } },
  { name: 'the hash is too short', hash: { ...good, hash: 'abc' } },
  { name: 'the text is not base64url', hash: { ...good, hash: `${'h'.repeat(42)}+` } },
])('the invalid password hash is rejected: $name', ({ hash }) => {
  expect(parsePasswordHash(formatPasswordHash(hash))).toBeUndefined();
});

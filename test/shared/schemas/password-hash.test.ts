import { expect, test } from 'vitest';
import { formatPasswordHash, parsePasswordHash } from '../../../shared/schemas/password-hash.ts';

const good = { N: 32_768, r: 8, p: 3, salt: 's'.repeat(22), hash: 'h'.repeat(43) };

test('a password hash is parsed as it was written', () => {
  expect(parsePasswordHash(formatPasswordHash(good))).toEqual(good);
});

test.each([
  { name: 'a cost that is no power of two', hash: { ...good, N: 30_000 } },
  { name: 'a cost that takes more memory than there may be', hash: { ...good, N: 1_048_576, r: 8 } },
  { name: 'no rounds', hash: { ...good, p: 0 } },
  { name: 'too many rounds', hash: { ...good, p: 17 } },
  { name: 'no block size', hash: { ...good, r: 0 } },
  { name: 'hardly any salt', hash: { ...good, salt: 'abc' } },
  { name: 'hardly any hash', hash: { ...good, hash: 'abc' } },
  { name: 'signs that base64url does not have', hash: { ...good, hash: `${'h'.repeat(42)}+` } },
])('the invalid password hash is rejected: $name', ({ hash }) => {
  expect(parsePasswordHash(formatPasswordHash(hash))).toBeUndefined();
});

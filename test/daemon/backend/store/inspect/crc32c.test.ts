import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { crc32c, maskChecksum } from '../../../../../daemon/backend/store/inspect/crc32c.ts';

// Test vectors of RFC 3720, B.4, and the check value of the catalog of CRCs.
test.each<{ name: string; bytes: Buffer; crc: number }>([
  { name: 'an empty text', bytes: Buffer.alloc(0), crc: 0 },
  { name: '123456789', bytes: Buffer.from('123456789'), crc: 0xe3_06_92_83 },
  { name: '32 zeros', bytes: Buffer.alloc(32), crc: 0x8a_91_36_aa },
  { name: '32 ones', bytes: Buffer.alloc(32, 0xff), crc: 0x62_a8_ab_43 },
  { name: '0 to 31', bytes: Buffer.from(Array.from({ length: 32 }, (_, at) => at)), crc: 0x46_dd_79_4e },
])('the CRC32C checksum of $name is correct', ({ bytes, crc }) => expect(crc32c(bytes)).toBe(crc));

test('the CRC32C checksum of a text in two parts equals that of the whole text', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), fc.uint8Array({ maxLength: 100 }), (first, second) => {
      expect(crc32c(second, crc32c(first))).toBe(crc32c(Buffer.concat([first, second])));
    }),
  );
});

test('the masked CRC32C checksum of a text is correct', () =>
  expect(maskChecksum(crc32c(Buffer.from('foo')))).toBe(maskChecksum(0xcf_c4_ae_1d)));

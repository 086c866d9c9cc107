/**
 * CRC-32C (Castagnoli), the checksum of all LevelDB files. Node.js only provides the CRC-32 with another polynomial.
 */

const POLYNOMIAL = 0x82_f6_3b_78;
const SLICE_COUNT = 8;

/**
 * Lookup tables for processing eight bytes at once: `TABLES[256 * slice + byte]` is the entry of `byte` in table
 * `slice`.
 */
const LOOKUP_TABLES = buildLookupTables();

/**
 * Constant that is added to each stored checksum, because a checksum of data that contains checksums is weak
 * (util/crc32c.h of LevelDB).
 */
const MASK_DELTA = 0xa2_82_ea_d8;

/**
 * Returns the checksum of `bytes`, or of a longer input that ends with `bytes`.
 *
 * @param before the checksum of the input before `bytes`; 0 if there is none
 */
export function crc32c(bytes: Uint8Array, before = 0): number {
  let crc = ~before;
  let at = 0;
  const alignedLength = bytes.length - (bytes.length % SLICE_COUNT);
  const byteAt = (index: number): number => bytes[index] ?? 0;
  for (; at < alignedLength; at += SLICE_COUNT) {
    crc ^= byteAt(at) | (byteAt(at + 1) << 8) | (byteAt(at + 2) << 16) | (byteAt(at + 3) << 24);
    crc =
      lookupEntry(7, crc) ^
      lookupEntry(6, crc >>> 8) ^
      lookupEntry(5, crc >>> 16) ^
      lookupEntry(4, crc >>> 24) ^
      lookupEntry(3, byteAt(at + 4)) ^
      lookupEntry(2, byteAt(at + 5)) ^
      lookupEntry(1, byteAt(at + 6)) ^
      lookupEntry(0, byteAt(at + 7));
  }
  for (; at < bytes.length; at++) crc = lookupEntry(0, crc ^ byteAt(at)) ^ (crc >>> 8);
  return ~crc >>> 0;
}

function lookupEntry(slice: number, byte: number): number {
  return LOOKUP_TABLES[256 * slice + (byte & 0xff)] ?? 0;
}

/** Returns a checksum in the form in which LevelDB stores it. */
export function maskChecksum(crc: number): number {
  return (((crc >>> 15) | (crc << 17)) + MASK_DELTA) >>> 0;
}

function buildLookupTables(): Uint32Array {
  const all = new Uint32Array(256 * SLICE_COUNT);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
    all[byte] = crc;
  }
  for (let slice = 1; slice < SLICE_COUNT; slice++) {
    for (let byte = 0; byte < 256; byte++) {
      const crc = all[256 * (slice - 1) + byte] ?? 0;
      all[256 * slice + byte] = (all[crc & 0xff] ?? 0) ^ (crc >>> 8);
    }
  }
  return all;
}

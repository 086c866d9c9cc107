/** The object id of the type `bytea`, which is the same in all versions of PostgreSQL. */
const BYTEA_TYPE_ID = 17;

const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;

/**
 * Encodes a `bytea[]` in the binary format of PostgreSQL. The text format has two hex digits for each byte; its
 * encoding and decoding would take longer than all other steps of a write.
 */
export function byteaArray(items: readonly Buffer[]): Buffer {
  let length = HEADER_BYTES;
  for (const item of items) length += LENGTH_BYTES + item.length;
  const encoded = Buffer.allocUnsafe(length);
  // The header: number of dimensions, null flag, type of the items, number of items, and index of the first item.
  let at = 0;
  for (const word of [1, 0, BYTEA_TYPE_ID, items.length, 1]) at = encoded.writeInt32BE(word, at);
  for (const item of items) {
    at = encoded.writeInt32BE(item.length, at);
    at += item.copy(encoded, at);
  }
  return encoded;
}

/** Decodes a `bytea[]` in the text format of PostgreSQL, such as `{"\\x6162","\\x63"}`. */
export function byteaItems(text: string): Buffer[] {
  return Array.from(text.matchAll(HEX_ITEM), ([, hex = '']) => Buffer.from(hex, 'hex'));
}

const HEX_ITEM = /\\x([\da-f]*)/g;

/** The object id of the type `bytea`, which PostgreSQL fixes permanently. */
const BYTEA = 17;

const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;

/**
 * Encodes a `bytea[]` in the binary form of PostgreSQL. The text form would double every byte, and both sides would
 * spend more time on it than on the rest of a write.
 */
export function byteaArray(items: readonly Buffer[]): Buffer {
  let length = HEADER_BYTES;
  for (const item of items) length += LENGTH_BYTES + item.length;
  const encoded = Buffer.allocUnsafe(length);
  // Number of dimensions, null flag, type of the items, and length and first index of the one dimension.
  let at = 0;
  for (const word of [1, 0, BYTEA, items.length, 1]) at = encoded.writeInt32BE(word, at);
  for (const item of items) {
    at = encoded.writeInt32BE(item.length, at);
    at += item.copy(encoded, at);
  }
  return encoded;
}

/** Returns the items of a `bytea[]` in text form: `{"\\\\x6162","\\\\x63"}`. */
export function byteaItems(text: string): Buffer[] {
  return Array.from(text.matchAll(ITEM), ([, hex = '']) => Buffer.from(hex, 'hex'));
}

const ITEM = /\\x([\da-f]*)/g;

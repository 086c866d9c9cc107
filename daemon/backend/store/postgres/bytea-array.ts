/** The type `bytea`, by the number that PostgreSQL gives it for good. */
const BYTEA = 17;

const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;

/**
 * A `bytea[]` as PostgreSQL takes it in binary form. The text form would double every byte, and both sides would spend more
 * time on it than on the rest of a write.
 */
export function byteaArray(items: readonly Buffer[]): Buffer {
  let length = HEADER_BYTES;
  for (const item of items) length += LENGTH_BYTES + item.length;
  const encoded = Buffer.allocUnsafe(length);
  // Dimensions, whether there are nulls, the type of the items, and of the one dimension its length and first index.
  let at = 0;
  for (const word of [1, 0, BYTEA, items.length, 1]) at = encoded.writeInt32BE(word, at);
  for (const item of items) {
    at = encoded.writeInt32BE(item.length, at);
    at += item.copy(encoded, at);
  }
  return encoded;
}

/** The items of a `bytea[]` in text form: `{"\\\\x6162","\\\\x63"}`. */
export function byteaItems(text: string): Buffer[] {
  return Array.from(text.matchAll(ITEM), ([, hex = '']) => Buffer.from(hex, 'hex'));
}

const ITEM = /\\x([\da-f]*)/g;

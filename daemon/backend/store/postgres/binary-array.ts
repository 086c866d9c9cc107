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

/** The items of a `bytea[]` in binary form. */
export function byteaItems(encoded: Buffer): Buffer[] {
  const items: Buffer[] = [];
  const dimensions = encoded.readInt32BE(0);
  if (dimensions === 0) return items;
  for (let at = HEADER_BYTES; at < encoded.length;) {
    const start = at + LENGTH_BYTES;
    at = start + encoded.readInt32BE(at);
    items.push(encoded.subarray(start, at));
  }
  return items;
}

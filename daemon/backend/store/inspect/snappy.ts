import { MonError } from '../../../../shared/errors.ts';
import { ByteReader } from './byte-reader.ts';

/** Maximum size in bytes of a decompressed block. The size of values is limited, so intact blocks are much smaller. */
const LENGTH_MAX = 256 * 1024 * 1024;

/**
 * Decompresses a block that LevelDB has compressed with Snappy (format_description.txt of Snappy).
 *
 * @throws MonError `internal` if the block is damaged
 */
export function uncompressSnappy(compressed: Buffer): Buffer {
  const reader = new ByteReader(compressed);
  const length = reader.varint();
  if (length > LENGTH_MAX) throw damagedBlockError();
  const output = Buffer.alloc(length);
  let at = 0;
  while (!reader.isAtEnd) {
    const tag = reader.byte();
    const kind = tag & 3;
    if (kind === 0) {
      const literal = reader.take(1 + literalLength(reader, tag >>> 2));
      if (at + literal.length > length) throw damagedBlockError();
      literal.copy(output, at);
      at += literal.length;
    } else {
      const { size, offset } = copyOf(reader, kind, tag);
      if (offset === 0 || offset > at || at + size > length) throw damagedBlockError();
      // Copied byte by byte, because the source of a copy can overlap its destination.
      const end = at + size;
      for (; at < end; at++) output[at] = output[at - offset] ?? 0;
    }
  }
  if (at !== length) throw damagedBlockError();
  return output;
}

/** Returns the length of a literal minus one, as Snappy encodes it. */
function literalLength(reader: ByteReader, upper: number): number {
  const bytes = upper - 59;
  return bytes <= 0 ? upper : reader.take(bytes).readUIntLE(0, bytes);
}

function copyOf(reader: ByteReader, kind: number, tag: number): { readonly size: number; readonly offset: number } {
  if (kind === 1) return { size: 4 + ((tag >>> 2) & 7), offset: ((tag >>> 5) << 8) | reader.byte() };
  const bytes = kind === 2 ? 2 : 4;
  return { size: 1 + (tag >>> 2), offset: reader.take(bytes).readUIntLE(0, bytes) };
}

function damagedBlockError(): MonError {
  return new MonError('internal', 'a data block cannot be decompressed');
}

import { MonError } from '../../../../shared/errors.ts';

/**
 * Reads consecutive fields of a LevelDB file. Throws a MonError `internal` if a field extends beyond the end of the
 * bytes.
 */
export class ByteReader {
  readonly #bytes: Buffer;
  #position: number;

  constructor(bytes: Buffer, at = 0) {
    this.#bytes = bytes;
    this.#position = at;
  }

  get at(): number {
    return this.#position;
  }

  get isAtEnd(): boolean {
    return this.#position >= this.#bytes.length;
  }

  byte(): number {
    const byte = this.#bytes[this.#position++];
    if (byte === undefined) throw cutOff();
    return byte;
  }

  /** Reads a number in the variable-length encoding of LevelDB. Numbers beyond 2^53 are not exact. */
  varint(): number {
    let value = 0;
    for (let scale = 1; scale < 2 ** 64; scale *= 128) {
      const byte = this.byte();
      value += (byte % 128) * scale;
      if (byte < 128) return value;
    }
    throw new MonError('internal', 'an encoded number has too many bytes');
  }

  take(length: number): Buffer {
    const end = this.#position + length;
    if (end > this.#bytes.length) throw cutOff();
    const taken = this.#bytes.subarray(this.#position, end);
    this.#position = end;
    return taken;
  }

  /** Reads a length, and then that number of bytes. */
  slice(): Buffer {
    return this.take(this.varint());
  }
}

function cutOff(): MonError {
  return new MonError('internal', 'it is truncated');
}

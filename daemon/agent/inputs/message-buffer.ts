const QUOTE_BYTE = 0x22;
const BACKSLASH_BYTE = 0x5c;
/** The bytes of `[` and `{`. */
const OPENING_BRACKETS: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING_BRACKETS: ReadonlySet<number> = new Set([0x5d, 0x7d]);
/** The bytes of tab, newline, carriage return and space. */
const SPACE_BYTES: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0d, 0x20]);

/**
 * Buffer for a JSON message that arrives in chunks. It counts brackets, so that the text is parsed only when it can be
 * complete: a message of a megabyte in chunks of one byte costs no more than in one chunk.
 */
export class MessageBuffer {
  readonly #pieces: Buffer[] = [];
  #bytes = 0;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** True if the last byte other than whitespace closed the outermost bracket. */
  #mayEndHere = false;

  get bytes(): number {
    return this.#bytes;
  }

  add(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    for (const byte of piece) this.#scan(byte);
  }

  /** True if the bytes so far can be a complete JSON object or array: their brackets are balanced. */
  get mayBeComplete(): boolean {
    return this.#mayEndHere;
  }

  /** Returns all bytes as text. Invalid UTF-8 bytes become U+FFFD, as in the output of a command. */
  text(): string {
    return Buffer.concat(this.#pieces).toString('utf8');
  }

  #scan(byte: number): void {
    if (this.#isInString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH_BYTE) this.#isEscaped = true;
      else if (byte === QUOTE_BYTE) this.#isInString = false;
      return;
    }
    if (SPACE_BYTES.has(byte)) return;
    this.#mayEndHere = false;
    if (byte === QUOTE_BYTE) this.#isInString = true;
    else if (OPENING_BRACKETS.has(byte)) this.#depth += 1;
    else if (CLOSING_BRACKETS.has(byte)) {
      this.#depth -= 1;
      this.#mayEndHere = this.#depth === 0;
    }
  }
}

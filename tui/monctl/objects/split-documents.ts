import { MonError } from '../../../shared/errors.ts';

/** The text of one object in a file, with its position in the file in bytes. */
export interface DocumentText {
  readonly offset: number;
  readonly length: number;
  readonly text: string;
}

/** Maximum size of an object in bytes, which is larger than the limit of the backend. */
const DOCUMENT_BYTES_MAX = 16 * 1024 * 1024;

/** Maximum number of bytes at the beginning of a file that are used to detect its format. */
const START_BYTES = 4096;

const NEWLINE_BYTE = 0x0a;
const QUOTE_BYTE = 0x22;
const BACKSLASH_BYTE = 0x5c;
const OPENING_BYTES = new Set([0x7b, 0x5b]);
const CLOSING_BYTES = new Set([0x7d, 0x5d]);
const BRACE_BYTE = 0x7b;
/** Bytes that may stand between JSON objects: blanks, the separators of a list, and dashes. */
const SEPARATOR_BYTES = new Set([0x20, 0x09, 0x0d, NEWLINE_BYTE, 0x2c, 0x5b, 0x5d, 0x2d]);
const BLANK_BYTES = new Set([0x20, 0x09, 0x0d, NEWLINE_BYTE, 0xef, 0xbb, 0xbf]);

/**
 * Splits a stream into objects without parsing them: YAML documents between lines of `---`, or JSON objects in sequence
 * or in a list. Only one object is in memory at a time.
 *
 * @throws MonError `invalid` for other text between JSON objects, `too_large` for an object above `DOCUMENT_BYTES_MAX`
 */
export async function* splitDocuments(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<DocumentText, void, undefined> {
  let splitter: Splitter | undefined;
  let skipped = 0;
  let start: Uint8Array = new Uint8Array();
  for await (const chunk of chunks) {
    if (splitter !== undefined) {
      yield* splitter.push(chunk);
      continue;
    }
    const read = joinBytes(start, chunk);
    const blanks = read.findIndex((byte) => !BLANK_BYTES.has(byte));
    skipped += blanks === -1 ? read.length : blanks;
    // The bytes are copied, because the buffer of a chunk may be reused.
    start = blanks === -1 ? new Uint8Array() : read.slice(blanks);
    splitter = detectSplitter(start, skipped);
    if (splitter !== undefined) yield* splitter.push(start);
  }
  if (splitter === undefined) {
    splitter = new YamlSplitter(skipped);
    yield* splitter.push(start);
  }
  yield* splitter.end();
}

/**
 * Detects the format from the beginning of a file. An object with quoted names, or a list of such objects, is JSON;
 * YAML may also begin with a brace, but then the names are unquoted.
 *
 * @returns `undefined` if more bytes are needed to decide
 */
function detectSplitter(start: Uint8Array, offset: number): Splitter | undefined {
  const text = Buffer.from(start.subarray(0, START_BYTES)).toString('latin1');
  if (/^\[?\s*\{?\s*$/.test(text) && start.length < START_BYTES) return undefined;
  const isJson = /^(?:\[\s*)?\{\s*["}]|^\[\s*\]/.test(text);
  return isJson ? new JsonSplitter(offset) : new YamlSplitter(offset);
}

/** Buffer for the bytes of an object that is not complete yet. */
class ObjectBuffer {
  #parts: Uint8Array[] = [];
  #length = 0;
  /** Position in the file of the first buffered byte, or of the next byte if the buffer is empty. */
  offset: number;

  constructor(offset: number) {
    this.offset = offset;
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  add(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#parts.push(bytes);
    this.#length += bytes.length;
    if (this.#length > DOCUMENT_BYTES_MAX) {
      throw new MonError('too_large', `the object at byte ${String(this.offset)} is too large`);
    }
  }

  skip(count: number): void {
    this.offset += count;
  }

  take(): DocumentText {
    const text = Buffer.concat(this.#parts).toString('utf8');
    const taken = { offset: this.offset, length: this.#length, text };
    this.offset += this.#length;
    this.#parts = [];
    this.#length = 0;
    return taken;
  }
}

interface Splitter {
  push(chunk: Uint8Array): Iterable<DocumentText>;
  end(): Iterable<DocumentText>;
}

class YamlSplitter implements Splitter {
  readonly #pending: ObjectBuffer;
  #line: Uint8Array = new Uint8Array();

  constructor(offset: number) {
    this.#pending = new ObjectBuffer(offset);
  }

  *push(chunk: Uint8Array): Iterable<DocumentText> {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE_BYTE); end !== -1; end = chunk.indexOf(NEWLINE_BYTE, start)) {
      yield* this.#addLine(joinBytes(this.#line, chunk.subarray(start, end + 1)));
      this.#line = new Uint8Array();
      start = end + 1;
    }
    // The bytes are copied, because the buffer of a chunk may be reused.
    this.#line = joinBytes(this.#line, chunk.slice(start));
    if (this.#line.length > DOCUMENT_BYTES_MAX) this.#pending.add(this.#line);
  }

  *end(): Iterable<DocumentText> {
    if (this.#line.length > 0) yield* this.#addLine(this.#line);
    if (!this.#pending.isEmpty) yield this.#pending.take();
  }

  *#addLine(line: Uint8Array): Iterable<DocumentText> {
    const isBorder = isMarker(line, '---') || isMarker(line, '...');
    if (isBorder && !this.#pending.isEmpty) yield this.#pending.take();
    this.#pending.add(line);
  }
}

/**
 * Returns true if the line is the given YAML document marker, `---` or `...`. The content of a document is indented or
 * begins differently, so these characters at the left margin are always a marker.
 */
function isMarker(line: Uint8Array, marker: string): boolean {
  for (let at = 0; at < marker.length; at++) if (line[at] !== marker.charCodeAt(at)) return false;
  return line.length === marker.length || BLANK_BYTES.has(line[marker.length] ?? 0);
}

class JsonSplitter implements Splitter {
  readonly #pending: ObjectBuffer;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;

  constructor(offset: number) {
    this.#pending = new ObjectBuffer(offset);
  }

  *push(chunk: Uint8Array): Iterable<DocumentText> {
    let start = 0;
    for (const [at, byte] of chunk.entries()) {
      if (this.#depth === 0) {
        if (byte === BRACE_BYTE) {
          start = at;
          this.#depth = 1;
        } else if (SEPARATOR_BYTES.has(byte)) {
          this.#pending.skip(1);
        } else {
          throw new MonError('invalid', `expected an object at byte ${String(this.#pending.offset)}`);
        }
      } else if (this.#closes(byte)) {
        this.#pending.add(chunk.slice(start, at + 1));
        yield this.#pending.take();
      }
    }
    if (this.#depth > 0) this.#pending.add(chunk.slice(start));
  }

  *end(): Iterable<DocumentText> {
    // An incomplete object is yielded too: the JSON parser reports it.
    if (!this.#pending.isEmpty) yield this.#pending.take();
  }

  /** Processes one byte inside an object, and returns true if it is the last byte of the object. */
  #closes(byte: number): boolean {
    if (this.#isInString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH_BYTE) this.#isEscaped = true;
      else if (byte === QUOTE_BYTE) this.#isInString = false;
      return false;
    }
    if (byte === QUOTE_BYTE) this.#isInString = true;
    else if (OPENING_BYTES.has(byte)) this.#depth++;
    else if (CLOSING_BYTES.has(byte)) this.#depth--;
    return this.#depth === 0;
  }
}

function joinBytes(before: Uint8Array, after: Uint8Array): Uint8Array {
  return before.length === 0 ? after : Buffer.concat([before, after]);
}

/**
 * Masking of WebSocket payloads (RFC 6455, 5.3), four bytes at a time. Masking byte by byte took half of the time to
 * receive a frame of some hundred bytes. The build uses this module in place of the package `bufferutil`, an optional
 * dependency of `ws`. Its functions must keep these names and parameters. When run from source, `ws` uses its own code.
 */

/** Masks or unmasks a payload in place. */
export function unmask(payload: Uint8Array, key: Uint8Array): void {
  const { buffer, byteOffset, length } = payload;
  // A 32-bit word must be aligned in memory, so up to three bytes come before the first word.
  const head = -byteOffset & 3;
  if (length < head) return maskBytes(payload, key, 0, length);
  const count = (length - head) >>> 2;
  const tail = head + 4 * count;
  maskBytes(payload, key, 0, head);
  const words = new Uint32Array(buffer, byteOffset + head, count);
  const word = wordOf(key, head);
  for (let at = 0; at < count; at++) words[at] = (words[at] ?? 0) ^ word;
  maskBytes(payload, key, tail, length);
}

/** Writes the first `length` bytes of `source`, masked, to `output` at `offset`. Both can be the same buffer. */
export function mask(source: Uint8Array, key: Uint8Array, output: Uint8Array, offset: number, length: number): void {
  output.set(source.subarray(0, length), offset);
  unmask(output.subarray(offset, offset + length), key);
}

function maskBytes(payload: Uint8Array, key: Uint8Array, from: number, to: number): void {
  for (let at = from; at < to; at++) payload[at] = (payload[at] ?? 0) ^ (key[at & 3] ?? 0);
}

/** Returns four bytes of the repeated masking key, from `start` on, in the byte order of this host. */
function wordOf(key: Uint8Array, start: number): number {
  for (let at = 0; at < 4; at++) WORD_BYTES[at] = key[(start + at) & 3] ?? 0;
  return WORD_BUFFER[0] ?? 0;
}

const WORD_BUFFER = new Uint32Array(1);
const WORD_BYTES = new Uint8Array(WORD_BUFFER.buffer);

import { expect, test } from 'vitest';
import * as bufferUtil from '../../../shared/domain/websocket-mask.ts';

const { mask, unmask } = bufferUtil;

const KEY = Uint8Array.of(0x37, 0xfa, 0x21, 0x3d);

/** Masks a payload as defined in RFC 6455, 5.3. */
function referenceMask(payload: Uint8Array): Uint8Array {
  return payload.map((byte, at) => byte ^ (KEY[at % 4] ?? 0));
}

function bytes(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, at) => (at * 31 + 7) % 256);
}

test('masking reproduces the masked "Hello" of RFC 6455, section 5.7', () => {
  const payload = Uint8Array.of(0x7f, 0x9f, 0x4d, 0x51, 0x58);
  unmask(payload, KEY);
  expect(new TextDecoder().decode(payload)).toBe('Hello');
});

test('WebSocket payloads of any length and alignment are masked without changes to the memory around them', () => {
  for (let start = 0; start < 8; start++) {
    for (let length = 0; length < 40; length++) {
      const memory = bytes(64);
      unmask(memory.subarray(start, start + length), KEY);
      expect(memory.subarray(start, start + length)).toEqual(referenceMask(bytes(64).subarray(start, start + length)));
      expect(memory.subarray(0, start)).toEqual(bytes(64).subarray(0, start));
      expect(memory.subarray(start + length)).toEqual(bytes(64).subarray(start + length));
    }
  }
});

test.each([{ offset: 0 }, { offset: 5 }])(
  'a WebSocket frame is masked at the offset $offset of its buffer',
  ({ offset }) => {
    const source = bytes(50);
    const output = new Uint8Array(60);
    mask(source, KEY, output, offset, 45);
    expect(output.subarray(offset, offset + 45)).toEqual(referenceMask(bytes(45)));
    expect(output.subarray(0, offset)).toEqual(new Uint8Array(offset));
    expect(output.subarray(offset + 45)).toEqual(new Uint8Array(15 - offset));
    expect(source).toEqual(bytes(50));
  },
);

test('a WebSocket payload is masked in place', () => {
  const payload = bytes(50);
  mask(payload, KEY, payload, 0, 50);
  expect(payload).toEqual(referenceMask(bytes(50)));
});

test('the module has the functions that ws calls by name, because programs use it in place of bufferutil', () => {
  expect(Object.keys(bufferUtil).toSorted()).toEqual(['mask', 'unmask']);
});

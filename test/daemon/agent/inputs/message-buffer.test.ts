import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { MessageBuffer } from '../../../../daemon/agent/inputs/message-buffer.ts';

function bufferOf(...pieces: (string | Buffer)[]): MessageBuffer {
  const buffer = new MessageBuffer();
  for (const piece of pieces) buffer.add(Buffer.from(piece));
  return buffer;
}

test.each<{ text: string; mayBeWhole: boolean }>([
  { text: '', mayBeWhole: false },
  { text: 'ping', mayBeWhole: false },
  { text: '{"name": "a"', mayBeWhole: false },
  { text: '{"name": "a"}', mayBeWhole: true },
  { text: ' {"name": "a"}\r\n', mayBeWhole: true },
  { text: '[{"name": "a"}', mayBeWhole: false },
  { text: '[{"name": "a"}]', mayBeWhole: true },
  { text: '{"output": "}"', mayBeWhole: false },
  { text: '{"output": "\\"}"', mayBeWhole: false },
  { text: '{"output": "\\\\"}', mayBeWhole: true },
  { text: '{} x', mayBeWhole: false },
])(
  'the message buffer with the text $text reports that the message may be complete: $mayBeWhole',
  ({ text, mayBeWhole }) => {
    expect(bufferOf(text).mayBeComplete).toBe(mayBeWhole);
  },
);

test('a JSON message that arrives in two pieces is complete at its end and not before', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue())),
      fc.nat(),
      (value, cut) => {
        const bytes = Buffer.from(JSON.stringify(value));
        const at = cut % bytes.length;
        const buffer = bufferOf(bytes.subarray(0, at));
        expect(buffer.mayBeComplete).toBe(false);
        buffer.add(bytes.subarray(at));
        expect(buffer.mayBeComplete).toBe(true);
        expect(buffer.bytes).toBe(bytes.length);
        expect(JSON.parse(buffer.text())).toEqual(JSON.parse(bytes.toString()));
      },
    ),
  );
});

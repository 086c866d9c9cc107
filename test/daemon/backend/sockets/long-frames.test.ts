import { expect, test, vi } from 'vitest';
import { LONG_FRAME_BYTES, LongFrames } from '../../../../daemon/backend/sockets/long-frames.ts';
import { longestTaskMs } from '../../../support/longest-task.ts';

interface Rig {
  readonly socket: { isPaused: boolean; pause(): void; resume(): void };
  readonly frames: LongFrames;
  readonly parsedValues: unknown[];
  readonly errors: unknown[];
  readonly add: (text: string) => void;
}

function openRig(): Rig {
  const socket = {
    isPaused: false,
    pause() {
      this.isPaused = true;
    },
    resume() {
      this.isPaused = false;
    },
  };
  const [parsedValues, errors]: [unknown[], unknown[]] = [[], []];
  const frames = new LongFrames(socket, (error) => errors.push(error));
  return { socket, frames, parsedValues, errors, add: (text) => frames.add(text, (value) => parsedValues.push(value)) };
}

const FILL = 'x'.repeat(LONG_FRAME_BYTES);

test('long frames are processed in order, and the socket is paused until the last frame is processed', async () => {
  const { socket, frames, parsedValues, add } = openRig();
  add(JSON.stringify({ at: 1, fill: FILL }));
  expect([frames.isBusy, socket.isPaused]).toEqual([true, true]);
  add('{"at":2}');
  // A resume has no effect while a frame is still being processed.
  frames.resume();
  expect(socket.isPaused).toBe(true);
  await vi.waitFor(() => expect(frames.isBusy).toBe(false));
  expect(parsedValues).toEqual([{ at: 1, fill: FILL }, { at: 2 }]);
  expect(socket.isPaused).toBe(false);
});

test('a socket that was paused stays paused after its long frames are processed', async () => {
  const { socket, frames, add } = openRig();
  add('{"at":1}');
  frames.pause();
  await vi.waitFor(() => expect(frames.isBusy).toBe(false));
  expect(socket.isPaused).toBe(true);
  frames.resume();
  expect(socket.isPaused).toBe(false);
});

test.each([
  ['invalid JSON', '{"a":', 'the frame is not JSON'],
  ['a million brackets', '['.repeat(1_000_000), 'the frame is nested deeper than 512 levels'],
  [
    'three million values',
    `[${'{},'.repeat(3_000_000)}0]`,
    'the frame has more than 1,000,000 values: send it in parts',
  ],
])('a frame with %s is rejected without blocking the event loop', async (_name, text, message) => {
  const { errors, frames, add } = openRig();
  const longestMs = await longestTaskMs(async () => {
    add(text);
    await vi.waitFor(() => expect(frames.isBusy).toBe(false));
  });
  expect(errors).toMatchObject([{ code: 'invalid', message }]);
  expect(longestMs).toBeLessThan(50);
});

test('the keys __proto__ and constructor in a long frame are ignored at any depth, even with long values', async () => {
  const { parsedValues, frames, add } = openRig();
  const many = JSON.stringify(Array.from({ length: 20_000 }, (_, at) => at));
  add(`{"a":[{"__proto__":{"b":1},"c":2}],"__proto__":${many},"constructor":1,"d":${many}}`);
  await vi.waitFor(() => expect(frames.isBusy).toBe(false));
  const [value] = parsedValues as Record<string, unknown>[];
  expect(Object.keys(value ?? {})).toEqual(['a', 'd']);
  expect(value?.['a']).toEqual([{ c: 2 }]);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});

import { once } from 'node:events';
import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  DATA_BYTES_MAX,
  FRAME_KINDS,
  FrameError,
  frameHead,
  WINDOW_BYTES,
} from '../../../../daemon/backend/cluster/channels/channel-frame.ts';
import type { Channel } from '../../../../daemon/backend/cluster/channels/channel.ts';
import { Channels } from '../../../../daemon/backend/cluster/channels/channels.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

/** Returns the two ends of a TCP connection. */
async function connectedSockets(): Promise<{ readonly near: Socket; readonly far: Socket }> {
  const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const near = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [far] = (await once(server, 'connection')) as [Socket];
  server.close();
  onTestFinished(() => {
    near.destroy();
    far.destroy();
  });
  return { near, far };
}

/** Starts the channels of one end of a connection. The test writes the bytes of the other end itself. */
function startEnd(
  socket: Socket,
  accept?: (channel: Channel) => void,
  head: Buffer = Buffer.alloc(0),
): ReturnType<typeof vi.fn<(error: FrameError | undefined) => void>> {
  const onClose = vi.fn<(error: FrameError | undefined) => void>();
  const channels = new Channels(socket, head, { ...(accept && { accept }), clock: new ManualClock(), onClose });
  onTestFinished(() => channels[Symbol.dispose]());
  return onClose;
}

interface Rig {
  readonly near: Channels;
  readonly far: Channels;
  readonly nearSocket: Socket;
  readonly farSocket: Socket;
  readonly clock: ManualClock;
  readonly onClose: ReturnType<typeof vi.fn>;
  /** Opens a channel, and returns both of its ends. */
  readonly open: () => Promise<{ readonly opened: Channel; readonly accepted: Channel }>;
}

async function start(): Promise<Rig> {
  const { near: nearSocket, far: farSocket } = await connectedSockets();
  const clock = new ManualClock();
  const onClose = vi.fn<(error: FrameError | undefined) => void>();
  const accepted: Channel[] = [];
  const accept = (channel: Channel): void => void accepted.push(channel);
  const none = Buffer.alloc(0);
  const far = new Channels(farSocket, none, { accept, clock, onClose });
  const near = new Channels(nearSocket, none, { clock, onClose: () => undefined });
  const open: Rig['open'] = async () => {
    const opened = near.open();
    await vi.waitFor(() => expect(accepted.map(({ id }) => id)).toContain(opened.id));
    return { opened, accepted: accepted.find(({ id }) => id === opened.id) as Channel };
  };
  return { near, far, nearSocket, farSocket, clock, onClose, open };
}

/** Reads a channel to its end. The function of `stream/consumers` would destroy both directions afterwards. */
async function buffer(channel: Channel): Promise<Buffer> {
  const chunks: Buffer[] = [];
  channel.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(channel, 'end');
  return Buffer.concat(chunks);
}

const text = async (channel: Channel): Promise<string> => String(await buffer(channel));

const pattern = (bytes: number, seed: number): Buffer => Buffer.alloc(bytes, `${String(seed)} and so on `);

test('each channel transfers its data completely and in order in both directions', async () => {
  const { near, far, open } = await start();
  await Promise.all(
    Array.from({ length: 20 }, async (_, at) => {
      const { opened, accepted } = await open();
      const there = pattern(300_000 + at, at);
      const back = pattern(200_000 + at, 100 + at);
      opened.end(there);
      accepted.end(back);
      const [heardThere, heardBack] = await Promise.all([buffer(accepted), buffer(opened)]);
      expect([heardThere.equals(there), heardBack.equals(back)]).toEqual([true, true]);
      expect(accepted.bytesRead).toBe(there.length);
      expect(opened.bytesWritten).toBe(there.length);
    }),
  );
  await vi.waitFor(() => expect([near.size, far.size]).toEqual([0, 0]));
});

test('a channel reads frames that arrive split into pieces of any size', async () => {
  const { near, far } = await connectedSockets();
  const accepted: Channel[] = [];
  startEnd(far, (channel) => accepted.push(channel));
  const { open, data, end } = FRAME_KINDS;
  const frames = Buffer.concat([
    frameHead(open, 7, 0),
    frameHead(data, 7, 5),
    Buffer.from('hello'),
    frameHead(data, 7, 0),
    frameHead(end, 7, 0),
  ]);
  near.setNoDelay(true);
  for (const byte of frames) {
    near.write(Buffer.of(byte));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await vi.waitFor(() => expect(accepted).toHaveLength(1));
  expect(await text(accepted[0] as Channel)).toBe('hello');
});

test('a channel processes a frame that was read together with the HTTP response head', async () => {
  const { far } = await connectedSockets();
  const accept = vi.fn<(channel: Channel) => void>();
  startEnd(far, accept, frameHead(FRAME_KINDS.open, 1, 0));
  expect(accept).toHaveBeenCalledOnce();
});

test('a channel whose reader stalls blocks no other channel and buffers at most its window', async () => {
  const { open } = await start();
  const stalled = await open();
  stalled.opened.write(pattern(10_000_000, 1));
  for (let at = 0; at < 5; at++) {
    const { opened, accepted } = await open();
    opened.end(pattern(1_000_000, at));
    expect(await buffer(accepted)).toHaveLength(1_000_000);
  }
  const { opened, accepted } = stalled;
  await vi.waitFor(() => expect(accepted.bytesRead).toBe(WINDOW_BYTES));
  expect(accepted.readableLength).toBe(WINDOW_BYTES);
  expect(opened.writableLength).toBe(10_000_000);
  accepted.resume();
  await vi.waitFor(() => expect(opened.writableLength).toBe(0));
  expect(accepted.bytesRead).toBe(10_000_000);
});

test('a connection that is not read applies backpressure to the writers of its channels', async () => {
  const { farSocket, nearSocket, open } = await start();
  const pairs = await Promise.all(Array.from({ length: 400 }, open));
  farSocket.pause();
  for (const { opened, accepted } of pairs) {
    accepted.resume();
    for (let at = 0; at < 8; at++) opened.write(pattern(DATA_BYTES_MAX, at));
  }
  await vi.waitFor(() => expect(nearSocket.writableNeedDrain).toBe(true));
  expect(nearSocket.writableLength).toBeLessThan(1024 * 1024);
  farSocket.resume();
  const whole = 8 * DATA_BYTES_MAX;
  await vi.waitFor(() => expect(pairs.map(({ accepted }) => accepted.bytesRead)).toEqual(pairs.map(() => whole)), 5000);
});

test('one end of a channel can still read after it has finished writing', async () => {
  const { open } = await start();
  const { opened, accepted } = await open();
  opened.on('end', () => opened.destroy());
  opened.end('that is all');
  expect(await text(accepted)).toBe('that is all');
  accepted.end('thanks');
  expect(await text(opened)).toBe('thanks');
});

test('data that was sent before a channel closed can be read, and a write to a closed channel fails', async () => {
  const { near, far, open } = await start();
  const { opened, accepted } = await open();
  accepted.write('the last words');
  accepted.destroy();
  await vi.waitFor(() => expect(far.size).toBe(0));
  await vi.waitFor(() => expect(near.size).toBe(0));
  // Both ends have removed the channel, but data that arrived before can still be read.
  expect(await text(opened)).toBe('the last words');
  const second = await open();
  second.opened.destroy();
  await vi.waitFor(() => expect(far.size).toBe(0));
  const failed = once(second.accepted, 'error');
  second.accepted.write('is anybody there?');
  expect(await failed).toMatchObject([{ code: 'EPIPE' }]);
});

test('a write that waits for the reader of a channel fails when the reader closes', async () => {
  const { open } = await start();
  const { opened, accepted } = await open();
  const failed = once(opened, 'error');
  opened.write(pattern(10_000_000, 1));
  await vi.waitFor(() => expect(accepted.bytesRead).toBe(WINDOW_BYTES));
  accepted.destroy();
  expect(await failed).toMatchObject([{ code: 'EPIPE' }]);
});

test('all channels close with their connection, and opening another channel in it fails', async () => {
  const { near, farSocket, onClose, open } = await start();
  const pairs = await Promise.all(Array.from({ length: 3 }, open));
  const ended = pairs.map(async ({ opened, accepted }) => [await text(opened), await text(accepted)]);
  farSocket.destroy();
  expect(await Promise.all(ended)).toEqual(pairs.map(() => ['', '']));
  expect(onClose).toHaveBeenCalledExactlyOnceWith(undefined);
  expect(near.isClosed).toBe(true);
  const late = near.open();
  await once(late, 'error');
  expect(near.size).toBe(0);
});

test('a retired connection stays open until its last channel closes', async () => {
  const { near, onClose, open } = await start();
  const { opened, accepted } = await open();
  near.retire();
  opened.write('still here');
  await once(accepted, 'readable');
  expect(String(accepted.read())).toBe('still here');
  opened.destroy();
  await vi.waitFor(() => expect(onClose).toHaveBeenCalledOnce());
});

test('a connection between backends that carries no data for ten seconds is closed', async () => {
  const { near, nearSocket, farSocket, clock } = await start();
  for (let at = 0; at < 10; at++) {
    const heard = [nearSocket, farSocket].map(async (socket) => once(socket, 'data'));
    clock.advance(2500);
    await Promise.all(heard);
  }
  expect(near.isClosed).toBe(false);
  farSocket.pause();
  farSocket.write = () => true;
  clock.advance(15_000);
  expect(near.isClosed).toBe(true);
});

const { open, data, credit } = FRAME_KINDS;
const opening = frameHead(open, 1, 0);
const piece = (bytes: number): Buffer => Buffer.concat([frameHead(data, 1, bytes), Buffer.alloc(bytes)]);
test.each([
  { what: 'a frame of an unknown kind', frames: [frameHead(9 as never, 1, 0)], error: 'unknown frame type 9' },
  {
    what: 'a frame that is too long',
    frames: [opening, frameHead(data, 1, DATA_BYTES_MAX + 1)],
    error: 'the frame is too long',
  },
  {
    what: 'an open frame for a channel that is open',
    frames: [opening, opening],
    error: 'the other cluster member opened the channel 1 twice',
  },
  {
    what: 'more data than the window of a channel',
    frames: [opening, ...Array(5).fill(piece(DATA_BYTES_MAX))],
    error: 'sent more data than',
  },
  {
    what: 'credit for data that was never sent',
    frames: [opening, frameHead(credit, 1, 1)],
    error: 'the other cluster member acknowledged more data than was sent',
  },
])('a connection between backends closes when it receives $what', async ({ frames, error }) => {
  const { near, far } = await connectedSockets();
  const onClose = startEnd(far, () => undefined);
  near.on('error', () => undefined);
  near.write(Buffer.concat(frames as Buffer[]));
  await vi.waitFor(() => expect(onClose).toHaveBeenCalledOnce());
  expect(onClose.mock.calls[0]?.[0]?.message).toContain(error);
});

test('the accepting end of a connection rejects channels that the other end opens', async () => {
  const { near, far } = await connectedSockets();
  const onClose = startEnd(near);
  far.write(opening);
  await vi.waitFor(() => expect(onClose.mock.calls[0]?.[0]).toBeInstanceOf(FrameError));
});

test('frames for a closed channel are ignored', async () => {
  const { nearSocket, open: openPair } = await start();
  for (const kind of [data, credit, FRAME_KINDS.end, FRAME_KINDS.gone]) nearSocket.write(frameHead(kind, 99, 0));
  const { opened, accepted } = await openPair();
  opened.end('well');
  expect(await text(accepted)).toBe('well');
});

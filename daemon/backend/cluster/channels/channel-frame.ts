/**
 * Kinds of frames on a connection with multiplexed channels. The header of a frame has eight bytes, big-endian: one for
 * the kind, three for an amount and four for the channel number. In a `data` frame, `amount` bytes of data follow the
 * header.
 */
export const FRAME_KINDS = {
  /** Sent at an interval to show that the sender is alive; a frame of this kind belongs to no channel. */
  alive: 0,
  /** Opens the channel whose number is in the header of the frame. */
  open: 1,
  data: 2,
  /** Allows the receiver of the frame to send `amount` more bytes on the channel. */
  credit: 3,
  /** Tells that the sender of the frame sends no more data on the channel; it still reads data. */
  end: 4,
  /** Closes the channel: the sender of the frame neither sends nor reads on it any longer. */
  gone: 5,
} as const;

export type FrameKind = (typeof FRAME_KINDS)[keyof typeof FRAME_KINDS];

/** Maximum bytes of data in one frame, so that a channel does not delay the other channels for long. */
export const DATA_BYTES_MAX = 16 * 1024;

/**
 * Flow control window of a channel: the maximum bytes that it sends before the reader grants more credit. 64 KiB are
 * 0.1 seconds of data at 5 Mbit/s.
 */
export const WINDOW_BYTES = 64 * 1024;

const HEAD_BYTES = 8;
const FRAME_KIND_COUNT = Object.keys(FRAME_KINDS).length;

/** The error for a violation of the frame protocol by the other end of the connection. */
export class FrameError extends Error {
  override readonly name = 'FrameError';
}

export interface ChannelFrameHandler {
  /** Handles a received frame of any kind except `data`. @throws FrameError */
  handleControlFrame(kind: FrameKind, channel: number, amount: number): void;
  /** Handles received bytes of a `data` frame; one call can hold only a part of the frame. @throws FrameError */
  handleData(channel: number, piece: Buffer): void;
}

export function frameHead(kind: FrameKind, channel: number, amount: number): Buffer {
  const head = Buffer.allocUnsafe(HEAD_BYTES);
  head.writeUInt32BE(kind * 2 ** 24 + amount, 0);
  head.writeUInt32BE(channel, 4);
  return head;
}

/** Parses frames from chunks of a byte stream. A frame can span several chunks. */
export class FrameReader {
  readonly #sink: ChannelFrameHandler;
  readonly #head = Buffer.alloc(HEAD_BYTES);
  #headBytes = 0;
  /** Number of the channel whose `data` frame is being read. */
  #channel = 0;
  #dataBytes = 0;

  constructor(sink: ChannelFrameHandler) {
    this.#sink = sink;
  }

  /** Parses the frames in the next chunk of the byte stream. @throws FrameError */
  read(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      at = this.#dataBytes > 0 ? this.#readData(chunk, at) : this.#readHead(chunk, at);
    }
  }

  #readData(chunk: Buffer, at: number): number {
    const end = Math.min(chunk.length, at + this.#dataBytes);
    this.#dataBytes -= end - at;
    this.#sink.handleData(this.#channel, chunk.subarray(at, end));
    return end;
  }

  #readHead(chunk: Buffer, at: number): number {
    const bytes = chunk.copy(this.#head, this.#headBytes, at);
    this.#headBytes += bytes;
    if (this.#headBytes === HEAD_BYTES) {
      this.#headBytes = 0;
      this.#begin(this.#head.readUInt32BE(0), this.#head.readUInt32BE(4));
    }
    return at + bytes;
  }

  #begin(first: number, channel: number): void {
    const kind = Math.floor(first / 2 ** 24);
    const amount = first % 2 ** 24;
    if (kind >= FRAME_KIND_COUNT) throw new FrameError(`unknown frame type ${String(kind)}`);
    if (kind !== FRAME_KINDS.data) {
      this.#sink.handleControlFrame(kind as FrameKind, channel, amount);
      return;
    }
    if (amount > DATA_BYTES_MAX) throw new FrameError(`the frame is too long: ${String(amount)} bytes`);
    this.#channel = channel;
    this.#dataBytes = amount;
  }
}

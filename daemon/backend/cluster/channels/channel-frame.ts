/**
 * Frames of a connection with channels. The head has eight bytes: kind (1), amount (3), channel number (4), each with
 * the highest byte first. In a `data` frame that number of bytes follows.
 */
export const FRAME_KINDS = {
  /** Shows that this end is alive; for no channel. */
  alive: 0,
  /** Opens a channel with this number. */
  open: 1,
  data: 2,
  /** Permits this number of additional bytes on the channel. */
  credit: 3,
  /** Ends the sending side of the channel; this end continues to read. */
  end: 4,
  /** Closes the channel: this end neither sends nor reads. */
  gone: 5,
} as const;

export type FrameKind = (typeof FRAME_KINDS)[keyof typeof FRAME_KINDS];

/** Maximum bytes of data in one frame, so that no channel delays the others for long. */
export const DATA_BYTES_MAX = 16 * 1024;

/** Maximum bytes that a channel sends ahead of its reader: a tenth of a second at 5 Mbit/s. */
export const WINDOW_BYTES = 64 * 1024;

const HEAD_BYTES = 8;
const KINDS = Object.keys(FRAME_KINDS).length;

/** The other end violated the frame protocol. */
export class FrameError extends Error {
  override readonly name = 'FrameError';
}

export interface ChannelFrameHandler {
  /** Handles any frame except data. @throws FrameError */
  heard(kind: FrameKind, channel: number, amount: number): void;
  /** Handles a part of a data frame, as it was read. @throws FrameError */
  heardData(channel: number, piece: Buffer): void;
}

export function frameHead(kind: FrameKind, channel: number, amount: number): Buffer {
  const head = Buffer.allocUnsafe(HEAD_BYTES);
  head.writeUInt32BE(kind * 2 ** 24 + amount, 0);
  head.writeUInt32BE(channel, 4);
  return head;
}

/** Parses frames, wherever the chunks read from the connection begin and end. */
export class FrameReader {
  readonly #sink: ChannelFrameHandler;
  readonly #head = Buffer.alloc(HEAD_BYTES);
  #headBytes = 0;
  /** Channel of the data frame that is being read. */
  #channel = 0;
  #dataBytes = 0;

  constructor(sink: ChannelFrameHandler) {
    this.#sink = sink;
  }

  /** @throws FrameError */
  read(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      at = this.#dataBytes > 0 ? this.#readData(chunk, at) : this.#readHead(chunk, at);
    }
  }

  #readData(chunk: Buffer, at: number): number {
    const end = Math.min(chunk.length, at + this.#dataBytes);
    this.#dataBytes -= end - at;
    this.#sink.heardData(this.#channel, chunk.subarray(at, end));
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
    if (kind >= KINDS) throw new FrameError(`unknown frame type ${String(kind)}`);
    if (kind !== FRAME_KINDS.data) {
      this.#sink.heard(kind as FrameKind, channel, amount);
      return;
    }
    if (amount > DATA_BYTES_MAX) throw new FrameError(`the frame is too long: ${String(amount)} bytes`);
    this.#channel = channel;
    this.#dataBytes = amount;
  }
}

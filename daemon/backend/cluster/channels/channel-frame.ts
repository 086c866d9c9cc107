/**
 * What is said over a connection with channels: a head of eight bytes (kind, amount in three bytes, number of the channel in four,
 * the highest byte first) and, in `data`, as many bytes as the amount says.
 */
export const FRAME_KINDS = {
  /** Nothing but that this end is still there; of no channel. */
  alive: 0,
  /** There is a channel of this number from now on. */
  open: 1,
  data: 2,
  /** So many bytes more may be sent on the channel. */
  credit: 3,
  /** This end sends nothing more on the channel, and goes on to read. */
  end: 4,
  /** This end has let go of the channel: it neither sends nor reads. */
  gone: 5,
} as const;

export type FrameKind = (typeof FRAME_KINDS)[keyof typeof FRAME_KINDS];

/** Longest piece in one frame, bytes: what one channel sends does not keep the others waiting for long. */
export const DATA_BYTES_MAX = 16 * 1024;

/** What may be sent on a channel ahead of what its reader has taken, bytes: a tenth of a second at 5 Mbit/s. */
export const WINDOW_BYTES = 64 * 1024;

const HEAD_BYTES = 8;
const KINDS = Object.keys(FRAME_KINDS).length;

/** The other end has said what none says. */
export class FrameError extends Error {
  override readonly name = 'FrameError';
}

export interface FrameSink {
  /** Anything but data. @throws FrameError */
  heard(kind: FrameKind, channel: number, amount: number): void;
  /** A part of a frame, as it was read. @throws FrameError */
  heardData(channel: number, piece: Buffer): void;
}

export function frameHead(kind: FrameKind, channel: number, amount: number): Buffer {
  const head = Buffer.allocUnsafe(HEAD_BYTES);
  head.writeUInt32BE(kind * 2 ** 24 + amount, 0);
  head.writeUInt32BE(channel, 4);
  return head;
}

/** Takes frames apart, wherever the pieces that are read of a connection begin and end. */
export class FrameReader {
  readonly #sink: FrameSink;
  readonly #head = Buffer.alloc(HEAD_BYTES);
  #headBytes = 0;
  /** Of the frame of data that is read now. */
  #channel = 0;
  #dataBytes = 0;

  constructor(sink: FrameSink) {
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
    if (kind >= KINDS) throw new FrameError(`there are no frames of kind ${String(kind)}`);
    if (kind !== FRAME_KINDS.data) {
      this.#sink.heard(kind as FrameKind, channel, amount);
      return;
    }
    if (amount > DATA_BYTES_MAX) throw new FrameError(`a frame has ${String(amount)} bytes`);
    this.#channel = channel;
    this.#dataBytes = amount;
  }
}

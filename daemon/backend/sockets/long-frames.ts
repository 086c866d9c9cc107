import { JsonChunksError, parseJsonInChunks } from '../../../shared/domain/json-chunks.ts';
import { FORBIDDEN_NAMES } from '../../../shared/domain/json-text.ts';
import { MonError } from '../../../shared/errors.ts';
import { inChunks } from '../store/time-slice.ts';
import type { FrameSocket } from './frame-socket.ts';

/**
 * The minimum size of frames that are parsed in chunks. Shorter ones take a few milliseconds, whatever their content.
 */
export const LONG_FRAME_BYTES = 64 * 1024;

/** The maximum nesting of a frame. Limits of results and clients are checked later. */
const DEPTH_MAX = 512;

interface WaitingFrame {
  /** The JSON text. */
  readonly text: string;
  readonly take: (value: unknown) => void;
}

/**
 * Parses the long frames of one connection in chunks, and delays the frames behind them. No frame blocks the event loop
 * (security S7), and all are processed in order. Meanwhile the socket is not read.
 */
export class LongFrames {
  readonly #socket: Pick<FrameSocket, 'pause' | 'resume' | 'isPaused'>;
  readonly #refuse: (error: unknown) => void;
  #waiting: WaitingFrame[] = [];
  #isBusy = false;
  #isPausedByOwner = false;

  /** @param refuse called with the `MonError` of a frame that cannot be parsed, or with the error of `take` */
  constructor(socket: Pick<FrameSocket, 'pause' | 'resume' | 'isPaused'>, refuse: (error: unknown) => void) {
    this.#socket = socket;
    this.#refuse = refuse;
  }

  /** True if frames are waiting; then every later frame must be added too. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Parses a frame after those before it, then calls `take` with its value, without forbidden names (S9). */
  add(text: string, take: (value: unknown) => void): void {
    this.#waiting.push({ text, take });
    if (this.#isBusy) return;
    this.#isBusy = true;
    this.#socket.pause();
    void this.#work();
  }

  /** Stops reading at the request of the connection. */
  pause(): void {
    this.#isPausedByOwner = true;
    this.#socket.pause();
  }

  /** Resumes reading, unless frames wait here. */
  resume(): void {
    this.#isPausedByOwner = false;
    if (!this.#isBusy && this.#socket.isPaused) this.#socket.resume();
  }

  async #work(): Promise<void> {
    for (let frame = this.#waiting.shift(); frame !== undefined; frame = this.#waiting.shift()) {
      try {
        frame.take(await parsed(frame.text));
      } catch (error) {
        this.#refuse(error instanceof JsonChunksError ? new MonError('invalid', `the frame ${error.message}`) : error);
      }
    }
    this.#isBusy = false;
    if (!this.#isPausedByOwner && this.#socket.isPaused) this.#socket.resume();
  }
}

async function parsed(text: string): Promise<unknown> {
  const options = {
    depthMax: DEPTH_MAX,
    // The length of the frame already limits its texts, as in a short frame: an agent would resend a rejected output
    // forever.
    textLengthMax: Infinity,
    inspect: strip,
    strictly: () => undefined,
  };
  const { value } = await inChunks(parseJsonInChunks(text, options));
  return value;
}

/** Removes the forbidden names at any depth. */
function strip(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) strip(item);
    return;
  }
  const object = value as Record<string, unknown>;
  for (const name of Object.keys(object)) {
    if (FORBIDDEN_NAMES.has(name)) Reflect.deleteProperty(object, name);
    else strip(object[name]);
  }
}

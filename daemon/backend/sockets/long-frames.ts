import { JsonChunksError, parseJsonInChunks } from '../../../shared/domain/json-chunks.ts';
import { FORBIDDEN_NAMES } from '../../../shared/domain/json-text.ts';
import { MonError } from '../../../shared/errors.ts';
import { runInChunks } from '../store/time-slice.ts';
import type { FrameSocket } from './frame-socket.ts';

/**
 * Minimum size in bytes of a frame that is parsed in chunks. A shorter frame is parsed in a few milliseconds, whatever
 * it contains.
 */
export const LONG_FRAME_BYTES = 64 * 1024;

/** Maximum nesting depth of the JSON in a long frame. The lower limits for results and clients are checked later. */
const DEPTH_MAX = 512;

interface WaitingFrame {
  /** The JSON text of the frame. */
  readonly text: string;
  readonly handleValue: (value: unknown) => void;
}

/**
 * Parses the long frames of one connection in chunks, so that no frame blocks the event loop (security S7). Meanwhile
 * the socket is paused and later frames wait in a queue, so that all frames are processed in order.
 */
export class LongFrames {
  readonly #socket: Pick<FrameSocket, 'pause' | 'resume' | 'isPaused'>;
  readonly #refuse: (error: unknown) => void;
  #waiting: WaitingFrame[] = [];
  #isBusy = false;
  #isPausedByOwner = false;

  /** @param refuse callback for the `MonError` of a frame that cannot be parsed, and for errors that `take` throws */
  constructor(socket: Pick<FrameSocket, 'pause' | 'resume' | 'isPaused'>, refuse: (error: unknown) => void) {
    this.#socket = socket;
    this.#refuse = refuse;
  }

  /**
   * True if a frame is being parsed. In this case all later frames must be added too, even short ones, to keep the
   * order.
   */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /**
   * Parses a frame after all earlier frames, then calls `take` with the parsed value. Properties with forbidden names
   * are removed (security S9).
   */
  add(text: string, handleValue: (value: unknown) => void): void {
    this.#waiting.push({ text, handleValue });
    if (this.#isBusy) return;
    this.#isBusy = true;
    this.#socket.pause();
    void this.#parseWaitingFrames();
  }

  /** Pauses the socket until the owner of the connection calls `resume`. */
  pause(): void {
    this.#isPausedByOwner = true;
    this.#socket.pause();
  }

  /** Resumes the socket. If frames are being parsed, it stays paused until all of them are processed. */
  resume(): void {
    this.#isPausedByOwner = false;
    if (!this.#isBusy && this.#socket.isPaused) this.#socket.resume();
  }

  async #parseWaitingFrames(): Promise<void> {
    for (let frame = this.#waiting.shift(); frame !== undefined; frame = this.#waiting.shift()) {
      try {
        frame.handleValue(await parseInChunks(frame.text));
      } catch (error) {
        this.#refuse(error instanceof JsonChunksError ? new MonError('invalid', `the frame ${error.message}`) : error);
      }
    }
    this.#isBusy = false;
    if (!this.#isPausedByOwner && this.#socket.isPaused) this.#socket.resume();
  }
}

async function parseInChunks(text: string): Promise<unknown> {
  const options = {
    depthMax: DEPTH_MAX,
    // As in short frames, only the size of the frame limits the length of strings. If the output of a check were
    // rejected here, the agent would send it again forever.
    textLengthMax: Infinity,
    inspect: removeForbiddenNames,
    strictly: () => undefined,
  };
  const { value } = await runInChunks(parseJsonInChunks(text, options));
  return value;
}

/** Removes properties with forbidden names from a JSON value, at any depth. */
function removeForbiddenNames(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) removeForbiddenNames(item);
    return;
  }
  const object = value as Record<string, unknown>;
  for (const name of Object.keys(object)) {
    if (FORBIDDEN_NAMES.has(name)) Reflect.deleteProperty(object, name);
    else removeForbiddenNames(object[name]);
  }
}

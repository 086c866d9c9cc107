import { Writable } from 'node:stream';
import { startDelay, type Delay } from './delay.ts';
import type { TerminalDevice } from './terminal-device.ts';

/** Source of the terminal size: `process.stdout`, or a fake in tests. */
export interface SizeSource {
  readonly columns: number;
  readonly rows: number;
  on(event: 'resize', listener: () => void): unknown;
  off(event: 'resize', listener: () => void): unknown;
}

type WriteCallback = (error?: Error | null) => void;

/**
 * Milliseconds between attempts to write while the terminal is busy: the first and the longest delay. The first is
 * short, because a terminal is usually busy with drawing the output that it just received.
 */
const RETRY_FIRST_MS = 1;
const RETRY_LAST_MS = 32;

/**
 * Number of queued bytes above which raw output is dropped: a few frames. A terminal that is stuck would not ring a
 * bell anyway.
 */
const RAW_BACKLOG_MAX = 64 * 1024;

/**
 * The `stdout` that Ink writes to. It joins everything that is written in one turn of the event loop into one write
 * (Ink writes a frame in three parts). It never blocks the event loop, and reports when the terminal has accepted all
 * output.
 *
 * No output may be lost, because Ink writes only the difference to the previous frame. To skip frames while the
 * terminal is busy, do not render them. Check `idle` before each render; if it is false, render once at the next `idle`
 * event. This also limits the queue. A resize makes Ink render by itself, so the event is delayed until `idle` too, and
 * then has the newest size; `writeRaw` drops its text if much is queued. Therefore at most one frame is queued, plus
 * the output of Ink's own timer of one millisecond.
 *
 * Events: `resize` as on `process.stdout`; `idle` when all output was accepted; `close` when the terminal is gone.
 */
export class FrameStdout extends Writable {
  readonly isTTY = true;
  columns: number;
  rows: number;
  readonly #device: TerminalDevice;
  readonly #size: SizeSource;
  readonly #after: Delay;
  #frame: { readonly bytes: Uint8Array; taken: number; readonly done: WriteCallback } | undefined;
  #isJoining = false;
  #isMuted = false;
  #isResized = false;
  #retryMs = RETRY_FIRST_MS;
  #retry: Disposable | undefined;

  constructor(device: TerminalDevice, size: SizeSource, after: Delay = startDelay) {
    super();
    this.#device = device;
    this.#size = size;
    this.#after = after;
    this.columns = size.columns;
    this.rows = size.rows;
    size.on('resize', this.#resized);
  }

  /** True if the terminal exists and has accepted all output. */
  get idle(): boolean {
    return this.writableLength === 0 && !this.destroyed;
  }

  override write(chunk: string | Uint8Array, encoding?: BufferEncoding | WriteCallback, done?: WriteCallback): boolean {
    this.#join();
    if (typeof encoding === 'function') return super.write(chunk, encoding);
    return super.write(chunk, encoding ?? 'utf8', done);
  }

  /**
   * Writes text that is not part of a frame, such as a bell or a clipboard sequence, between two frames.
   *
   * @returns false if the text was dropped, because the terminal is gone or does not keep up
   */
  writeRaw(text: string): boolean {
    if (this.destroyed || this.writableLength > RAW_BACKLOG_MAX) return false;
    this.write(text);
    return true;
  }

  /**
   * Drops all queued and future output until `unmute` is called, while another program uses the terminal.
   *
   * @returns true if a write was interrupted in the middle; otherwise false
   */
  mute(): boolean {
    this.#isMuted = true;
    const frame = this.#frame;
    this.#stopRetry();
    this.#frame = undefined;
    frame?.done();
    return frame !== undefined && frame.taken > 0;
  }

  /**
   * Accepts output again after `mute`. The content of the screen is unknown then, so the caller must draw all of it.
   */
  unmute(): void {
    this.#isMuted = false;
  }

  override _write(chunk: Uint8Array, _encoding: BufferEncoding, done: WriteCallback): void {
    this.#send(chunk, done);
  }

  override _writev(chunks: readonly { readonly chunk: Uint8Array }[], done: WriteCallback): void {
    this.#send(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
  }

  override _destroy(error: Error | null, done: WriteCallback): void {
    this.#stopRetry();
    this.#frame = undefined;
    this.#size.off('resize', this.#resized);
    done(error);
  }

  /** Delays writing to the end of this turn of the event loop, so that all output of the turn is one write. */
  #join(): void {
    if (this.#isJoining) return;
    this.#isJoining = true;
    this.cork();
    process.nextTick(() => {
      this.#isJoining = false;
      this.uncork();
    });
  }

  #send(bytes: Uint8Array, done: WriteCallback): void {
    if (this.#isMuted) {
      done();
      this.#settle();
      return;
    }
    this.#frame = { bytes, taken: 0, done };
    this.#advance();
  }

  #advance(): void {
    const frame = this.#frame;
    if (frame === undefined) return;
    try {
      const taken = frame.taken === frame.bytes.length ? 0 : this.#device.write(frame.bytes.subarray(frame.taken));
      frame.taken += taken;
      if (taken > 0) this.#retryMs = RETRY_FIRST_MS;
    } catch {
      // The terminal is gone. The program also receives a hang-up signal and handles it elsewhere.
      this.destroy();
      return;
    }
    if (frame.taken < frame.bytes.length) {
      this.#retry = this.#after(this.#retryMs, () => this.#advance());
      this.#retryMs = Math.min(RETRY_LAST_MS, this.#retryMs * 2);
      return;
    }
    this.#frame = undefined;
    frame.done();
    this.#settle();
  }

  #settle(): void {
    if (!this.idle) return;
    if (this.#isResized) this.#resized();
    this.emit('idle');
  }

  readonly #resized = (): void => {
    this.#isResized = !this.idle;
    if (this.#isResized) return;
    this.columns = this.#size.columns;
    this.rows = this.#size.rows;
    this.emit('resize');
  };

  #stopRetry(): void {
    this.#retry?.[Symbol.dispose]();
    this.#retry = undefined;
    this.#retryMs = RETRY_FIRST_MS;
  }
}

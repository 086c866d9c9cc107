import type { Urgency } from '../state/ports.ts';

/**
 * Maximum number of milliseconds between two frames of the screen, by the urgency of the changes. Even without changes
 * a frame is drawn each second, because it shows ages.
 */
const WAIT_MS: Readonly<Record<Urgency, number>> = { rows: 100, figures: 250, none: 1000 };

/** Milliseconds between two frames while the terminal window does not have the focus. */
const UNFOCUSED_WAIT_MS = 1000;

/** Milliseconds between two checks whether a frame is due. */
const FRAME_CHECK_MS = 50;

export interface FrameSource {
  readonly urgency: Urgency;
  readonly focused: boolean;
  /** Updates the state to the current time, in epoch milliseconds. */
  tick(nowMs: number): void;
  /** Draws a frame of the current state. */
  paint(): void;
}

/** The destination of frames; `idle` is true when the last frame is completely written. */
export interface FrameSink {
  readonly idle: boolean;
  on(event: 'idle', listener: () => void): unknown;
  off(event: 'idle', listener: () => void): unknown;
}

export interface FrameClock {
  now(): number;
  every(periodMs: number, task: () => void): Disposable;
}

/**
 * Decides when the screen is drawn (a frame): at once after a key press, and at most ten times a second for changes
 * from the feed. While the terminal is busy with the previous frame, no frame is drawn, because a drawn frame cannot be
 * skipped.
 */
export class FrameScheduler implements Disposable {
  readonly #source: FrameSource;
  readonly #sink: FrameSink;
  readonly #clock: FrameClock;
  readonly #timer: Disposable;
  #paintedAtMs = -Infinity;
  #isWaiting = false;

  constructor(source: FrameSource, sink: FrameSink, clock: FrameClock) {
    this.#source = source;
    this.#sink = sink;
    this.#clock = clock;
    sink.on('idle', this.#onIdle);
    this.#timer = clock.every(FRAME_CHECK_MS, () => this.#paintDue());
  }

  /** Draws a frame of the current state at once, or, if the terminal is busy, as soon as it is idle. */
  paintNow(): void {
    if (!this.#sink.idle) {
      this.#isWaiting = true;
      return;
    }
    this.#isWaiting = false;
    this.#paintedAtMs = this.#clock.now();
    this.#source.tick(this.#paintedAtMs);
    this.#source.paint();
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
    this.#sink.off('idle', this.#onIdle);
  }

  #paintDue(): void {
    const { urgency, focused } = this.#source;
    const waitMs = focused ? WAIT_MS[urgency] : UNFOCUSED_WAIT_MS;
    // No frames are queued for a busy terminal: its next frame shows the newest state.
    if (this.#sink.idle && this.#clock.now() - this.#paintedAtMs >= waitMs) this.paintNow();
  }

  readonly #onIdle = (): void => {
    if (this.#isWaiting) this.paintNow();
  };
}

import type { Urgency } from '../state/ports.ts';

/** How long what arrives may wait until it is drawn. Time passes on the screen too, so a second is the longest. */
const WAIT_MS: Readonly<Record<Urgency, number>> = { rows: 100, figures: 250, none: 1000 };

/** Nobody looks at a window without the focus. */
const UNFOCUSED_WAIT_MS = 1000;

/** How often it is looked whether a frame is due. */
const LOOK_MS = 50;

export interface FrameSource {
  readonly urgency: Urgency;
  readonly focused: boolean;
  /** Time has passed. Epoch milliseconds. */
  tick(nowMs: number): void;
  /** Draws a frame of what is known. */
  paint(): void;
}

/** Where frames go: `idle` says whether it took the last one. */
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
 * Decides when a frame is drawn: after a key at once, for the feed ten times a second at most, and never while the
 * terminal is still busy with the one before, because a frame that was made cannot be skipped any more.
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
    this.#timer = clock.every(LOOK_MS, () => this.#paintDue());
  }

  /** Draws now, with everything that arrived so far; when the terminal is busy, as soon as it is not. */
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
    // A busy terminal gets the newest state at its next frame; nothing is queued for it.
    if (this.#sink.idle && this.#clock.now() - this.#paintedAtMs >= waitMs) this.paintNow();
  }

  readonly #onIdle = (): void => {
    if (this.#isWaiting) this.paintNow();
  };
}

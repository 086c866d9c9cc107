import {
  correctionCount,
  totalCorrectionMs,
  correctionSecondsSince,
  withCorrection,
  type Corrections,
} from './corrections.ts';
import type { BootTime, MachineClock } from './machine-clock.ts';
import { JUMP_MS, resumeTime, type TimeAnchor } from './resume-time.ts';

/**
 * The rate at which this clock follows the drift of the host's clock: a millisecond per second. That is more than any
 * clock drifts, and too little to notice.
 */
const SLEW_RATE = 1 / 1000;
/**
 * Maximum time in milliseconds between the readings of the monotonic clock before and after a reading of the wall
 * clock. If it is exceeded, the process was suspended in between, and the reading of the wall clock is useless.
 */
const READING_MS_MAX = 50;
const LOOKS_MAX = 4;
/**
 * Minimum time in milliseconds between two readings of the host's clocks. Times are rounded to whole milliseconds
 * anyway.
 */
const TICK_MS = 0.5;

/** A jump of the host's clock, because it was set. */
export interface ClockJump {
  /** The program's own time at the jump, in epoch milliseconds. */
  readonly atMs: number;
  /** Size of the jump in seconds; positive is forward, negative is back. */
  readonly seconds: number;
}

interface SteadyOptions {
  /** The stored clock readings of the previous run. Default: the time starts with the wall clock of the host. */
  readonly anchor?: TimeAnchor | undefined;
  readonly onJump?: (jump: ClockJump) => void;
  /**
   * Returns the delay in milliseconds before this clock adopts a jump of the host's clock. Default: it adopts a jump
   * only when `applyCorrections` is called.
   *
   * @param seconds the size of the jump; positive is forward, negative is back
   */
  readonly adoptAfterMs?: (seconds: number) => number;
}

/**
 * A clock that advances evenly, even if the host's clock is set. It follows slow drift, and includes the time for which
 * the host slept. A jump of the host's clock is recorded, but changes this clock only when it is adopted.
 *
 * It has two times: `steady` without corrections, and `now`, which is `steady` plus the adopted corrections.
 */
export class SteadyClock implements MachineClock {
  /** Number of jumps of the host's clock since the start. */
  jumps = 0;
  lastJump: ClockJump | undefined;
  readonly #machine: MachineClock;
  readonly #options: SteadyOptions;
  #corrections: Corrections;
  #offsetMs: number;
  /**
   * The steady time at the start, and the milliseconds since then. They are separate, because a floating-point number
   * as large as their sum would be less exact.
   */
  readonly #startMs: number;
  #passedMs = 0;
  /** The monotonic time of the last reading of the host's clocks. */
  #lookedMs: number;
  /**
   * The jump of the host's clock that is not adopted yet, in milliseconds, and the steady time at which it occurred.
   */
  #pendingJumpMs = 0;
  #pendingSinceMs = 0;
  /** The uptime of the host minus the monotonic clock, in milliseconds. It grows while the host sleeps. */
  #sleptMs: number;

  constructor(machine: MachineClock, options: SteadyOptions = {}) {
    this.#machine = machine;
    this.#options = options;
    const { wallMs, monotonicMs } = this.#readMachine();
    const boot = machine.boot?.();
    const { steadyMs, corrections } = resumeTime(options.anchor, { wallMs, boot });
    this.#corrections = corrections;
    this.#offsetMs = totalCorrectionMs(corrections);
    this.#startMs = steadyMs;
    this.#lookedMs = monotonicMs;
    this.#sleptMs = (boot?.ms ?? 0) - monotonicMs;
    const seconds =
      options.anchor === undefined
        ? 0
        : correctionSecondsSince(corrections, correctionCount(options.anchor.corrections));
    if (seconds !== 0) this.#reportJump({ atMs: this.now() - seconds * 1000, seconds });
  }

  /** Returns epoch milliseconds, including adopted corrections. */
  now(): number {
    return this.steady() + this.#offsetMs;
  }

  /**
   * Returns epoch milliseconds without corrections. It never goes back. It jumps forward only after the host slept, or
   * when another backend reports a later time.
   */
  steady(): number {
    this.#checkClock();
    return this.#nowMs;
  }

  monotonic(): number {
    return this.#machine.monotonic();
  }

  boot(): BootTime | undefined {
    return this.#machine.boot?.();
  }

  after(delayMs: number, task: () => void): Disposable {
    return this.#machine.after(delayMs, task);
  }

  every(periodMs: number, task: () => void): Disposable {
    return this.#machine.every(periodMs, task);
  }

  /**
   * Seconds by which the host's clock is ahead of `now` since it was set; negative if it is behind, 0 if they agree.
   */
  get pendingJumpSeconds(): number {
    this.#checkClock();
    return Math.round(this.#pendingJumpMs / 1000);
  }

  /** Milliseconds since the host's clock was set to another time than `now`; 0 if they agree. */
  get pendingJumpAgeMs(): number {
    const steadyMs = this.steady();
    return this.#pendingJumpMs === 0 ? 0 : steadyMs - this.#pendingSinceMs;
  }

  /** Advances `steady` to the time that another backend has reported, if that is later. */
  advanceTo(steadyMs: number): void {
    this.#checkClock();
    this.#passedMs += Math.max(0, steadyMs - this.#nowMs);
  }

  /** Returns the clock readings to store, from which the next start continues. */
  anchor(): TimeAnchor {
    return {
      steadyMs: this.steady(),
      wallMs: this.#machine.now(),
      boot: this.boot() ?? null,
      corrections: this.#corrections,
    };
  }

  /** Returns the same as `anchor`, but as if the last jump of the host's clock were already adopted. */
  correctedAnchor(): TimeAnchor {
    const anchor = this.anchor();
    return this.pendingJumpSeconds === 0
      ? anchor
      : { ...anchor, corrections: withCorrection(anchor.corrections, this.pendingJumpSeconds) };
  }

  /** Replaces the adopted corrections, which changes `now`. The caller must already have shifted all stored times. */
  applyCorrections(corrections: Corrections): void {
    const beforeMs = this.#offsetMs;
    this.#corrections = corrections;
    this.#offsetMs = totalCorrectionMs(corrections);
    this.#pendingJumpMs -= this.#offsetMs - beforeMs;
    if (Math.abs(this.#pendingJumpMs) <= JUMP_MS) this.#pendingJumpMs = 0;
  }

  /** The steady time at the last reading. */
  get #nowMs(): number {
    return Math.floor(this.#startMs + this.#passedMs);
  }

  #checkClock(): void {
    // This is called for each message, so a recent reading is used again.
    if (this.#machine.monotonic() - this.#lookedMs < TICK_MS) return;
    const { wallMs, monotonicMs } = this.#readMachine();
    const elapsedMs = Math.max(0, monotonicMs - this.#lookedMs);
    this.#lookedMs = Math.max(this.#lookedMs, monotonicMs);
    this.#passedMs += elapsedMs;
    let errorMs = this.#errorMs(wallMs);
    if (errorMs > JUMP_MS) {
      this.#passedMs += this.#newSleepMs(monotonicMs);
      errorMs = this.#errorMs(wallMs);
    }
    if (Math.abs(errorMs) > JUMP_MS) this.#recordJump(errorMs);
    else this.#passedMs += Math.max(-elapsedMs * SLEW_RATE, Math.min(errorMs, elapsedMs * SLEW_RATE));
    this.#adoptInTime();
  }

  /** Returns the difference from `now` to the wall clock in milliseconds, without the jump that is already recorded. */
  #errorMs(wallMs: number): number {
    return wallMs - (this.#startMs + this.#offsetMs + this.#pendingJumpMs) - this.#passedMs;
  }

  #recordJump(jumpMs: number): void {
    this.#pendingJumpMs += jumpMs;
    if (Math.abs(this.#pendingJumpMs) <= JUMP_MS) this.#pendingJumpMs = 0;
    this.#pendingSinceMs = this.#nowMs;
    this.#reportJump({ atMs: this.#nowMs + this.#offsetMs, seconds: Math.round(jumpMs / 1000) });
  }

  #reportJump(jump: ClockJump): void {
    this.jumps++;
    this.lastJump = jump;
    this.#options.onJump?.(jump);
  }

  #adoptInTime(): void {
    const { adoptAfterMs } = this.#options;
    if (this.#pendingJumpMs === 0 || adoptAfterMs === undefined) return;
    const seconds = Math.round(this.#pendingJumpMs / 1000);
    if (this.#nowMs - this.#pendingSinceMs >= adoptAfterMs(seconds))
      this.applyCorrections(withCorrection(this.#corrections, seconds));
  }

  /** Returns the milliseconds that the host slept since its last recorded sleep. */
  #newSleepMs(monotonicMs: number): number {
    const boot = this.boot();
    if (boot === undefined) return 0;
    const sleptMs = boot.ms - monotonicMs;
    const newMs = Math.max(0, sleptMs - this.#sleptMs);
    // A small difference is ignored, because the uptime is not precise on some systems.
    if (newMs <= JUMP_MS) return 0;
    this.#sleptMs = sleptMs;
    return newMs;
  }

  #readMachine(): { readonly wallMs: number; readonly monotonicMs: number } {
    for (let looks = 1; ; looks++) {
      const beforeMs = this.#machine.monotonic();
      const wallMs = this.#machine.now();
      const monotonicMs = this.#machine.monotonic();
      if (monotonicMs - beforeMs <= READING_MS_MAX || looks === LOOKS_MAX) return { wallMs, monotonicMs };
    }
  }
}

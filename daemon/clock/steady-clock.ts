import { eraOf, offsetOf, secondsSince, withCorrection, type Corrections } from './corrections.ts';
import type { BootTime, MachineClock } from './machine-clock.ts';
import { JUMP_MS, resumeTime, type TimeAnchor } from './resume-time.ts';

/**
 * The rate at which drift is followed: a millisecond per second, more than any clock drifts and too little to notice.
 */
const SLEW = 1 / 1000;
/**
 * The maximum time between two readings of the monotonic clock. If it is exceeded, the process was suspended in between
 * and the reading of the wall clock is useless.
 */
const LOOK_MS_MAX = 50;
const LOOKS_MAX = 4;
/** The minimum time between two readings of the clock; time has a resolution of a millisecond. */
const TICK_MS = 0.5;

/** A jump of the machine's clock, because it was set. */
export interface ClockJump {
  /** The time before the jump on the backend's own scale, in epoch milliseconds. */
  readonly atMs: number;
  /** The size of the jump: positive is forward, negative is back. */
  readonly seconds: number;
}

interface SteadyOptions {
  /** The anchor of the previous run; default: time starts now. */
  readonly anchor?: TimeAnchor | undefined;
  readonly onJump?: (jump: ClockJump) => void;
  /**
   * Returns how long a clock must have been off before the jump is adopted; default: forever, until `adopt` is called.
   *
   * @param seconds positive: forward; negative: back
   */
  readonly adoptAfterMs?: (seconds: number) => number;
}

/**
 * A clock that advances evenly, even if the machine's clock is set. It follows drift and counts the time of a machine
 * that slept. A clock jump is recorded, but not followed until it is adopted.
 *
 * There are two scales. `steady` never jumps; `now` equals it plus the adopted corrections.
 */
export class SteadyClock implements MachineClock {
  /** The number of clock jumps since the start. */
  jumps = 0;
  lastJump: ClockJump | undefined;
  readonly #machine: MachineClock;
  readonly #options: SteadyOptions;
  #corrections: Corrections;
  #offsetMs: number;
  /**
   * The steady scale at the start, and the time since then. They are separate because their sum is too large to be
   * exact.
   */
  readonly #startMs: number;
  #passedMs = 0;
  /** The time of the last reading on the monotonic clock. */
  #lookedMs: number;
  /** The offset of the machine's clock, and the steady time since which it has been off. */
  #pendingJumpMs = 0;
  #pendingSinceMs = 0;
  /** The offset from the monotonic clock to the uptime of the system, which grows while the machine sleeps. */
  #sleptMs: number;

  constructor(machine: MachineClock, options: SteadyOptions = {}) {
    this.#machine = machine;
    this.#options = options;
    const { wallMs, monotonicMs } = this.#read();
    const boot = machine.boot?.();
    const { steadyMs, corrections } = resumeTime(options.anchor, { wallMs, boot });
    this.#corrections = corrections;
    this.#offsetMs = offsetOf(corrections);
    this.#startMs = steadyMs;
    this.#lookedMs = monotonicMs;
    this.#sleptMs = (boot?.ms ?? 0) - monotonicMs;
    const seconds = options.anchor === undefined ? 0 : secondsSince(corrections, eraOf(options.anchor.corrections));
    if (seconds !== 0) this.#reportJump({ atMs: this.now() - seconds * 1000, seconds });
  }

  /** Returns epoch milliseconds, including adopted corrections. */
  now(): number {
    return this.steady() + this.#offsetMs;
  }

  /**
   * Returns epoch milliseconds without corrections. It never goes back, and jumps only over the time of a machine that
   * slept.
   */
  steady(): number {
    this.#look();
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

  /** The seconds by which the machine's clock is ahead of `now` since it was set; negative: behind; 0: they agree. */
  get pendingJumpSeconds(): number {
    this.#look();
    return Math.round(this.#pendingJumpMs / 1000);
  }

  /** The milliseconds for which the clock has been off by that. */
  get pendingJumpAgeMs(): number {
    const steadyMs = this.steady();
    return this.#pendingJumpMs === 0 ? 0 : steadyMs - this.#pendingSinceMs;
  }

  /** Advances to a later time of the steady scale, which another backend has reported. */
  notBefore(steadyMs: number): void {
    this.#look();
    this.#passedMs += Math.max(0, steadyMs - this.#nowMs);
  }

  /** Returns the anchor from which the next start continues. */
  anchor(): TimeAnchor {
    return {
      steadyMs: this.steady(),
      wallMs: this.#machine.now(),
      boot: this.boot() ?? null,
      corrections: this.#corrections,
    };
  }

  /** Returns the anchor as if the current time of the machine's clock were adopted. */
  correctedAnchor(): TimeAnchor {
    const anchor = this.anchor();
    return this.pendingJumpSeconds === 0
      ? anchor
      : { ...anchor, corrections: withCorrection(anchor.corrections, this.pendingJumpSeconds) };
  }

  /** Adopts these corrections. The caller must already have shifted all stored times. */
  adopt(corrections: Corrections): void {
    const beforeMs = this.#offsetMs;
    this.#corrections = corrections;
    this.#offsetMs = offsetOf(corrections);
    this.#pendingJumpMs -= this.#offsetMs - beforeMs;
    if (Math.abs(this.#pendingJumpMs) <= JUMP_MS) this.#pendingJumpMs = 0;
  }

  /** The steady time at the last reading. */
  get #nowMs(): number {
    return Math.floor(this.#startMs + this.#passedMs);
  }

  #look(): void {
    // This is called for each message: a reading less than a tick old is still valid.
    if (this.#machine.monotonic() - this.#lookedMs < TICK_MS) return;
    const { wallMs, monotonicMs } = this.#read();
    const elapsedMs = Math.max(0, monotonicMs - this.#lookedMs);
    this.#lookedMs = Math.max(this.#lookedMs, monotonicMs);
    this.#passedMs += elapsedMs;
    let errorMs = this.#errorMs(wallMs);
    if (errorMs > JUMP_MS) {
      this.#passedMs += this.#newSleepMs(monotonicMs);
      errorMs = this.#errorMs(wallMs);
    }
    if (Math.abs(errorMs) > JUMP_MS) this.#noteJump(errorMs);
    else this.#passedMs += Math.max(-elapsedMs * SLEW, Math.min(errorMs, elapsedMs * SLEW));
    this.#adoptInTime();
  }

  /** Returns the offset of the wall clock, without the known jump. */
  #errorMs(wallMs: number): number {
    return wallMs - (this.#startMs + this.#offsetMs + this.#pendingJumpMs) - this.#passedMs;
  }

  #noteJump(jumpMs: number): void {
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
      this.adopt(withCorrection(this.#corrections, seconds));
  }

  /** Returns how long the machine slept since the last call. */
  #newSleepMs(monotonicMs: number): number {
    const boot = this.boot();
    if (boot === undefined) return 0;
    const sleptMs = boot.ms - monotonicMs;
    const newMs = Math.max(0, sleptMs - this.#sleptMs);
    // A difference below the precision of some systems' uptime does not count.
    if (newMs <= JUMP_MS) return 0;
    this.#sleptMs = sleptMs;
    return newMs;
  }

  #read(): { readonly wallMs: number; readonly monotonicMs: number } {
    for (let looks = 1; ; looks++) {
      const beforeMs = this.#machine.monotonic();
      const wallMs = this.#machine.now();
      const monotonicMs = this.#machine.monotonic();
      if (monotonicMs - beforeMs <= LOOK_MS_MAX || looks === LOOKS_MAX) return { wallMs, monotonicMs };
    }
  }
}

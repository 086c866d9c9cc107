import { eraOf, offsetOf, secondsSince, withCorrection, type Corrections } from './corrections.ts';
import type { BootTime, MachineClock } from './machine-clock.ts';
import { JUMP_MS, resumeTime, type TimeAnchor } from './resume-time.ts';

/** How fast drift is followed: a millisecond a second, more than any clock drifts and less than anybody notices. */
const SLEW = 1 / 1000;
/**
 * Between two looks at the monotonic clock, or else the process was kept from running and the wall clock says nothing.
 */
const LOOK_MS_MAX = 50;
const LOOKS_MAX = 4;
/** Time is told in milliseconds. */
const TICK_MS = 0.5;

/** Somebody has set the clock of the machine. */
export interface ClockJump {
  /** Before it, by the time that counts. Epoch milliseconds. */
  readonly atMs: number;
  /** Forward, negative: back. */
  readonly seconds: number;
}

interface SteadyOptions {
  /** Where time was last; default: it begins now. */
  readonly anchor?: TimeAnchor | undefined;
  readonly onJump?: (jump: ClockJump) => void;
  /**
   * How long a clock must have been off before it is believed; default: for ever, until somebody calls `adopt`.
   *
   * @param seconds forward, negative: back
   */
  readonly adoptAfterMs?: (seconds: number) => number;
}

/**
 * Time that goes on evenly, whatever is done to the clock of the machine: drift is followed, the time of a machine that
 * slept has passed, and a clock that was set is noted and not followed until it is adopted.
 *
 * There are two scales. `steady` never steps; `now` is the same but for the corrections that were adopted.
 */
export class SteadyClock implements MachineClock {
  /** How often the clock of the machine was set since the start. */
  jumps = 0;
  lastJump: ClockJump | undefined;
  readonly #machine: MachineClock;
  readonly #options: SteadyOptions;
  #corrections: Corrections;
  #offsetMs: number;
  /**
   * The steady scale at the start, and what has passed since: apart, because together they are too large to be exact.
   */
  readonly #startMs: number;
  #passedMs = 0;
  /** When that was, on the monotonic clock. */
  #lookedMs: number;
  /** What the clock of the machine is off by, and since when on the steady scale. */
  #heldMs = 0;
  #heldSinceMs = 0;
  /** From the monotonic clock to the uptime of the system: grows while the machine sleeps. */
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
    if (seconds !== 0) this.#tell({ atMs: this.now() - seconds * 1000, seconds });
  }

  /** Epoch milliseconds. */
  now(): number {
    return this.steady() + this.#offsetMs;
  }

  /** Epoch milliseconds without corrections: goes back never, and steps only over the time of a machine that slept. */
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

  /** Seconds that the clock of the machine is ahead of `now` since somebody set it, negative: behind; 0: they agree. */
  get heldSeconds(): number {
    this.#look();
    return Math.round(this.#heldMs / 1000);
  }

  /** For how long it has been off by that. */
  get heldForMs(): number {
    const steadyMs = this.steady();
    return this.#heldMs === 0 ? 0 : steadyMs - this.#heldSinceMs;
  }

  /** Goes on from a later time of the steady scale, when another backend has told that it has come. */
  notBefore(steadyMs: number): void {
    this.#look();
    this.#passedMs += Math.max(0, steadyMs - this.#nowMs);
  }

  /** What the next start goes on from. */
  anchor(): TimeAnchor {
    return {
      steadyMs: this.steady(),
      wallMs: this.#machine.now(),
      boot: this.boot() ?? null,
      corrections: this.#corrections,
    };
  }

  /** The anchor with the clock of the machine believed, as it is now. */
  correctedAnchor(): TimeAnchor {
    const anchor = this.anchor();
    return this.heldSeconds === 0
      ? anchor
      : { ...anchor, corrections: withCorrection(anchor.corrections, this.heldSeconds) };
  }

  /** Goes over to these corrections; whoever calls it has seen to the times that were told before. */
  adopt(corrections: Corrections): void {
    const beforeMs = this.#offsetMs;
    this.#corrections = corrections;
    this.#offsetMs = offsetOf(corrections);
    this.#heldMs -= this.#offsetMs - beforeMs;
    if (Math.abs(this.#heldMs) <= JUMP_MS) this.#heldMs = 0;
  }

  /** On the steady scale, as of the last look. */
  get #nowMs(): number {
    return Math.floor(this.#startMs + this.#passedMs);
  }

  #look(): void {
    // Asked for each message: what was told less than a tick ago is still true.
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

  /** What the wall clock is off by, but for a jump that is known. */
  #errorMs(wallMs: number): number {
    return wallMs - (this.#startMs + this.#offsetMs + this.#heldMs) - this.#passedMs;
  }

  #noteJump(jumpMs: number): void {
    this.#heldMs += jumpMs;
    if (Math.abs(this.#heldMs) <= JUMP_MS) this.#heldMs = 0;
    this.#heldSinceMs = this.#nowMs;
    this.#tell({ atMs: this.#nowMs + this.#offsetMs, seconds: Math.round(jumpMs / 1000) });
  }

  #tell(jump: ClockJump): void {
    this.jumps++;
    this.lastJump = jump;
    this.#options.onJump?.(jump);
  }

  #adoptInTime(): void {
    const { adoptAfterMs } = this.#options;
    if (this.#heldMs === 0 || adoptAfterMs === undefined) return;
    const seconds = Math.round(this.#heldMs / 1000);
    if (this.#nowMs - this.#heldSinceMs >= adoptAfterMs(seconds))
      this.adopt(withCorrection(this.#corrections, seconds));
  }

  /** How long the machine slept since the last time this was asked. */
  #newSleepMs(monotonicMs: number): number {
    const boot = this.boot();
    if (boot === undefined) return 0;
    const sleptMs = boot.ms - monotonicMs;
    const newMs = Math.max(0, sleptMs - this.#sleptMs);
    // Less than the uptime of some systems is exact to.
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

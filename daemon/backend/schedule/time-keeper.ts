import { eraOf, secondsSince } from '../../clock/corrections.ts';
import type { MachineClock } from '../../clock/machine-clock.ts';
import type { TimeAnchor } from '../../clock/resume-time.ts';
import { SteadyClock, type ClockJump } from '../../clock/steady-clock.ts';
import { errorMessage } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import type { Batcher } from '../commit/batcher.ts';
import type { Lease, Store, StoreOp } from '../ports.ts';
import { shiftedTimes, type ShiftedTable } from '../model/registry/shift-times.ts';
import { anchorOp, readAnchor, TIME } from '../model/schedule/time-anchor.ts';

/** Minimum interval of time records that are written with a batch. */
const WITH_BATCH_MS = 1000;
/** Interval of time records without a batch. */
const WITHOUT_BATCH_MS = 60_000;
/** Time after which a changed clock is believed: by then a mistake would have been noticed. */
const ADOPT_AFTER_MS = 3_600_000;
/**
 * Minimum time without a backend that counts as an outage. A shorter one is a restart, after which agents deliver their
 * spools.
 */
const AWAY_MS = 600_000;

interface TimeParts {
  readonly store: Store;
  /** Tables whose times are shifted. */
  readonly tables: readonly ShiftedTable[];
  readonly machine: MachineClock;
  readonly log: Log;
}

/**
 * Keeps the time of the backend. It continues from the newest time in the store, and records it there. It applies
 * corrections of the machine's clock by shifting all future times (docs/operations.md, Time).
 */
export class TimeKeeper {
  readonly clock: SteadyClock;
  readonly #parts: TimeParts;
  /** Undefined: another backend is the leader. */
  #lease: Lease | undefined;
  /** Time when the anchor was last recorded, on the steady scale. */
  #keptMs = Number.NEGATIVE_INFINITY;

  private constructor(parts: TimeParts, anchor: TimeAnchor | undefined) {
    this.#parts = parts;
    this.clock = new SteadyClock(parts.machine, { anchor, onJump: (jump) => this.#say(jump) });
  }

  /** Opens the time. Call it before anything with times is read. */
  static async open(parts: TimeParts): Promise<TimeKeeper> {
    return new TimeKeeper(parts, await readAnchor(parts.store));
  }

  /** Records the time from now on, and applies the present difference of the machine's clock. */
  async lead(lease: Lease): Promise<void> {
    this.#lease = lease;
    const before = await readAnchor(this.#parts.store);
    // The previous machine may be ahead of this one: time must not go back.
    if (before !== undefined) this.clock.notBefore(before.steadyMs);
    try {
      const anchor = this.clock.anchor();
      const awayMs = anchor.steadyMs - (before ?? anchor).steadyMs;
      await this.#correct(lease, anchor, before, awayMs < AWAY_MS ? 0 : awayMs);
    } catch (error) {
      // Future times were not shifted, so the time must not be either: treat the clock as if it had been set just now.
      if (before !== undefined) this.clock.adopt(before.corrections);
      this.#failed(error);
    }
  }

  /** Returns the time record for the next write; undefined: none is due. */
  anchorDue(): StoreOp | undefined {
    const nowMs = this.clock.steady();
    if (nowMs - this.#keptMs < WITH_BATCH_MS) return undefined;
    this.#keptMs = nowMs;
    return anchorOp(this.clock.anchor());
  }

  /** Records the time while nothing else is written, and monitors the machine's clock. */
  watch(batcher: Pick<Batcher, 'run' | 'runExclusively'>): Disposable {
    return this.clock.every(WITHOUT_BATCH_MS, () => {
      const isIdle = this.clock.steady() - this.#keptMs >= WITHOUT_BATCH_MS;
      const work =
        this.clock.pendingJumpAgeMs >= ADOPT_AFTER_MS
          ? batcher.runExclusively(() => this.#adopt())
          : isIdle
            ? batcher.run((transaction) => transaction.write(TIME, JSON.stringify(this.clock.anchor())))
            : undefined;
      this.#keptMs = isIdle ? this.clock.steady() : this.#keptMs;
      work?.catch((error: unknown) => this.#failed(error));
    });
  }

  /** Writes the last time record. Call it when nothing else is written any more. */
  async close(): Promise<void> {
    const lease = this.#lease;
    if (lease === undefined) return;
    this.#lease = undefined;
    const { store } = this.#parts;
    await store.write(lease, [anchorOp(this.clock.anchor())], []).catch((error: unknown) => this.#failed(error));
  }

  /** Accepts the machine's clock. */
  async #adopt(): Promise<void> {
    if (this.#lease !== undefined) await this.#correct(this.#lease, this.clock.correctedAnchor());
  }

  /**
   * Writes an anchor, and shifts the times that it corrects.
   *
   * @param awayMs time in which no backend ran; 0 if it was short
   */
  async #correct(
    lease: Lease,
    anchor: TimeAnchor,
    before: TimeAnchor = this.clock.anchor(),
    awayMs = 0,
  ): Promise<void> {
    const { store, tables } = this.#parts;
    const seconds = secondsSince(anchor.corrections, eraOf(before.corrections));
    const shifted = seconds === 0 && awayMs === 0 ? [] : await shiftedTimes(store, tables, { seconds, awayMs });
    await store.write(lease, [...shifted, anchorOp(anchor)], []);
    if (seconds !== 0)
      this.#parts.log.info({ seconds, moved: shifted.length }, 'the corrected system clock is now in use');
  }

  #say({ seconds }: ClockJump): void {
    this.#parts.log.warn(
      { seconds },
      `system clock was set ${seconds > 0 ? 'forward' : 'back'}: timers and durations are not affected`,
    );
  }

  #failed(error: unknown): void {
    this.#parts.log.warn(
      { reason: errorMessage(error) },
      'could not store the reference time that detects changes of the system clock',
    );
  }
}

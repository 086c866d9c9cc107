import { correctionCount, correctionSecondsSince } from '../../clock/corrections.ts';
import type { MachineClock } from '../../clock/machine-clock.ts';
import type { TimeAnchor } from '../../clock/resume-time.ts';
import { SteadyClock, type ClockJump } from '../../clock/steady-clock.ts';
import { errorMessage } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import type { Batcher } from '../commit/batcher.ts';
import type { Lease, Store, StoreOp } from '../ports.ts';
import { shiftedTimes, type ShiftedTable } from '../model/registry/shift-times.ts';
import { anchorOp, readAnchor, TIME_KEY } from '../model/schedule/time-anchor.ts';

/**
 * Minimum time in milliseconds between two time anchors that are stored together with a batch of writes. A time anchor
 * relates the steady clock to the system clock.
 */
const ANCHOR_WITH_BATCH_MS = 1000;
/** Interval in milliseconds at which a time anchor is stored if no batch is written. */
const ANCHOR_INTERVAL_MS = 60_000;
/**
 * Time in milliseconds after which a jump of the system clock is adopted. If the clock was set by mistake, an operator
 * has corrected it by then.
 */
const ADOPT_AFTER_MS = 3_600_000;
/**
 * Minimum time in milliseconds without a running backend that counts as an outage. A shorter time counts as a restart;
 * after a restart, agents deliver their spooled results.
 */
const OUTAGE_MS_MIN = 600_000;

interface TimeKeeperDependencies {
  readonly store: Store;
  /** Tables whose stored times are shifted when the system clock is corrected, or after an outage. */
  readonly tables: readonly ShiftedTable[];
  readonly systemClock: MachineClock;
  readonly log: Log;
}

/**
 * Provides the backend's clock, which continues from the last time anchor in the store, and stores new anchors. A time
 * anchor relates this clock to the system clock. When a correction of the system clock is adopted, all stored future
 * times are shifted (docs/operations.md, Time).
 */
export class TimeKeeper {
  readonly clock: SteadyClock;
  readonly #dependencies: TimeKeeperDependencies;
  /** The write lease while this backend is the leader; undefined before `lead` and after `close`. */
  #lease: Lease | undefined;
  /** Time on the steady clock when a time anchor was last prepared for writing. */
  #anchorMs = Number.NEGATIVE_INFINITY;

  private constructor(dependencies: TimeKeeperDependencies, anchor: TimeAnchor | undefined) {
    this.#dependencies = dependencies;
    this.clock = new SteadyClock(dependencies.systemClock, { anchor, onJump: (jump) => this.#logJump(jump) });
  }

  /** Creates the clock from the last time anchor in the store. Call it before any stored time is read. */
  static async open(parts: TimeKeeperDependencies): Promise<TimeKeeper> {
    return new TimeKeeper(parts, await readAnchor(parts.store));
  }

  /**
   * Starts to store time anchors as the leader. First shifts the stored times by all corrections of the system clock
   * since the last anchor, and by the duration of an outage.
   */
  async lead(lease: Lease): Promise<void> {
    this.#lease = lease;
    const before = await readAnchor(this.#dependencies.store);
    // The clock of the previous leader can be ahead of this clock, but time must not go back.
    if (before !== undefined) this.clock.advanceTo(before.steadyMs);
    try {
      const anchor = this.clock.anchor();
      const outageMs = anchor.steadyMs - (before ?? anchor).steadyMs;
      await this.#correct(lease, anchor, before, outageMs < OUTAGE_MS_MIN ? 0 : outageMs);
    } catch (error) {
      // The stored times were not shifted, so the clock must not apply the new correction either. The correction stays
      // pending, as if the system clock had just been set.
      if (before !== undefined) this.clock.applyCorrections(before.corrections);
      this.#failed(error);
    }
  }

  /** Returns the write that stores a time anchor with the next batch; undefined if the last anchor is recent. */
  anchorDue(): StoreOp | undefined {
    const nowMs = this.clock.steady();
    if (nowMs - this.#anchorMs < ANCHOR_WITH_BATCH_MS) return undefined;
    this.#anchorMs = nowMs;
    return anchorOp(this.clock.anchor());
  }

  /** Stores time anchors if no batches are written. Adopts a jump of the system clock after an hour. */
  watch(batcher: Pick<Batcher, 'run' | 'runExclusively'>): Disposable {
    return this.clock.every(ANCHOR_INTERVAL_MS, () => {
      const isIdle = this.clock.steady() - this.#anchorMs >= ANCHOR_INTERVAL_MS;
      const work =
        this.clock.pendingJumpAgeMs >= ADOPT_AFTER_MS
          ? batcher.runExclusively(() => this.#adopt())
          : isIdle
            ? batcher.run((transaction) => transaction.write(TIME_KEY, JSON.stringify(this.clock.anchor())))
            : undefined;
      this.#anchorMs = isIdle ? this.clock.steady() : this.#anchorMs;
      work?.catch((error: unknown) => this.#failed(error));
    });
  }

  /** Stores a last time anchor if this backend is the leader. Call it after all other writes are done. */
  async close(): Promise<void> {
    const lease = this.#lease;
    if (lease === undefined) return;
    this.#lease = undefined;
    const { store } = this.#dependencies;
    await store.write(lease, [anchorOp(this.clock.anchor())], []).catch((error: unknown) => this.#failed(error));
  }

  /** Adopts the current time of the system clock, if this backend is the leader. */
  async #adopt(): Promise<void> {
    if (this.#lease !== undefined) await this.#correct(this.#lease, this.clock.correctedAnchor());
  }

  /**
   * Stores a time anchor. In the same write, shifts the stored times by the corrections of the clock between `before`
   * and `anchor`.
   *
   * @param outageMs milliseconds during which no backend ran; 0 if that was too short for an outage
   */
  async #correct(
    lease: Lease,
    anchor: TimeAnchor,
    before: TimeAnchor = this.clock.anchor(),
    outageMs = 0,
  ): Promise<void> {
    const { store, tables } = this.#dependencies;
    const seconds = correctionSecondsSince(anchor.corrections, correctionCount(before.corrections));
    const shifted = seconds === 0 && outageMs === 0 ? [] : await shiftedTimes(store, tables, { seconds, outageMs });
    await store.write(lease, [...shifted, anchorOp(anchor)], []);
    if (seconds !== 0)
      this.#dependencies.log.info({ seconds, moved: shifted.length }, 'the corrected system clock is now in use');
  }

  #logJump({ seconds }: ClockJump): void {
    this.#dependencies.log.warn(
      { seconds },
      `system clock was set ${seconds > 0 ? 'forward' : 'back'}: timers and durations are not affected`,
    );
  }

  #failed(error: unknown): void {
    this.#dependencies.log.warn(
      { reason: errorMessage(error) },
      'could not store the reference time that detects changes of the system clock',
    );
  }
}

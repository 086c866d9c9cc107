import { eraOf, secondsSince } from '../../clock/corrections.ts';
import type { MachineClock } from '../../clock/machine-clock.ts';
import type { TimeAnchor } from '../../clock/resume-time.ts';
import { SteadyClock, type ClockJump } from '../../clock/steady-clock.ts';
import { errorMessage } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import type { Batcher } from '../commit/batcher.ts';
import type { Lease, Store, StoreOp } from '../ports.ts';
import { shiftedTimes, type ShiftedTable } from '../registry/shift-times.ts';
import { anchorOp, readAnchor, TIME } from './time-anchor.ts';

/** With a batch that is written anyway, at most this often. */
const BESIDE_MS = 1000;
/** Without one. */
const ALONE_MS = 60_000;
/** A clock that was set and stays so is right: by then whoever set it wrong has noticed. */
const ADOPT_AFTER_MS = 3_600_000;
/** A shorter time without a backend is a restart, after which agents deliver what they kept meanwhile. */
const AWAY_MS = 600_000;

interface TimeParts {
  readonly store: Store;
  /** Whose times are moved. */
  readonly tables: readonly ShiftedTable[];
  readonly machine: MachineClock;
  readonly log: Log;
}

/**
 * Keeps the time of the backend: goes on from the newest that the store has seen, writes it there, and takes over
 * corrections of the machine's clock, with all that is to come moved along (docs/operations.md, Time).
 */
export class TimeKeeper {
  readonly clock: SteadyClock;
  readonly #parts: TimeParts;
  /** Undefined: another backend writes. */
  #lease: Lease | undefined;
  /** When the anchor was last taken, on the steady scale. */
  #keptMs = Number.NEGATIVE_INFINITY;

  private constructor(parts: TimeParts, anchor: TimeAnchor | undefined) {
    this.#parts = parts;
    this.clock = new SteadyClock(parts.machine, { anchor, onJump: (jump) => this.#say(jump) });
  }

  /** To be called before anything is read that holds times. */
  static async open(parts: TimeParts): Promise<TimeKeeper> {
    return new TimeKeeper(parts, await readAnchor(parts.store));
  }

  /** Writes the time from now on, and takes over what the clock of the machine is off by. */
  async lead(lease: Lease): Promise<void> {
    this.#lease = lease;
    const before = await readAnchor(this.#parts.store);
    // Of a machine that is ahead of this one: time does not go back.
    if (before !== undefined) this.clock.notBefore(before.steadyMs);
    try {
      const anchor = this.clock.anchor();
      const awayMs = anchor.steadyMs - (before ?? anchor).steadyMs;
      await this.#correct(lease, anchor, before, awayMs < AWAY_MS ? 0 : awayMs);
    } catch (error) {
      // What is to come was not moved, so the time must not be either: the clock is held to have been set just now.
      if (before !== undefined) this.clock.adopt(before.corrections);
      this.#failed(error);
    }
  }

  /** What a write should take along; undefined: nothing for now. */
  anchorDue(): StoreOp | undefined {
    const nowMs = this.clock.steady();
    if (nowMs - this.#keptMs < BESIDE_MS) return undefined;
    this.#keptMs = nowMs;
    return anchorOp(this.clock.anchor());
  }

  /** Writes the time down while nothing else is written, and looks after the clock of the machine. */
  watch(batcher: Pick<Batcher, 'run' | 'alone'>): Disposable {
    return this.clock.every(ALONE_MS, () => {
      const isIdle = this.clock.steady() - this.#keptMs >= ALONE_MS;
      const work =
        this.clock.heldForMs >= ADOPT_AFTER_MS
          ? batcher.alone(() => this.#adopt())
          : isIdle
            ? batcher.run((transaction) => transaction.write(TIME, JSON.stringify(this.clock.anchor())))
            : undefined;
      this.#keptMs = isIdle ? this.clock.steady() : this.#keptMs;
      work?.catch((error: unknown) => this.#failed(error));
    });
  }

  /** The last word, when nothing else is written any more. */
  async close(): Promise<void> {
    const lease = this.#lease;
    if (lease === undefined) return;
    this.#lease = undefined;
    const { store } = this.#parts;
    await store.write(lease, [anchorOp(this.clock.anchor())], []).catch((error: unknown) => this.#failed(error));
  }

  /** Believes the clock of the machine. */
  async #adopt(): Promise<void> {
    if (this.#lease !== undefined) await this.#correct(this.#lease, this.clock.correctedAnchor());
  }

  /**
   * Writes an anchor, and moves what it corrects.
   *
   * @param awayMs how long no backend ran, where that is worth a word
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
    if (seconds !== 0) this.#parts.log.info({ seconds, moved: shifted.length }, 'following the corrected clock');
  }

  #say({ seconds }: ClockJump): void {
    this.#parts.log.warn(
      { seconds },
      `system clock was set ${seconds > 0 ? 'forward' : 'back'}: timers and durations do not change`,
    );
  }

  #failed(error: unknown): void {
    this.#parts.log.warn({ reason: errorMessage(error) }, 'time anchor could not be written');
  }
}

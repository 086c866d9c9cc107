import { SystemClock } from '../../daemon/clock/system-clock.ts';
import { ManualClock } from './manual-clock.ts';

/** Maximum delay in milliseconds, such as a batch delay, for which a real timer is used. */
const SHORT_MS = 100;

/**
 * A machine whose time and clock a test controls. Short delays pass in real time, so that requests get responses while
 * the machine's time stands still.
 */
export class SetMachine extends ManualClock {
  readonly #timers = new SystemClock();

  /**
   * Real time in milliseconds since the machine was created, including time asleep, and regardless of the machine's
   * clock.
   */
  get trueMs(): number {
    return this.steady() - ManualClock.START_MS + this.sleptMs;
  }

  override after(delayMs: number, task: () => void): Disposable {
    return delayMs > SHORT_MS ? super.after(delayMs, task) : this.#timers.after(delayMs, task);
  }
}

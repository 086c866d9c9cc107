import { SystemClock } from '../../daemon/clock/system-clock.ts';
import { ManualClock } from './manual-clock.ts';

/** What waits this long at most only waits for company. */
const SHORT_MS = 100;

/** A machine whose time a test moves and whose clock it sets; short waits are real, so that what is asked is answered. */
export class SetMachine extends ManualClock {
  readonly #timers = new SystemClock();

  /** True time, milliseconds since the machine was made. */
  get trueMs(): number {
    return this.steady() - ManualClock.START_MS + this.sleptMs;
  }

  override after(delayMs: number, task: () => void): Disposable {
    return delayMs > SHORT_MS ? super.after(delayMs, task) : this.#timers.after(delayMs, task);
  }
}

import { SystemClock } from '../../daemon/clock/system-clock.ts';
import { ManualClock } from './manual-clock.ts';

/** Maximum length of the waits of batches. */
const SHORT_MS = 100;

/**
 * A machine whose time a test advances and whose clock it sets; short waits are real, so that requests get
 * responses.
 */
export class SetMachine extends ManualClock {
  readonly #timers = new SystemClock();

  /** True time in milliseconds since the machine was created. */
  get trueMs(): number {
    return this.steady() - ManualClock.START_MS + this.sleptMs;
  }

  override after(delayMs: number, task: () => void): Disposable {
    return delayMs > SHORT_MS ? super.after(delayMs, task) : this.#timers.after(delayMs, task);
  }
}

import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import type { BootTime } from './machine-clock.ts';

/** Node's timers run at once when they are asked to wait longer than 2^31 - 1 ms, so a long wait is cut into these. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

/** Names the running system from its start to its end, where there is such a name (Linux). */
const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/** The clocks and timers of this machine, as they are: `now` goes wherever somebody sets it. */
export class SystemClock {
  #bootId: string | undefined;

  now(): number {
    return Date.now();
  }

  /** Stands still while the machine sleeps. */
  monotonic(): number {
    return performance.now();
  }

  boot(): BootTime {
    this.#bootId ??= bootId();
    return { id: this.#bootId, ms: uptime() * 1000 };
  }

  after(delayMs: number, task: () => void): Disposable {
    let timer: NodeJS.Timeout;
    const wait = (restMs: number): void => {
      const stepMs = Math.min(restMs, LONGEST_WAIT_MS);
      timer = setTimeout(() => (restMs > stepMs ? wait(restMs - stepMs) : task()), stepMs);
    };
    wait(delayMs);
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  }

  /** @param periodMs at most 2^31 - 1 */
  every(periodMs: number, task: () => void): Disposable {
    const timer = setInterval(task, periodMs);
    return { [Symbol.dispose]: () => clearInterval(timer) };
  }
}

/** Empty where the system has none. */
function bootId(): string {
  try {
    return readFileSync(BOOT_ID, 'utf8').trim();
  } catch {
    return '';
  }
}

import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import type { BootTime } from './machine-clock.ts';

/**
 * The longest wait of one timer. Node.js runs timers at once if their delay exceeds 2^31 - 1 ms, so longer waits are
 * split.
 */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

/** The file with the id of this boot, on systems that have one (Linux). */
const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/** The clocks and timers of this host as they are: `now` jumps when the wall clock is set. */
export class SystemClock {
  #bootId: string | undefined;

  now(): number {
    return Date.now();
  }

  /** Returns the monotonic time, which stops while the machine sleeps. */
  monotonic(): number {
    return performance.now();
  }

  boot(): BootTime {
    this.#bootId ??= bootId();
    return { id: this.#bootId, ms: uptime() * 1000 };
  }

  after(delayMs: number, task: () => void): Disposable {
    let timer: NodeJS.Timeout;
    const wait = (remainingMs: number): void => {
      const stepMs = Math.min(remainingMs, LONGEST_WAIT_MS);
      timer = setTimeout(() => (remainingMs > stepMs ? wait(remainingMs - stepMs) : task()), stepMs);
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

/** Returns the boot id; empty if the system has none. */
function bootId(): string {
  try {
    return readFileSync(BOOT_ID, 'utf8').trim();
  } catch {
    return '';
  }
}

import { isIPv4 } from 'node:net';
import { MonError } from '../../../shared/errors.ts';
import type { Clock } from '../ports.ts';

/** Wrong passwords that an address may try in a minute before each further one has to wait (design, S2). */
export const FREE_FAILURES = 10;
const WINDOW_MS = 60_000;
export const DELAY_MS = 2000;

/** Attempts that wait or are looked at, of one address and of all. */
const ATTEMPTS_EACH_MAX = 4;
const ATTEMPTS_MAX = 32;

/** Addresses that are remembered; the one that failed first is forgotten first. */
const ADDRESSES_MAX = 10_000;

interface Failures {
  readonly sinceMs: number;
  count: number;
}

export interface LoginAttempt extends Disposable {
  /** @returns how often this address has failed in this minute */
  fail(): number;
}

/** Slows down whoever guesses passwords, and bounds what guessing costs the backend. */
export class FailedLogins {
  readonly #clock: Clock;
  readonly #failures = new Map<string, Failures>();
  readonly #attempts = new Map<string, number>();
  #all = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Begins an attempt, after a while when this address has failed too often.
   *
   * @returns to be disposed when it is over
   * @throws MonError `unavailable` when there are too many at once
   */
  async begin(address: string): Promise<LoginAttempt> {
    const from = networkOf(address);
    const own = this.#attempts.get(from) ?? 0;
    if (own >= ATTEMPTS_EACH_MAX || this.#all >= ATTEMPTS_MAX) {
      throw new MonError('unavailable', 'too many log-ins are being looked at: try again in a few seconds');
    }
    this.#attempts.set(from, own + 1);
    this.#all++;
    if (this.#recent(from) >= FREE_FAILURES) {
      await new Promise<void>((resolve) => this.#clock.after(DELAY_MS, resolve));
    }
    return { fail: () => this.#note(from), [Symbol.dispose]: () => this.#end(from) };
  }

  #note(from: string): number {
    if (this.#recent(from) === 0) {
      this.#failures.delete(from);
      this.#failures.set(from, { sinceMs: this.#clock.monotonic(), count: 0 });
      const [oldest] = this.#failures.keys();
      if (this.#failures.size > ADDRESSES_MAX && oldest !== undefined) this.#failures.delete(oldest);
    }
    const failures = this.#failures.get(from);
    return failures === undefined ? 1 : ++failures.count;
  }

  #recent(from: string): number {
    const failures = this.#failures.get(from);
    return failures === undefined || this.#clock.monotonic() - failures.sinceMs >= WINDOW_MS ? 0 : failures.count;
  }

  #end(from: string): void {
    const own = (this.#attempts.get(from) ?? 1) - 1;
    if (own === 0) this.#attempts.delete(from);
    else this.#attempts.set(from, own);
    this.#all--;
  }
}

/** IPv6 by its first half: whoever has one such address has all of the same first half. */
function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:/, '');
  if (isIPv4(plain) || !plain.includes(':')) return plain;
  const [head = '', tail] = plain.split('::');
  const groups = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - groups.length - last.length) }, () => '0');
  return [...groups, ...zeros, ...last].slice(0, 4).join(':');
}

import { MonError } from '../../../shared/errors.ts';
import { networkOf } from './networks.ts';
import type { Clock } from '../ports.ts';

/** Number of failed log-ins of an address within a minute after which each further attempt is delayed (security S2). */
export const FAILURES_BEFORE_DELAY = 10;
const WINDOW_MS = 60_000;
export const LOGIN_DELAY_MS = 2000;

/**
 * Maximum number of concurrent log-in attempts, per address and in total. A waiting attempt costs only a connection.
 */
const ATTEMPTS_EACH_MAX = 4;
export const ATTEMPTS_MAX = 1000;

/** Maximum number of addresses whose failures are recorded; the address that was recorded first is removed first. */
const ADDRESSES_MAX = 10_000;

interface Failures {
  readonly sinceMs: number;
  count: number;
}

export interface LoginAttempt extends Disposable {
  /**
   * Waits until this attempt may verify its password. No other attempt verifies a password until this attempt is
   * disposed of.
   *
   * @throws MonError `unavailable` if an attempt of an address with fewer failures displaces this attempt
   */
  acquireSlot(): Promise<void>;
  /**
   * Records a failure of the address.
   *
   * @returns the number of its failures in the current minute
   */
  fail(): number;
}

/** A log-in attempt that waits for the end of its delay, or until it may verify its password. */
interface WaitingLogin {
  readonly from: string;
  /** Lets the attempt verify its password; undefined while the attempt is delayed. */
  proceed: (() => void) | undefined;
  refuse(): void;
}

/**
 * Slows down the guessing of passwords, and limits its cost for the backend and other callers. Only one attempt is
 * verified at a time; an address with fewer failures goes first. If there are too many attempts, an attempt from the
 * address with the most failures is rejected.
 */
export class FailedLogins {
  readonly #clock: Clock;
  readonly #failures = new Map<string, Failures>();
  readonly #attempts = new Map<string, number>();
  readonly #shared = new Map<string, Promise<boolean>>();
  /** Waiting attempts, in the order in which they began to wait. */
  readonly #waiting = new Set<WaitingLogin>();
  #isBusy = false;
  #attemptCount = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Shares one verification among concurrent attempts with the same credentials from the same address: a whole fleet
   * behind one address may reconnect at the same moment.
   *
   * @param digest digest of the credentials
   * @param look callback that verifies the credentials
   */
  async shareVerification(address: string, digest: string, look: () => Promise<boolean>): Promise<boolean> {
    const key = `${networkOf(address)} ${digest}`;
    const pending = this.#shared.get(key);
    if (pending !== undefined) return await pending;
    const looking = look();
    this.#shared.set(key, looking);
    try {
      return await looking;
    } finally {
      this.#shared.delete(key);
    }
  }

  /**
   * Begins a log-in attempt, after a delay if this address has failed too often.
   *
   * @returns the attempt, which the caller disposes of at its end
   * @throws MonError `unavailable` if there are too many concurrent attempts
   */
  async begin(address: string): Promise<LoginAttempt> {
    const from = networkOf(address);
    const own = this.#attempts.get(from) ?? 0;
    if (own >= ATTEMPTS_EACH_MAX || (this.#attemptCount >= ATTEMPTS_MAX && !this.#displaceAttempt(from)))
      throw tooManyLoginsError();
    this.#attempts.set(from, own + 1);
    this.#attemptCount++;
    using begun = new DisposableStack();
    begun.defer(() => this.#end(from));
    if (this.#recentFailureCount(from) >= FAILURES_BEFORE_DELAY) await this.#delay(from);
    const attempt = begun.move();
    return {
      acquireSlot: async () => {
        await this.#acquireSlot(from);
        attempt.defer(() => this.#startNextAttempt());
      },
      fail: () => this.#recordFailure(from),
      [Symbol.dispose]: () => attempt.dispose(),
    };
  }

  /** @throws MonError `unavailable` if another attempt displaces this attempt during the delay */
  async #delay(from: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    using timers = new DisposableStack();
    timers.use(this.#clock.after(LOGIN_DELAY_MS, resolve));
    await this.#wait({ from, proceed: undefined, refuse: () => reject(tooManyLoginsError()) }, promise);
  }

  async #acquireSlot(from: string): Promise<void> {
    if (!this.#isBusy) {
      this.#isBusy = true;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    await this.#wait({ from, proceed: resolve, refuse: () => reject(tooManyLoginsError()) }, promise);
  }

  async #wait(waiting: WaitingLogin, over: Promise<void>): Promise<void> {
    this.#waiting.add(waiting);
    try {
      await over;
    } finally {
      this.#waiting.delete(waiting);
    }
  }

  /** Lets the next attempt verify its password: the first waiting attempt from the address with the fewest failures. */
  #startNextAttempt(): void {
    let next: WaitingLogin | undefined;
    for (const waiting of this.#waiting) {
      if (waiting.proceed === undefined) continue;
      if (next === undefined || this.#recentFailureCount(waiting.from) < this.#recentFailureCount(next.from))
        next = waiting;
    }
    this.#isBusy = next !== undefined;
    if (next === undefined) return;
    this.#waiting.delete(next);
    next.proceed?.();
  }

  /**
   * Rejects the latest waiting attempt of the address with the most failures, if this address has more failures than
   * `from`.
   *
   * @returns true if an attempt was rejected; false if there is no such attempt
   */
  #displaceAttempt(from: string): boolean {
    let last: WaitingLogin | undefined;
    for (const waiting of this.#waiting) {
      if (last === undefined || this.#recentFailureCount(waiting.from) >= this.#recentFailureCount(last.from))
        last = waiting;
    }
    if (last === undefined || this.#recentFailureCount(last.from) <= this.#recentFailureCount(from)) return false;
    this.#waiting.delete(last);
    last.refuse();
    return true;
  }

  #recordFailure(from: string): number {
    if (this.#recentFailureCount(from) === 0) {
      this.#failures.delete(from);
      this.#failures.set(from, { sinceMs: this.#clock.monotonic(), count: 0 });
      const [oldest] = this.#failures.keys();
      if (this.#failures.size > ADDRESSES_MAX && oldest !== undefined) this.#failures.delete(oldest);
    }
    const failures = this.#failures.get(from);
    return failures === undefined ? 1 : ++failures.count;
  }

  #recentFailureCount(from: string): number {
    const failures = this.#failures.get(from);
    return failures === undefined || this.#clock.monotonic() - failures.sinceMs >= WINDOW_MS ? 0 : failures.count;
  }

  #end(from: string): void {
    const own = (this.#attempts.get(from) ?? 1) - 1;
    if (own === 0) this.#attempts.delete(from);
    else this.#attempts.set(from, own);
    this.#attemptCount--;
  }
}

function tooManyLoginsError(): MonError {
  return new MonError('unavailable', 'too many logins are in progress: try again in a few seconds');
}

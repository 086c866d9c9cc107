import { MonError } from '../../../shared/errors.ts';
import { networkOf } from './networks.ts';
import type { Clock } from '../ports.ts';

/** Wrong passwords that an address may try in a minute before each further one has to wait (security S2). */
export const FREE_FAILURES = 10;
const WINDOW_MS = 60_000;
export const DELAY_MS = 2000;

/** Attempts that wait or are looked at, of one address and of all: each costs a connection, and no work before its turn. */
const ATTEMPTS_EACH_MAX = 4;
export const ATTEMPTS_MAX = 1000;

/** Addresses that are remembered; the one that failed first is forgotten first. */
const ADDRESSES_MAX = 10_000;

interface Failures {
  readonly sinceMs: number;
  count: number;
}

export interface LoginAttempt extends Disposable {
  /**
   * Waits until this may do costly work, which it alone does until it is disposed.
   *
   * @throws MonError `unavailable` when others, who have failed less, take its place
   */
  turn(): Promise<void>;
  /** @returns how often this address has failed in this minute */
  fail(): number;
}

/** One that waits, for its delay to pass or for its turn. */
interface Waiting {
  readonly from: string;
  /** Undefined while it is delayed. */
  proceed: (() => void) | undefined;
  refuse(): void;
}

/**
 * Slows down whoever guesses passwords, and bounds what guessing costs the backend and everybody else: one attempt is
 * looked at at a time, of the address that has failed least, and where there are too many, one of the address that has
 * failed most has to go.
 */
export class FailedLogins {
  readonly #clock: Clock;
  readonly #failures = new Map<string, Failures>();
  readonly #attempts = new Map<string, number>();
  readonly #shared = new Map<string, Promise<boolean>>();
  /** In the order in which they came. */
  readonly #waiting = new Set<Waiting>();
  #isBusy = false;
  #all = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * What an address shows several times at once is looked at once: a whole fleet behind one address may come back in the
   * same moment.
   *
   * @param digest of what it shows
   */
  async share(address: string, digest: string, look: () => Promise<boolean>): Promise<boolean> {
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
   * Begins an attempt, after a while when this address has failed too often.
   *
   * @returns to be disposed when it is over
   * @throws MonError `unavailable` when there are too many at once
   */
  async begin(address: string): Promise<LoginAttempt> {
    const from = networkOf(address);
    const own = this.#attempts.get(from) ?? 0;
    if (own >= ATTEMPTS_EACH_MAX || (this.#all >= ATTEMPTS_MAX && !this.#makeRoom(from))) throw tooMany();
    this.#attempts.set(from, own + 1);
    this.#all++;
    using begun = new DisposableStack();
    begun.defer(() => this.#end(from));
    if (this.#recent(from) >= FREE_FAILURES) await this.#delay(from);
    const attempt = begun.move();
    return {
      turn: async () => {
        await this.#turn(from);
        attempt.defer(() => this.#next());
      },
      fail: () => this.#note(from),
      [Symbol.dispose]: () => attempt.dispose(),
    };
  }

  /** @throws MonError `unavailable` when it has to go meanwhile */
  async #delay(from: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    using timers = new DisposableStack();
    timers.use(this.#clock.after(DELAY_MS, resolve));
    await this.#wait({ from, proceed: undefined, refuse: () => reject(tooMany()) }, promise);
  }

  async #turn(from: string): Promise<void> {
    if (!this.#isBusy) {
      this.#isBusy = true;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    await this.#wait({ from, proceed: resolve, refuse: () => reject(tooMany()) }, promise);
  }

  async #wait(waiting: Waiting, over: Promise<void>): Promise<void> {
    this.#waiting.add(waiting);
    try {
      await over;
    } finally {
      this.#waiting.delete(waiting);
    }
  }

  /** Lets the one go on whose address has failed least; of those the one that came first. */
  #next(): void {
    let next: Waiting | undefined;
    for (const waiting of this.#waiting) {
      if (waiting.proceed === undefined) continue;
      if (next === undefined || this.#recent(waiting.from) < this.#recent(next.from)) next = waiting;
    }
    this.#isBusy = next !== undefined;
    if (next === undefined) return;
    this.#waiting.delete(next);
    next.proceed?.();
  }

  /** Sends one away whose address has failed most, the last that came, if that is more than `from` has. */
  #makeRoom(from: string): boolean {
    let last: Waiting | undefined;
    for (const waiting of this.#waiting) {
      if (last === undefined || this.#recent(waiting.from) >= this.#recent(last.from)) last = waiting;
    }
    if (last === undefined || this.#recent(last.from) <= this.#recent(from)) return false;
    this.#waiting.delete(last);
    last.refuse();
    return true;
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

function tooMany(): MonError {
  return new MonError('unavailable', 'too many logins are in progress: try again in a few seconds');
}

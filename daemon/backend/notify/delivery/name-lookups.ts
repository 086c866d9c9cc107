import type { LookupAddress } from 'node:dns';
import { MonError } from '../../../../shared/errors.ts';
import type { Clock } from '../../ports.ts';

/** Returns all addresses of a name; rejects when there is none. */
export type LookUp = (name: string) => Promise<readonly LookupAddress[]>;

/**
 * Most concurrent look-ups. Each occupies one of the four threads that the store uses as well, for as long as the
 * resolver takes. Some threads must stay free, or a broken name server would stop ingest.
 */
const RUNNING_MAX = 2;

/** Lifetime of a cached result: a handler with a thousand runs a second then needs one look-up. */
const KEPT_MS = 5000;

/** Most cached names; handlers use far fewer, but redirects can name any. */
const KEPT_MAX = 1000;

interface Answer {
  readonly addresses: Promise<readonly LookupAddress[]>;
  /** Expiry in monotonic milliseconds; infinite while the look-up runs. */
  untilMs: number;
}

/** A cache of name look-ups. It limits their concurrency and shares one look-up among all concurrent callers. */
export class NameLookups {
  readonly #clock: Clock;
  readonly #lookUp: LookUp;
  readonly #answers = new Map<string, Answer>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(clock: Clock, lookUp: LookUp) {
    this.#clock = clock;
    this.#lookUp = lookUp;
  }

  /** @throws MonError `unavailable` when the name has no address, or `signal` is aborted before the look-up ends */
  async lookUp(name: string, signal: AbortSignal): Promise<readonly LookupAddress[]> {
    const { promise: isTooLate, reject } = Promise.withResolvers<never>();
    const giveUp = (): void => reject(new MonError('unavailable', `name lookup of ${name} timed out`));
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp);
    try {
      return await Promise.race([isTooLate, this.#addresses(name)]);
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  #addresses(name: string): Promise<readonly LookupAddress[]> {
    const cachedAnswer = this.#answers.get(name);
    if (cachedAnswer !== undefined && cachedAnswer.untilMs > this.#clock.monotonic()) return cachedAnswer.addresses;
    this.#answers.delete(name);
    this.#evictOldest();
    const answer: Answer = { addresses: this.#ask(name), untilMs: Number.POSITIVE_INFINITY };
    this.#answers.set(name, answer);
    answer.addresses.then(
      () => (answer.untilMs = this.#clock.monotonic() + KEPT_MS),
      // Expire a failed look-up at once, so that the next caller tries again.
      () => (answer.untilMs = 0),
    );
    return answer.addresses;
  }

  async #ask(name: string): Promise<readonly LookupAddress[]> {
    await this.#acquireSlot();
    try {
      return await this.#lookUp(name);
    } catch (error) {
      throw new MonError('unavailable', `${name} has no address: the name does not exist`, { cause: error });
    } finally {
      this.#running -= 1;
      this.#waiting.shift()?.();
    }
  }

  async #acquireSlot(): Promise<void> {
    while (this.#running >= RUNNING_MAX) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.push(resolve);
      await promise;
    }
    this.#running += 1;
  }

  /** Drops the oldest cached result. A running look-up stays, so that it is not started twice. */
  #evictOldest(): void {
    if (this.#answers.size < KEPT_MAX) return;
    for (const [name, { untilMs }] of this.#answers) {
      if (untilMs === Number.POSITIVE_INFINITY) continue;
      this.#answers.delete(name);
      return;
    }
  }
}

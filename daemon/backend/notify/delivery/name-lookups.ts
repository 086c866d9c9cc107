import type { LookupAddress } from 'node:dns';
import { MonError } from '../../../../shared/errors.ts';
import type { Clock } from '../../ports.ts';

/** Resolves a host name to all its addresses; rejects if it has none. */
export type LookUp = (name: string) => Promise<readonly LookupAddress[]>;

/**
 * Maximum number of concurrent host name look-ups. Until the resolver responds, a look-up occupies one of the four
 * threads that the store uses too. Some threads must stay free: otherwise a broken name server would stop the
 * processing of results.
 */
const RUNNING_MAX = 2;

/**
 * Lifetime of a cached look-up: a handler that runs a thousand times per second looks its host up once per lifetime.
 */
const KEPT_MS = 5000;

/** Maximum number of cached host names. Handler definitions contain far fewer, but redirects can name any host. */
const KEPT_MAX = 1000;

interface Answer {
  readonly addresses: Promise<readonly LookupAddress[]>;
  /** The time when this look-up expires, in milliseconds of the monotonic clock; infinite while the look-up runs. */
  untilMs: number;
}

/** A cache of host name look-ups. It limits how many run at once, and callers that need the same name share one. */
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

  /**
   * Returns all addresses of a host name.
   *
   * @throws MonError `unavailable` if the name has no address, or if `signal` is aborted before the look-up ends
   */
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
      // A failed look-up expires at once, so that the next caller starts a new one.
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

  /** If the cache is full, removes its oldest completed look-up. Running look-ups stay, so that callers share them. */
  #evictOldest(): void {
    if (this.#answers.size < KEPT_MAX) return;
    for (const [name, { untilMs }] of this.#answers) {
      if (untilMs === Number.POSITIVE_INFINITY) continue;
      this.#answers.delete(name);
      return;
    }
  }
}

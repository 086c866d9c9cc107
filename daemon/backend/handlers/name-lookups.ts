import type { LookupAddress } from 'node:dns';
import { MonError } from '../../../shared/errors.ts';
import type { Clock } from '../ports.ts';

/** All addresses of a name; rejects when there is none. */
export type LookUp = (name: string) => Promise<readonly LookupAddress[]>;

/**
 * Look-ups that run at once. Each holds one of the four threads on which the store reads and writes too, for as long as
 * the resolver of the machine takes: some of them must stay free, or a broken name server would stop ingest.
 */
const RUNNING_MAX = 2;

/** For how long an answer counts: a handler with a thousand runs a second asks once. */
const KEPT_MS = 5000;

/** Names whose answers are kept; handlers have far fewer, but redirects can name any. */
const KEPT_MAX = 1000;

interface Answer {
  readonly addresses: Promise<readonly LookupAddress[]>;
  /** Monotonic milliseconds; infinite while the look-up runs. */
  untilMs: number;
}

/** Looks up names: few at once, each only once for all who ask, and for a few seconds no more than that. */
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

  /** @throws MonError `unavailable` when the name has no address, or `signal` is aborted before there is an answer */
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
    const known = this.#answers.get(name);
    if (known !== undefined && known.untilMs > this.#clock.monotonic()) return known.addresses;
    this.#answers.delete(name);
    this.#makeRoom();
    const answer: Answer = { addresses: this.#ask(name), untilMs: Number.POSITIVE_INFINITY };
    this.#answers.set(name, answer);
    answer.addresses.then(
      () => (answer.untilMs = this.#clock.monotonic() + KEPT_MS),
      // Whoever comes next may ask again.
      () => (answer.untilMs = 0),
    );
    return answer.addresses;
  }

  async #ask(name: string): Promise<readonly LookupAddress[]> {
    await this.#turn();
    try {
      return await this.#lookUp(name);
    } catch (error) {
      throw new MonError('unavailable', `${name} has no address: the name does not exist`, { cause: error });
    } finally {
      this.#running -= 1;
      this.#waiting.shift()?.();
    }
  }

  async #turn(): Promise<void> {
    while (this.#running >= RUNNING_MAX) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.push(resolve);
      await promise;
    }
    this.#running += 1;
  }

  /** The oldest answer goes. A look-up that runs stays known, so that nobody starts it again. */
  #makeRoom(): void {
    if (this.#answers.size < KEPT_MAX) return;
    for (const [name, { untilMs }] of this.#answers) {
      if (untilMs === Number.POSITIVE_INFINITY) continue;
      this.#answers.delete(name);
      return;
    }
  }
}

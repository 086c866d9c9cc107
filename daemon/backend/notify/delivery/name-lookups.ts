import type { LookupAddress } from 'node:dns';
import { MonError } from '../../../../shared/errors.ts';
import type { Clock } from '../../ports.ts';

/** Resolves a host name to all its addresses; rejects if the name has no address. */
export type NameResolver = (name: string) => Promise<readonly LookupAddress[]>;

/**
 * Maximum number of concurrent host name look-ups. A look-up occupies one of the four threads of the Node.js thread
 * pool until the resolver responds. The store needs free threads of this pool: otherwise, a broken name server would
 * stop the processing of results.
 */
const CONCURRENT_LOOKUPS_MAX = 2;

/**
 * Lifetime of a cached look-up in milliseconds. A handler that runs a thousand times per second looks up its host once
 * in this time.
 */
const CACHE_LIFETIME_MS = 5000;

/** Maximum number of cached host names. Handler definitions contain far fewer, but redirects can name any host. */
const CACHED_NAMES_MAX = 1000;

interface CachedLookup {
  readonly addresses: Promise<readonly LookupAddress[]>;
  /** The time when this look-up expires, in milliseconds of the monotonic clock; infinite while the look-up runs. */
  expiresAtMs: number;
}

/**
 * A cache of host name look-ups. It limits the number of concurrent look-ups, and callers that need the same name share
 * a look-up.
 */
export class NameLookupCache {
  readonly #clock: Clock;
  readonly #resolveName: NameResolver;
  readonly #cache = new Map<string, CachedLookup>();
  readonly #slotWaiters: (() => void)[] = [];
  #runningCount = 0;

  constructor(clock: Clock, resolveName: NameResolver) {
    this.#clock = clock;
    this.#resolveName = resolveName;
  }

  /**
   * Returns all addresses of a host name.
   *
   * @throws MonError `unavailable` if the name has no address, or if `signal` is aborted before the look-up ends
   */
  async lookUp(name: string, signal: AbortSignal): Promise<readonly LookupAddress[]> {
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const rejectOnAbort = (): void => reject(new MonError('unavailable', `name lookup of ${name} timed out`));
    if (signal.aborted) rejectOnAbort();
    signal.addEventListener('abort', rejectOnAbort);
    try {
      return await Promise.race([aborted, this.#getOrStartLookup(name)]);
    } finally {
      signal.removeEventListener('abort', rejectOnAbort);
    }
  }

  #getOrStartLookup(name: string): Promise<readonly LookupAddress[]> {
    const cachedLookup = this.#cache.get(name);
    if (cachedLookup !== undefined && cachedLookup.expiresAtMs > this.#clock.monotonic()) return cachedLookup.addresses;
    this.#cache.delete(name);
    this.#evictIfFull();
    const newLookup: CachedLookup = { addresses: this.#startLookup(name), expiresAtMs: Number.POSITIVE_INFINITY };
    this.#cache.set(name, newLookup);
    newLookup.addresses.then(
      () => (newLookup.expiresAtMs = this.#clock.monotonic() + CACHE_LIFETIME_MS),
      // A failed look-up expires at once, so that the next caller starts a new one.
      () => (newLookup.expiresAtMs = 0),
    );
    return newLookup.addresses;
  }

  async #startLookup(name: string): Promise<readonly LookupAddress[]> {
    await this.#acquireSlot();
    try {
      return await this.#resolveName(name);
    } catch (error) {
      throw new MonError('unavailable', `${name} has no address: the name does not exist`, { cause: error });
    } finally {
      this.#runningCount -= 1;
      this.#slotWaiters.shift()?.();
    }
  }

  async #acquireSlot(): Promise<void> {
    while (this.#runningCount >= CONCURRENT_LOOKUPS_MAX) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#slotWaiters.push(resolve);
      await promise;
    }
    this.#runningCount += 1;
  }

  /** If the cache is full, removes its oldest completed look-up. Running look-ups stay, so that callers share them. */
  #evictIfFull(): void {
    if (this.#cache.size < CACHED_NAMES_MAX) return;
    for (const [name, { expiresAtMs }] of this.#cache) {
      if (expiresAtMs === Number.POSITIVE_INFINITY) continue;
      this.#cache.delete(name);
      return;
    }
  }
}

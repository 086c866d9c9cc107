/** The state of a check that the index reads and updates. Times are epoch seconds, durations are seconds. */
interface TtlState {
  readonly executed: number;
  readonly ttl: number;
  ttlRepeat: number;
  /** The second in which the index examines the check next; 0 if it does not. */
  ttlAt: number;
}

/**
 * Minimum number of unused positions before a cleanup removes them. A cleanup is expensive, because it examines all
 * positions.
 */
const ENDED_MIN = 1000;

/**
 * Index of checks by the second in which their last result becomes stale, if no new result arrives. A result that
 * arrives in time costs nothing here. Its check is moved in the index only when that second comes, once per `ttl`. A
 * check whose result becomes stale earlier than before is moved at once; its old position is skipped later.
 */
export class TtlIndex<Entry extends TtlState> {
  readonly #bySecond = new Map<number, Entry[]>();
  /** The last second for which `due` was called; undefined before the first call. */
  #seenSeconds: number | undefined;
  /** Number of positions in the index. */
  #size = 0;
  /** Number of positions that became unused since the last cleanup. */
  #unusedCount = 0;

  /**
   * Adds a check whose last result has a `ttl`. A check in the index is moved only if its result becomes stale earlier.
   *
   * @param repeat seconds after which `due` yields a result that stays stale again; more than 0
   */
  watch(entry: Entry, repeat: number): void {
    const isFollowed = entry.ttlRepeat > 0;
    entry.ttlRepeat = repeat;
    const staleAt = entry.executed + entry.ttl;
    if (!isFollowed) this.#put(entry, staleAt);
    // A result that is stale on arrival does not move its check, because a spool can contain many such results.
    else if (staleAt < entry.ttlAt && staleAt > (this.#seenSeconds ?? 0)) {
      this.#put(entry, staleAt);
      this.#countUnused();
    }
  }

  /**
   * Counts the unused position of a check whose last result has no `ttl` any more. The position is removed when its
   * second comes, or by a cleanup. On a follower only a cleanup removes it, because a follower does not call `due`.
   */
  recordUnused(): void {
    this.#countUnused();
  }

  #countUnused(): void {
    this.#unusedCount++;
    if (this.#unusedCount <= Math.max(ENDED_MIN, this.#size / 2)) return;
    this.#size = 0;
    this.#unusedCount = 0;
    for (const [second, entries] of this.#bySecond) {
      const watched = entries.filter(({ ttl, ttlAt }) => ttl > 0 && ttlAt === second);
      for (const entry of entries) if (entry.ttl === 0) removeFromIndex(entry);
      this.#size += watched.length;
      if (watched.length === 0) this.#bySecond.delete(second);
      else this.#bySecond.set(second, watched);
    }
  }

  /**
   * Yields the checks whose last result is stale at `now` (epoch seconds). A later call yields a check again after its
   * `ttlRepeat`, until a new result arrives.
   */
  *due(now: number): Generator<Entry, void, undefined> {
    for (const second of this.#secondsUntil(now)) {
      const entries = this.#bySecond.get(second) ?? [];
      this.#bySecond.delete(second);
      this.#size -= entries.length;
      for (const entry of entries) {
        if (entry.ttlAt !== second) continue;
        // Removes the check from the index, because its last result was deleted or has no `ttl` any more.
        if (entry.ttl === 0) {
          removeFromIndex(entry);
          continue;
        }
        const staleAt = entry.executed + entry.ttl;
        this.#put(entry, staleAt > now ? staleAt : now + entry.ttlRepeat);
        if (staleAt <= now) yield entry;
      }
    }
  }

  /**
   * Yields the seconds since the last call up to `now`, in order. Seconds without checks are omitted if that is faster.
   */
  *#secondsUntil(now: number): Generator<number, void, undefined> {
    const from = this.#seenSeconds;
    this.#seenSeconds = now;
    if (from !== undefined && now - from < this.#bySecond.size) {
      for (let second = from + 1; second <= now; second++) yield second;
    } else {
      yield* [...this.#bySecond.keys()].filter((second) => second <= now).toSorted((a, b) => a - b);
    }
  }

  #put(entry: Entry, second: number): void {
    // A result can be stale on arrival. Its second was examined already, so the check is put into the next second.
    const at = Math.max(second, (this.#seenSeconds ?? 0) + 1);
    entry.ttlAt = at;
    this.#size++;
    const entries = this.#bySecond.get(at);
    if (entries === undefined) this.#bySecond.set(at, [entry]);
    else entries.push(entry);
  }
}

function removeFromIndex(entry: TtlState): void {
  entry.ttlRepeat = 0;
  entry.ttlAt = 0;
}

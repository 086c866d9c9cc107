/** The watched state of a check. Times are epoch seconds, durations are seconds. */
interface Watched {
  readonly executed: number;
  readonly ttl: number;
  ttlRepeat: number;
  /** Time of its next check; 0: never. */
  ttlAt: number;
}

/** Minimum number of unused entries before they are removed, because that examines all others. */
const ENDED_MIN = 1000;

/**
 * Index of results by the second in which they may become stale. A result that arrives in time costs nothing here: its
 * entry is moved when its second comes, once per ttl. An entry with a shorter ttl is moved at once, and its old
 * position is skipped later.
 */
export class TtlIndex<Entry extends Watched> {
  readonly #bySecond = new Map<number, Entry[]>();
  /** The last second that was processed. */
  #seenSeconds: number | undefined;
  /** Number of positions in the index, and how many of them became unused since the last cleanup. */
  #size = 0;
  #ended = 0;

  /**
   * Adds an entry whose result has a ttl; an existing one keeps its position, unless that is too late.
   *
   * @param repeat seconds after which a result that stays stale is due again, more than 0
   */
  follow(entry: Entry, repeat: number): void {
    const isFollowed = entry.ttlRepeat > 0;
    entry.ttlRepeat = repeat;
    const staleAt = entry.executed + entry.ttl;
    if (!isFollowed) this.#put(entry, staleAt);
    // A result that is stale on arrival keeps its schedule: a spool may contain many more of that kind.
    else if (staleAt < entry.ttlAt && staleAt > (this.#seenSeconds ?? 0)) {
      this.#put(entry, staleAt);
      this.#noteUseless();
    }
  }

  /**
   * Records that an entry has no ttl any more. It is removed when its second comes, or by a cleanup, because a follower
   * does not process the seconds.
   */
  noteEnd(): void {
    this.#noteUseless();
  }

  #noteUseless(): void {
    this.#ended++;
    if (this.#ended <= Math.max(ENDED_MIN, this.#size / 2)) return;
    this.#size = 0;
    this.#ended = 0;
    for (const [second, entries] of this.#bySecond) {
      const watched = entries.filter(({ ttl, ttlAt }) => ttl > 0 && ttlAt === second);
      for (const entry of entries) if (entry.ttl === 0) leave(entry);
      this.#size += watched.length;
      if (watched.length === 0) this.#bySecond.delete(second);
      else this.#bySecond.set(second, watched);
    }
  }

  /**
   * Yields the entries whose result is stale at `now` (epoch seconds): each once now, and again after `repeat` until a
   * result arrives.
   */
  *due(now: number): Generator<Entry, void, undefined> {
    for (const second of this.#secondsUntil(now)) {
      const entries = this.#bySecond.get(second) ?? [];
      this.#bySecond.delete(second);
      this.#size -= entries.length;
      for (const entry of entries) {
        if (entry.ttlAt !== second) continue;
        // The result was deleted, or has no ttl any more.
        if (entry.ttl === 0) {
          leave(entry);
          continue;
        }
        const staleAt = entry.executed + entry.ttl;
        this.#put(entry, staleAt > now ? staleAt : now + entry.ttlRepeat);
        if (staleAt <= now) yield entry;
      }
    }
  }

  /** Yields the seconds since the last call, in order; empty ones may be omitted. */
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
    // A result may be older than its ttl on arrival. Its second was processed already, so the next one is used.
    const at = Math.max(second, (this.#seenSeconds ?? 0) + 1);
    entry.ttlAt = at;
    this.#size++;
    const entries = this.#bySecond.get(at);
    if (entries === undefined) this.#bySecond.set(at, [entry]);
    else entries.push(entry);
  }
}

function leave(entry: Watched): void {
  entry.ttlRepeat = 0;
  entry.ttlAt = 0;
}

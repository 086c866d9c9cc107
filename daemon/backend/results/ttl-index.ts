/** A check of a client, as it is watched. Times are epoch seconds, spans seconds. */
interface Watched {
  readonly executed: number;
  readonly ttl: number;
  ttlRepeat: number;
  /** When it is looked at next; 0: never. */
  ttlAt: number;
}

/** So few places of what is not looked at there any more are not worth a look at all others. */
const ENDED_MIN = 1000;

/**
 * Which results go stale when: entries by the second at which they are looked at next. A result that arrives in time
 * costs nothing here; its entry is moved on when its second comes, once in a ttl. One with a shorter ttl is moved at once, and
 * leaves a place behind, which is passed over.
 */
export class TtlIndex<Entry extends Watched> {
  readonly #bySecond = new Map<number, Entry[]>();
  /** Every second up to this one was looked at. */
  #seenSeconds: number | undefined;
  /** Places in here, and how many of them came to be of no use since those were last taken out. */
  #size = 0;
  #ended = 0;

  /**
   * Takes up an entry whose result has a ttl; one that is in here stays where it is, unless that is too late.
   *
   * @param repeat seconds after which a result that stays stale is due again, more than 0
   */
  follow(entry: Entry, repeat: number): void {
    const isFollowed = entry.ttlRepeat > 0;
    entry.ttlRepeat = repeat;
    const staleAt = entry.executed + entry.ttl;
    if (!isFollowed) this.#put(entry, staleAt);
    // One that is stale when it comes is looked at as often as it was: a spool may have much more of that kind.
    else if (staleAt < entry.ttlAt && staleAt > (this.#seenSeconds ?? 0)) {
      this.#put(entry, staleAt);
      this.#noteUseless();
    }
  }

  /** An entry in here has no ttl any more. It goes when its second comes; nobody looks at those of a backend in reserve. */
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
   * Entries whose result is stale at `now` (epoch seconds): each once now, and again and again until a result arrives.
   */
  *due(now: number): Generator<Entry, void, undefined> {
    for (const second of this.#secondsUntil(now)) {
      const entries = this.#bySecond.get(second) ?? [];
      this.#bySecond.delete(second);
      this.#size -= entries.length;
      for (const entry of entries) {
        if (entry.ttlAt !== second) continue;
        // The result is gone, or has no ttl any more.
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

  /** The seconds that have come since the last time, in order; those that hold nothing need not be among them. */
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
    // A result may be older than its ttl when it arrives: its second has been looked at, so the next one it is.
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

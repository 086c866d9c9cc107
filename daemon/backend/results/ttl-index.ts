import { STALE_REPEAT_SECONDS } from '../../../shared/domain/ttl.ts';
import type { CheckEntry } from '../registry/entries.ts';

/**
 * Which results go stale when: entries by the second at which they are looked at next. A result that arrives in time
 * costs nothing here; its entry is moved on when its second comes, once in a ttl.
 */
export class TtlIndex {
  readonly #bySecond = new Map<number, CheckEntry[]>();
  /** Every second up to this one was looked at. */
  #seenSeconds: number | undefined;

  /** Takes up an entry whose result has a ttl; one that is in here stays where it is. */
  follow(entry: CheckEntry): void {
    if (entry.ttl > 0 && !entry.isInTtlIndex) this.#put(entry, entry.executed + entry.ttl);
  }

  /**
   * Entries whose result is stale at `now` (epoch seconds): each once now, and again every `STALE_REPEAT_SECONDS` until
   * a result arrives.
   */
  *due(now: number): Generator<CheckEntry, void, undefined> {
    for (const second of this.#secondsUntil(now)) {
      const entries = this.#bySecond.get(second) ?? [];
      this.#bySecond.delete(second);
      for (const entry of entries) {
        entry.isInTtlIndex = false;
        // The result is gone, or has no ttl any more.
        if (entry.ttl === 0) continue;
        const staleAt = entry.executed + entry.ttl;
        this.#put(entry, staleAt > now ? staleAt : now + STALE_REPEAT_SECONDS);
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

  #put(entry: CheckEntry, second: number): void {
    // A result may be older than its ttl when it arrives: its second has been looked at, so the next one it is.
    const at = Math.max(second, (this.#seenSeconds ?? 0) + 1);
    const entries = this.#bySecond.get(at);
    if (entries === undefined) this.#bySecond.set(at, [entry]);
    else entries.push(entry);
    entry.isInTtlIndex = true;
  }
}

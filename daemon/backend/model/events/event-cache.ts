import type { EventState } from '../../../../shared/domain/event.ts';
import type { CommitBoard } from '../transaction/commit-board.ts';
import type { CheckEntry } from '../registry/namespace.ts';

/** Estimated memory of a cache entry in bytes, without its value and its key. */
const ENTRY_BYTES = 250;

interface EventCacheDependencies<Value> {
  readonly commits: Pick<CommitBoard, 'onCommit'>;
  /** Returns the current limit on the memory of the whole cache, in bytes. */
  readonly budget: () => number;
  /**
   * Returns the memory of a value in bytes; undefined if the value can change without a commit, so that it must not be
   * cached.
   */
  readonly bytesOf: (value: Value) => number | undefined;
}

interface CachedValue<Value> {
  readonly value: Value;
  readonly bytes: number;
  readonly key: string;
  /**
   * Names of the client and the check when the value was cached. They are compared with the current names, because an
   * event that is renamed keeps its state object.
   */
  readonly client: string;
  readonly check: string;
}

/**
 * Caches values that are derived from the committed records of open events. The key is the state object of an event. If
 * memory is ahead of the store or was reloaded, the event has another state object, so a caller never gets an outdated
 * value.
 *
 * A commit that announces an event removes its value; a value that is being derived at that time is not cached. A value
 * that would exceed the memory limit is derived in each call.
 */
export class EventCache<Value> implements Disposable {
  readonly #dependencies: EventCacheDependencies<Value>;
  readonly #subscription: Disposable;
  /**
   * Cached values by the state object of their event. A list looks up thousands of them; building text keys would take
   * a fifth of its time.
   */
  readonly #cachedValues = new Map<EventState, CachedValue<Value>>();
  /** State object of each cached event, by the text key that `keyOf` builds from its names. */
  readonly #events = new Map<string, EventState>();
  /**
   * One set per read in progress. It contains the keys of the events that no commit has announced since the read began.
   */
  readonly #readings = new Set<Set<string>>();
  #bytes = 0;

  constructor(dependencies: EventCacheDependencies<Value>) {
    this.#dependencies = dependencies;
    this.#subscription = dependencies.commits.onCommit(({ changes }) => {
      if (this.#cachedValues.size === 0 && this.#readings.size === 0) return;
      for (const [kind, namespace, client, check] of changes) {
        if (kind === 'event') this.#forget(keyOf(namespace, client, check));
      }
    });
  }

  /** Estimated memory of all cached values, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Returns the values of these entries, from the cache or by `read`.
   *
   * @param read callback that reads the records of the entries that are not cached, and returns their values in the
   *   same order; undefined for an entry without a value
   * @returns the values in the order of `entries`; undefined for an entry without a value
   */
  async valuesOf(
    entries: readonly CheckEntry[],
    read: (missing: readonly CheckEntry[]) => Promise<readonly (Value | undefined)[]>,
  ): Promise<(Value | undefined)[]> {
    const missingIndexes: number[] = [];
    const missing: CheckEntry[] = [];
    const values = entries.map((entry, index) => {
      const value = this.#valueOf(entry);
      if (value === undefined) {
        missingIndexes.push(index);
        missing.push(entry);
      }
      return value;
    });
    if (missingIndexes.length === 0) return values;
    const made = await this.#readAndCache(missing, read);
    for (const [at, index] of missingIndexes.entries()) values[index] = made[at];
    return values;
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]();
    this.#clear();
  }

  #valueOf({ client, name, state: { event } }: CheckEntry): Value | undefined {
    const kept = event && this.#cachedValues.get(event);
    return kept?.check === name && kept.client === client.name ? kept.value : undefined;
  }

  async #readAndCache(
    entries: readonly CheckEntry[],
    read: (missing: readonly CheckEntry[]) => Promise<readonly (Value | undefined)[]>,
  ): Promise<readonly (Value | undefined)[]> {
    if (this.#dependencies.budget() <= 0) {
      this.#clear();
      return read(entries);
    }
    const reading = new Set(entries.map(keyOfEntry));
    this.#readings.add(reading);
    try {
      const values = await read(entries);
      for (const [at, entry] of entries.entries()) {
        const value = values[at];
        const key = keyOfEntry(entry);
        if (value !== undefined && reading.has(key)) this.#store(key, entry, value);
      }
      return values;
    } finally {
      this.#readings.delete(reading);
    }
  }

  #store(key: string, { client, name, state: { event } }: CheckEntry, value: Value): void {
    const own = this.#dependencies.bytesOf(value);
    if (own === undefined || event === undefined) return;
    this.#removeValue(key);
    const before = this.#cachedValues.get(event);
    if (before !== undefined) this.#removeValue(before.key);
    const bytes = own + key.length + ENTRY_BYTES;
    const budgetBytes = this.#dependencies.budget();
    // The limit was lowered. All values are removed, because finding the oldest values would cost more than it saves.
    if (this.#bytes > budgetBytes) this.#clear();
    if (this.#bytes + bytes > budgetBytes) return;
    this.#cachedValues.set(event, { value, bytes, key, client: client.name, check: name });
    this.#events.set(key, event);
    this.#bytes += bytes;
  }

  #forget(key: string): void {
    this.#removeValue(key);
    for (const reading of this.#readings) reading.delete(key);
  }

  #removeValue(key: string): void {
    const event = this.#events.get(key);
    if (event === undefined) return;
    this.#bytes -= this.#cachedValues.get(event)?.bytes ?? 0;
    this.#cachedValues.delete(event);
    this.#events.delete(key);
  }

  #clear(): void {
    this.#cachedValues.clear();
    this.#events.clear();
    this.#bytes = 0;
  }
}

const BEYOND_ONE_BYTE = /[^\u0000-\u00ff]/;

/** Returns the memory of a text in bytes: one per character, or two if any of its characters is above U+00FF. */
export function bytesOfText(text: string): number {
  return BEYOND_ONE_BYTE.test(text) ? 2 * text.length : text.length;
}

function keyOfEntry({ client, name }: CheckEntry): string {
  return keyOf(client.namespace.name, client.name, name);
}

/**
 * Returns a unique key of an event: the names of namespace, client and check, separated by line breaks. No name
 * contains a line break.
 */
function keyOf(namespace: string, client: string, check: string): string {
  return `${namespace}\n${client}\n${check}`;
}

import type { EventState } from '../../../../shared/domain/event.ts';
import type { CommitBoard } from '../transaction/commit-board.ts';
import type { CheckEntry } from '../registry/namespace.ts';

/** Memory of each entry, in addition to its value. */
const ENTRY_BYTES = 250;

interface KeptParts<Value> {
  readonly commits: Pick<CommitBoard, 'onCommit'>;
  /** Returns the bytes of memory that all values may take now. */
  readonly budget: () => number;
  /** Returns the memory of a value; undefined: it may change without a commit, and is not cached. */
  readonly bytesOf: (value: Value) => number | undefined;
}

interface Kept<Value> {
  readonly value: Value;
  readonly bytes: number;
  readonly key: string;
  /** Client of the event at that time: a renamed event keeps its state object. */
  readonly client: string;
  readonly check: string;
}

/**
 * Caches values derived from the committed records of checks with an open event. A commit that announces an event
 * removes its value, and any value that is being derived. If memory is ahead of the store, or was read anew, the event
 * has another state object. So a caller gets only values of the stored state. Values that do not fit are derived again.
 */
export class KeptByEvent<Value> implements Disposable {
  readonly #parts: KeptParts<Value>;
  readonly #listening: Disposable;
  /**
   * Values by the state object of the event: a list looks up thousands, and text keys would take a fifth of its time.
   */
  readonly #kept = new Map<EventState, Kept<Value>>();
  /** The state object of each cached event, by its names. */
  readonly #events = new Map<string, EventState>();
  /** The keys whose records are being read, and have not changed since. */
  readonly #readings = new Set<Set<string>>();
  #bytes = 0;

  constructor(parts: KeptParts<Value>) {
    this.#parts = parts;
    this.#listening = parts.commits.onCommit(({ changes }) => {
      if (this.#kept.size === 0 && this.#readings.size === 0) return;
      for (const [kind, namespace, client, check] of changes) {
        if (kind === 'event') this.#forget(keyOf(namespace, client, check));
      }
    });
  }

  /** Bytes of memory. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Returns the values of some entries, cached or read.
   *
   * @param read reads the records of some entries, and derives their values in order; undefined where there is none
   * @returns in the order of `entries`
   */
  async of(
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
    const made = await this.#make(missing, read);
    for (const [at, index] of missingIndexes.entries()) values[index] = made[at];
    return values;
  }

  [Symbol.dispose](): void {
    this.#listening[Symbol.dispose]();
    this.#clear();
  }

  #valueOf({ client, name, state: { event } }: CheckEntry): Value | undefined {
    const kept = event && this.#kept.get(event);
    return kept?.check === name && kept.client === client.name ? kept.value : undefined;
  }

  async #make(
    entries: readonly CheckEntry[],
    read: (missing: readonly CheckEntry[]) => Promise<readonly (Value | undefined)[]>,
  ): Promise<readonly (Value | undefined)[]> {
    if (this.#parts.budget() <= 0) {
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
        if (value !== undefined && reading.has(key)) this.#keep(key, entry, value);
      }
      return values;
    } finally {
      this.#readings.delete(reading);
    }
  }

  #keep(key: string, { client, name, state: { event } }: CheckEntry, value: Value): void {
    const own = this.#parts.bytesOf(value);
    if (own === undefined || event === undefined) return;
    this.#forgetKept(key);
    const before = this.#kept.get(event);
    if (before !== undefined) this.#forgetKept(before.key);
    const bytes = own + key.length + ENTRY_BYTES;
    const budgetBytes = this.#parts.budget();
    // The limit was lowered. Finding the oldest values would cost more than it saves.
    if (this.#bytes > budgetBytes) this.#clear();
    if (this.#bytes + bytes > budgetBytes) return;
    this.#kept.set(event, { value, bytes, key, client: client.name, check: name });
    this.#events.set(key, event);
    this.#bytes += bytes;
  }

  #forget(key: string): void {
    this.#forgetKept(key);
    for (const reading of this.#readings) reading.delete(key);
  }

  #forgetKept(key: string): void {
    const event = this.#events.get(key);
    if (event === undefined) return;
    this.#bytes -= this.#kept.get(event)?.bytes ?? 0;
    this.#kept.delete(event);
    this.#events.delete(key);
  }

  #clear(): void {
    this.#kept.clear();
    this.#events.clear();
    this.#bytes = 0;
  }
}

const BEYOND_ONE_BYTE = /[^\u0000-\u00ff]/;

/** Returns the bytes of memory of a text: two for each of its characters if one of them needs two. */
export function bytesOfText(text: string): number {
  return BEYOND_ONE_BYTE.test(text) ? 2 * text.length : text.length;
}

function keyOfEntry({ client, name }: CheckEntry): string {
  return keyOf(client.namespace.name, client.name, name);
}

/** Returns the key of an event. Names contain no line breaks. */
function keyOf(namespace: string, client: string, check: string): string {
  return `${namespace}\n${client}\n${check}`;
}

import type { EventState } from '../../../shared/domain/event.ts';
import type { CommitBoard } from '../commit/commit-board.ts';
import type { CheckEntry } from '../registry/namespace.ts';

/** Memory for each that is kept, beside its own. */
const PLACE_BYTES = 250;

interface KeptParts<Value> {
  readonly commits: Pick<CommitBoard, 'onCommit'>;
  /** Bytes of memory that all may take now. */
  readonly room: () => number;
  /** Bytes of memory of a value; undefined: it may change untold, and is not kept. */
  readonly bytesOf: (value: Value) => number | undefined;
}

interface Kept<Value> {
  readonly value: Value;
  readonly bytes: number;
  readonly key: string;
  /** Whose event it was then: one that is renamed keeps its state. */
  readonly client: string;
  readonly check: string;
}

/**
 * What was made of the committed records of checks whose event is open, kept for those who ask again. A commit that
 * announces an event takes away what was made of it, and what is being made; memory that is ahead of the store, or was read
 * anew, has another state of the event. So nobody gets anything but what is in the store. What does not fit is made again.
 */
export class KeptByEvent<Value> implements Disposable {
  readonly #parts: KeptParts<Value>;
  readonly #listening: Disposable;
  /** By the state of the event when the value was read: a list looks up thousands, and texts as keys would be a fifth of it. */
  readonly #kept = new Map<EventState, Kept<Value>>();
  /** The state of each event of which something is kept, by its names. */
  readonly #events = new Map<string, EventState>();
  /** The keys whose records are being read, and were not changed since. */
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
   * @param read reads the records of some entries, and makes a value of each in their order; undefined where there is none
   * @returns in the order of `entries`
   */
  async of(
    entries: readonly CheckEntry[],
    read: (missing: readonly CheckEntry[]) => Promise<readonly (Value | undefined)[]>,
  ): Promise<(Value | undefined)[]> {
    const places: number[] = [];
    const missing: CheckEntry[] = [];
    const values = entries.map((entry, place) => {
      const value = this.#valueOf(entry);
      if (value === undefined) {
        places.push(place);
        missing.push(entry);
      }
      return value;
    });
    if (places.length === 0) return values;
    const made = await this.#make(missing, read);
    for (const [at, place] of places.entries()) values[place] = made[at];
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
    if (this.#parts.room() <= 0) {
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
    const bytes = own + key.length + PLACE_BYTES;
    const room = this.#parts.room();
    // The room has become less: what was asked for long ago is not worth finding.
    if (this.#bytes > room) this.#clear();
    if (this.#bytes + bytes > room) return;
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

/** Bytes of memory of a text: two for each of its characters when one of them needs two. */
export function bytesOfText(text: string): number {
  return BEYOND_ONE_BYTE.test(text) ? 2 * text.length : text.length;
}

function keyOfEntry({ client, name }: CheckEntry): string {
  return keyOf(client.namespace.name, client.name, name);
}

/** No name holds a line break. */
function keyOf(namespace: string, client: string, check: string): string {
  return `${namespace}\n${client}\n${check}`;
}

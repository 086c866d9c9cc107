import type { SubmittedResult } from '../../shared/schemas/result.ts';

/**
 * A result with its id in the spool and its JSON text. The text is sent unchanged, unless the result is sent as a delta
 * (a difference to an earlier result).
 */
export interface SpooledResult {
  readonly id: number;
  readonly text: string;
}

/**
 * Maximum number of checks in `#keys`. If a check does not fit, its older results on disk are delivered after newer
 * ones.
 */
const KEYS_MAX = 10_000;

interface UnsavedResult extends SpooledResult {
  readonly key: string;
  /** Callbacks that run once: with true when the result is on disk or acknowledged, with false when it was dropped. */
  readonly waiting: ((isSafe: boolean) => void)[];
}

/**
 * The results that could not be written to disk, in memory and in the order of their ids. If they exceed the budget,
 * the oldest result that has a newer result of the same check is dropped; if there is none, the oldest result. The
 * newest result always stays.
 */
export class UnsavedResults {
  readonly #budget: number;
  readonly #byId = new Map<number, UnsavedResult>();
  readonly #newestByKey = new Map<string, number>();
  /** Ids of the results in memory that have a newer result of the same check, oldest first. */
  readonly #superseded = new Set<number>();
  /** Keys of the checks that had a result in memory since the last `clearKeys`. */
  readonly #keys = new Set<string>();
  #characters = 0;
  #dropped = 0;

  /** @param budget the maximum total length of the JSON texts of all results, in UTF-16 code units */
  constructor(budget: number) {
    this.#budget = budget;
  }

  get size(): number {
    return this.#byId.size;
  }

  /** The number of results that were dropped since the start of the agent to stay within the budget. */
  get dropped(): number {
    return this.#dropped;
  }

  add(id: number, text: string): void {
    const key = checkKeyOf(text);
    const before = this.#newestByKey.get(key);
    if (before !== undefined) this.#superseded.add(before);
    this.#newestByKey.set(key, id);
    this.#byId.set(id, { id, text, key, waiting: [] });
    this.#characters += text.length;
    if (this.#keys.size < KEYS_MAX) this.#keys.add(key);
    while (this.#characters > this.#budget && this.#byId.size > 1) this.#dropOne();
  }

  /** Yields the results with an id above `afterId`, in order. */
  *after(afterId: number): Generator<SpooledResult, void, undefined> {
    for (const { id, text } of this.#byId.values()) if (id > afterId) yield { id, text };
  }

  /** Removes all results up to and including `id`, because the backend has acknowledged them. */
  acknowledge(id: number): void {
    for (const result of this.#byId.values()) {
      if (result.id > id) return;
      this.#remove(result, true);
    }
  }

  /** Removes and returns all results, because they are on disk now. */
  takeSaved(): readonly SpooledResult[] {
    const results = [...this.#byId.values()];
    for (const result of results) this.#remove(result, true);
    return results;
  }

  /** Assigns consecutive ids from `firstId` to all results, in their order. */
  renumber(firstId: number): void {
    const results = [...this.#byId.values()];
    this.#byId.clear();
    this.#newestByKey.clear();
    const superseded = new Set(this.#superseded);
    this.#superseded.clear();
    for (const [index, result] of results.entries()) {
      const id = firstId + index;
      this.#byId.set(id, { ...result, id });
      if (superseded.has(result.id)) this.#superseded.add(id);
      else this.#newestByKey.set(result.key, id);
    }
  }

  /**
   * True if a result of the same check was in memory since the last `clearKeys`. It is newer than this result on disk.
   *
   * @param text the JSON text of a result on disk
   */
  hasSuperseded(text: string): boolean {
    return this.#keys.has(checkKeyOf(text));
  }

  clearKeys(): void {
    this.#keys.clear();
  }

  /** Resolves to true as soon as the result is on disk or acknowledged, and to false if it is dropped first. */
  safe(id: number): Promise<boolean> {
    const result = this.#byId.get(id);
    if (result === undefined) return Promise.resolve(true);
    return new Promise((resolve) => result.waiting.push(resolve));
  }

  #dropOne(): void {
    const [superseded] = this.#superseded;
    const [oldest] = this.#byId.keys();
    const result = this.#byId.get(superseded ?? oldest ?? 0);
    if (result === undefined) return;
    this.#remove(result, false);
    this.#dropped += 1;
  }

  #remove({ id, key, text, waiting }: UnsavedResult, isSafe: boolean): void {
    this.#byId.delete(id);
    this.#superseded.delete(id);
    if (this.#newestByKey.get(key) === id) this.#newestByKey.delete(key);
    this.#characters -= text.length;
    for (const resolve of waiting) resolve(isSafe);
  }
}

/**
 * Returns the key of the check of a result: its source and its name, neither of which can contain a slash. Checks with
 * the same name but different sources are different checks.
 */
function checkKeyOf(text: string): string {
  const { source, name } = JSON.parse(text) as SubmittedResult;
  return `${typeof source === 'string' ? source : ''}/${name}`;
}

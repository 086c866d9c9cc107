import type { SubmittedResult } from '../../shared/schemas/result.ts';

/** A result with its id and its JSON text, which is sent unchanged. */
export interface SpooledResult {
  readonly id: number;
  readonly text: string;
}

/** The maximum number of checks with a newer result that are remembered; beyond it older results are delivered late. */
const KEYS_MAX = 10_000;

interface UnsavedResult extends SpooledResult {
  readonly key: string;
  /** Called once: with true when the result is on disk or acknowledged, with false when it was dropped. */
  readonly waiting: ((isSafe: boolean) => void)[];
}

/**
 * The results that could not be written to disk, in memory and in the order of their ids. If the budget is exceeded,
 * the oldest result whose check has a newer one is dropped; if there is none, the oldest of all. The newest result
 * always stays.
 */
export class UnsavedResults {
  readonly #budget: number;
  readonly #byId = new Map<number, UnsavedResult>();
  readonly #newestByKey = new Map<string, number>();
  /** Ids of results whose check has a newer one here, oldest first. */
  readonly #superseded = new Set<number>();
  /** Checks with a result that was here since the last `forgetKeys`. */
  readonly #keys = new Set<string>();
  #characters = 0;
  #dropped = 0;

  /** @param budget the maximum total length of all JSON texts, in UTF-16 units */
  constructor(budget: number) {
    this.#budget = budget;
  }

  get size(): number {
    return this.#byId.size;
  }

  /** The number of results that were dropped to stay within the budget, since the start. */
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

  /** Returns the results after an id, in order. */
  *after(afterId: number): Generator<SpooledResult, void, undefined> {
    for (const { id, text } of this.#byId.values()) if (id > afterId) yield { id, text };
  }

  /** Removes all results up to an id, which the backend has acknowledged. */
  acknowledge(id: number): void {
    for (const result of this.#byId.values()) {
      if (result.id > id) return;
      this.#remove(result, true);
    }
  }

  /** Returns all results and removes them, because they are on disk now. */
  takeSaved(): readonly SpooledResult[] {
    const results = [...this.#byId.values()];
    for (const result of results) this.#remove(result, true);
    return results;
  }

  /** Gives new ids to all results, in their order. */
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

  /** True if a newer result of the check was here since the last `forgetKeys`. */
  hasSuperseded(text: string): boolean {
    return this.#keys.has(checkKeyOf(text));
  }

  forgetKeys(): void {
    this.#keys.clear();
  }

  /** Resolves to true when the result is on disk or acknowledged, and to false when it was dropped. */
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

/** Identifies a check: the same name under two sources is two checks. Neither part can contain a slash. */
function checkKeyOf(text: string): string {
  const { source, name } = JSON.parse(text) as SubmittedResult;
  return `${typeof source === 'string' ? source : ''}/${name}`;
}

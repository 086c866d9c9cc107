import type { SearchOf } from '../../shared/domain/search-language.ts';
import type { ListOrder } from './list-order.ts';
import type { ListRecord } from './list-rows.ts';

/**
 * Share of the list in which a filter must fill the screen. A filter with fewer matches evaluates the rest
 * faster in memory order.
 */
const BEGINNING_SHARE = 1 / 8;

/** Rows of one chunk at the start; far fewer fill the screen for most filters. */
const BEGINNING_SLICE = 250;

/** Rows of one chunk of the rest: less than a millisecond, or a few if the search texts are not built yet. */
const REMAINING_SLICE = 2500;

/** The rows that a new filter evaluates. */
export interface Candidates<Item> {
  /** The rows in the order of the list. */
  readonly inOrder: readonly Item[];
  /**
   * Returns the same rows and maybe more in memory order, which is several times as fast; absent if there are
   * few.
   */
  readonly inMemory?: () => readonly Item[];
}

/**
 * The evaluation of a filter, chunk by chunk, so that no key waits for a whole registry. It starts in the order
 * of the list, so that the first screen can be drawn long before the end.
 */
export class FilterRun<Item extends ListRecord> {
  /** `make-text` evaluates no filter and only builds the search texts in advance. */
  readonly kind: 'filter' | 'make-text';
  readonly filter: SearchOf<Item['searchRow']> | undefined;
  /** True if only the matches of the previous filter are evaluated. */
  readonly isNarrower: boolean;
  readonly #candidates: Candidates<Item>;
  #part: readonly Item[];
  #next = 0;
  #isBeginning: boolean;
  readonly #firstMatches: Item[] = [];
  #count = 0;
  #shown: readonly Item[] | undefined;

  constructor(options: Pick<FilterRun<Item>, 'kind' | 'filter' | 'isNarrower'>, candidates: Candidates<Item>) {
    this.kind = options.kind;
    this.filter = options.filter;
    this.isNarrower = options.isNarrower;
    this.#candidates = candidates;
    this.#part = candidates.inOrder;
    this.#isBeginning = options.kind === 'filter';
  }

  /** The first matches in order, as far as they are known; `undefined` once they are no longer collected. */
  get beginning(): readonly Item[] | undefined {
    return this.#isBeginning ? this.#firstMatches : undefined;
  }

  /** The number of matches so far; some rows may have changed since. */
  get count(): number {
    return this.#count;
  }

  /** The matches that are already shown. */
  get shown(): readonly Item[] | undefined {
    return this.#shown;
  }

  /** Shows the first matches until the filter is in effect. */
  show(): void {
    this.#shown = [...this.#firstMatches];
    this.#isBeginning = false;
  }

  /**
   * Evaluates the next chunk of rows.
   *
   * @param judge returns whether a row matches; calling it again for the same row costs nothing
   * @returns true if no rows are left
   */
  work(judge: (item: Item) => boolean, slice = this.#slice): boolean {
    const end = Math.min(this.#next + slice, this.#part.length);
    for (; this.#next < end; this.#next += 1) {
      const item = this.#part[this.#next];
      if (item === undefined || !judge(item)) continue;
      this.#count += 1;
      if (this.#isBeginning) this.#firstMatches.push(item);
    }
    const { inOrder, inMemory } = this.#candidates;
    if (
      this.#part === inOrder &&
      inMemory !== undefined &&
      (!this.#isBeginning || end > inOrder.length * BEGINNING_SHARE)
    ) {
      this.#isBeginning = false;
      this.#part = inMemory();
      this.#next = 0;
      this.#count = 0;
      return this.#part.length === 0;
    }
    return end === this.#part.length;
  }

  get #slice(): number {
    return this.#isBeginning && this.#candidates.inMemory !== undefined ? BEGINNING_SLICE : REMAINING_SLICE;
  }
}

/** Returns the order of a list that does not change. */
export function standingOrder<Item extends ListRecord>(
  items: readonly Item[],
  find: (key: string) => Item | undefined,
): ListOrder<Item> {
  return {
    length: items.length,
    indexOf: (key) => {
      const item = find(key);
      return item === undefined ? -1 : items.indexOf(item);
    },
    at: (index) => items[index],
    slice: (start, end) => items.slice(start, end),
  };
}

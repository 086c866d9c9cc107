import type { ParsedSearch } from '../../shared/domain/search-language.ts';
import type { ListOrder } from './list-order.ts';
import type { ListRecord } from './list-rows.ts';

/**
 * Maximum share of the rows that is evaluated in list order, to find the first matches for the screen. After that, all
 * rows are evaluated in memory order, which is faster.
 */
const ORDERED_SHARE_MAX = 1 / 8;

/** Number of rows per chunk while the first matches are collected. For most filters, far fewer rows fill the screen. */
const ORDERED_SLICE_ROWS = 250;

/**
 * Number of rows per chunk in memory order or in a short list. A chunk takes less than a millisecond, or a few if the
 * search texts are not built yet.
 */
const REMAINING_SLICE_ROWS = 2500;

/** The rows that a new filter evaluates. */
export interface Candidates<Item> {
  /** The rows in the order of the list. */
  readonly inOrder: readonly Item[];
  /**
   * Returns the same rows, and possibly others, in memory order, in which they are evaluated several times as fast.
   * Absent if there are few rows.
   */
  readonly inMemory?: () => readonly Item[];
}

/**
 * The evaluation of a filter in chunks, so that no key press waits until all rows are evaluated. It starts in list
 * order, so that the first screen can be drawn long before the end.
 */
export class FilterRun<Item extends ListRecord> {
  /**
   * The purpose of the run: to evaluate a filter (`filter`), or only to build the search texts in advance
   * (`make-text`).
   */
  readonly kind: 'filter' | 'make-text';
  readonly filter: ParsedSearch<Item['searchRow']> | undefined;
  /** True if the filter can only match rows that the previous filter matched. */
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

  /** The first matches in list order that were found so far; `undefined` if they are not collected. */
  get firstMatches(): readonly Item[] | undefined {
    return this.#isBeginning ? this.#firstMatches : undefined;
  }

  /** The number of matches found so far. If a row changes after its evaluation, the number is not corrected. */
  get count(): number {
    return this.#count;
  }

  /** The first matches that the list already shows; `undefined` until `show` is called. */
  get shown(): readonly Item[] | undefined {
    return this.#shown;
  }

  /** Makes the list show the first matches until all rows are evaluated. */
  show(): void {
    this.#shown = [...this.#firstMatches];
    this.#isBeginning = false;
  }

  /**
   * Evaluates the next chunk of rows.
   *
   * @param judge callback that returns whether a row matches; repeated calls for the same row must be cheap
   * @returns true if all rows are evaluated
   */
  evaluateChunk(judge: (item: Item) => boolean, slice = this.#slice): boolean {
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
      (!this.#isBeginning || end > inOrder.length * ORDERED_SHARE_MAX)
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
    return this.#isBeginning && this.#candidates.inMemory !== undefined ? ORDERED_SLICE_ROWS : REMAINING_SLICE_ROWS;
  }
}

/** Returns a `ListOrder` of rows whose order does not change. */
export function fixedOrder<Item extends ListRecord>(
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

import type { SearchOf } from '../../shared/domain/search-language.ts';
import type { ListOrder } from './list-order.ts';
import type { ListRecord } from './list-rows.ts';

/** A filter that has not filled the screen by this share of the list finds little: the rest is faster in another order. */
const BEGINNING_SHARE = 1 / 8;

/** Rows of the beginning that are looked at in one slice: far fewer than that fill the screen for most filters. */
const BEGINNING_SLICE = 250;

/** Rows of the rest: less than a millisecond, or a few when the text to search is not made yet. */
const REST_SLICE = 2500;

/** The rows that a new filter looks at. */
export interface Candidates<Item> {
  /** In the order of the list. */
  readonly inOrder: readonly Item[];
  /** The same and maybe more, as neighbours in memory, which is several times as fast; absent: there are few. */
  readonly inMemory?: () => readonly Item[];
}

/**
 * A filter on its way into effect, slice by slice, so that no key waits for a whole registry. It begins in the order of
 * the list, so that the first screen of what it finds can be drawn long before all of it is known.
 */
export class FilterRun<Item extends ListRecord> {
  /** `make-text`: no filter is coming into effect; only what any of them looks at is made. */
  readonly kind: 'filter' | 'make-text';
  readonly filter: SearchOf<Item['searchRow']> | undefined;
  /** Whether it looks at nothing else than what the filter before found. */
  readonly isNarrower: boolean;
  readonly #candidates: Candidates<Item>;
  #part: readonly Item[];
  #next = 0;
  #isBeginning: boolean;
  readonly #found: Item[] = [];
  #count = 0;
  #shown: readonly Item[] | undefined;

  constructor(about: Pick<FilterRun<Item>, 'kind' | 'filter' | 'isNarrower'>, candidates: Candidates<Item>) {
    this.kind = about.kind;
    this.filter = about.filter;
    this.isNarrower = about.isNarrower;
    this.#candidates = candidates;
    this.#part = candidates.inOrder;
    this.#isBeginning = about.kind === 'filter';
  }

  /** What the filter finds first, in order, as far as that is known; undefined: it is not looked for any more. */
  get beginning(): readonly Item[] | undefined {
    return this.#isBeginning ? this.#found : undefined;
  }

  /** How many of the rows that it looked at it has found; some may have become others since. */
  get count(): number {
    return this.#count;
  }

  /** What is shown of it already. */
  get shown(): readonly Item[] | undefined {
    return this.#shown;
  }

  /** Shows what is known of the beginning, which stands until the filter is in effect. */
  show(): void {
    this.#shown = [...this.#found];
    this.#isBeginning = false;
  }

  /**
   * Looks at the next slice of rows.
   *
   * @param judge says of a row whether the filter finds it; a second look at the same row costs nothing
   * @returns whether there are no more
   */
  work(judge: (item: Item) => boolean, slice = this.#slice): boolean {
    const end = Math.min(this.#next + slice, this.#part.length);
    for (; this.#next < end; this.#next += 1) {
      const item = this.#part[this.#next];
      if (item === undefined || !judge(item)) continue;
      this.#count += 1;
      if (this.#isBeginning) this.#found.push(item);
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
    return this.#isBeginning && this.#candidates.inMemory !== undefined ? BEGINNING_SLICE : REST_SLICE;
  }
}

/** A list that stands still. */
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

import { chanceOf } from '../support/chance.ts';

/** Random choices that a seed reproduces. */
export class Chance {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = chanceOf(seed);
  }

  /** Returns a whole number below `limit`. */
  below(limit: number): number {
    return Math.floor(this.#next() * limit);
  }

  pick<T>(items: readonly [T, ...T[]]): T {
    return items[this.below(items.length)] ?? items[0];
  }
}

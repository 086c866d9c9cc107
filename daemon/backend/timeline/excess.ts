import type { Key, Store } from '../ports.ts';
import type { TimelineCheckKey, Timeline } from '../model/timeline/state.ts';
import { CHECK_INDEX_PREFIX, indexOfCheck, timelineOf } from '../model/timeline/storage.ts';

/**
 * Number of index entries after which counting pauses until the next period. Counting so many takes some tens of
 * milliseconds. The transitions of a single due check are always counted without a pause.
 */
const COUNTED_ENTRIES_MAX = 50_000;

interface ExcessDependencies {
  readonly timeline: Timeline;
  readonly store: Pick<Store, 'scan'>;
  /** Erases index entries and the transitions that they refer to, all given by their keys. */
  readonly erase: (keys: readonly Key[]) => Promise<void>;
}

/**
 * Erases the oldest transitions of each check that has more than the maximum number (spec, timeline 3). Counting reads
 * the store, so a new transition causes it only with a probability: on average once for each tenth of the maximum. All
 * checks are counted after a start, and when the maximum is lowered.
 */
export class ExcessTransitions {
  readonly #dependencies: ExcessDependencies;
  /** The maximum number of transitions per check when all checks were last counted. */
  #perCheck = Infinity;
  /** Position in the current count of all checks; undefined if that count is complete. */
  #round: CountingRound | undefined;
  /** How many index entries can still be counted, and how many transitions erased, in this period. */
  #budget = { counted: 0, erased: 0 };

  constructor(dependencies: ExcessDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Counts the transitions of checks and erases the excess, until the budget of a period is used up.
   *
   * @param most maximum number of transitions to erase
   */
  async erase(most: number): Promise<void> {
    this.#budget = { counted: COUNTED_ENTRIES_MAX, erased: most };
    const { perCheck } = this.#dependencies.timeline.limits;
    if (perCheck < this.#perCheck) this.#round = { after: undefined, count: 0 };
    this.#perCheck = perCheck;
    await this.#eraseOfDue();
    if (this.#round !== undefined && this.#hasBudget()) this.#round = await this.#continueCounting(this.#round);
  }

  #hasBudget(): boolean {
    return this.#budget.counted > 0 && this.#budget.erased > 0;
  }

  async #eraseOfDue(): Promise<void> {
    const { due } = this.#dependencies.timeline;
    for (const [key, checkKey] of due) {
      if (!this.#hasBudget()) return;
      // The check is removed before it is counted, because a transition during the count makes it due again.
      due.delete(key);
      try {
        if (!(await this.#eraseOf(checkKey))) due.set(key, checkKey);
      } catch (error) {
        due.set(key, checkKey);
        throw error;
      }
    }
  }

  /**
   * Counts the transitions of a check and erases the excess.
   *
   * @returns true if the check has no excess left; false if it must be counted again
   */
  async #eraseOf({ namespace, client, check }: TimelineCheckKey): Promise<boolean> {
    const { store, erase } = this.#dependencies;
    const excess: Key[] = [];
    let count = 0;
    const limit = this.#perCheck + this.#budget.erased;
    for await (const [key] of store.scan(indexOfCheck(namespace, client, check), { limit })) {
      if (++count > this.#perCheck) excess.push(...keysOfIndexEntry(key));
    }
    this.#budget.counted -= count;
    this.#budget.erased -= excess.length / 2;
    await erase(excess);
    return count < limit;
  }

  /**
   * Continues the count of all checks and erases the excess.
   *
   * @returns position at which the count paused; undefined if all checks were counted
   */
  async #continueCounting({ after, count }: CountingRound): Promise<CountingRound | undefined> {
    const { store, erase } = this.#dependencies;
    const excess: Key[] = [];
    const limit = this.#budget.counted;
    let counted = 0;
    let last = after;
    for await (const [key] of store.scan([CHECK_INDEX_PREFIX], { ...(after && { after }), limit })) {
      count = isSameCheck(key, last) ? count + 1 : 1;
      if (count > this.#perCheck) excess.push(...keysOfIndexEntry(key));
      last = key;
      counted++;
      if (excess.length >= 2 * this.#budget.erased) break;
    }
    await erase(excess);
    return counted < limit && excess.length < 2 * this.#budget.erased ? undefined : { after: last, count };
  }
}

/** Position at which a count of all checks paused. */
interface CountingRound {
  /** Last counted key; undefined if no key was counted yet. */
  readonly after: Key | undefined;
  /** Number of transitions counted so far for the check that `after` belongs to. */
  readonly count: number;
}

/** Returns two keys: that of an index entry, and that of the transition that the entry refers to. */
function keysOfIndexEntry(key: Key): readonly Key[] {
  return [key, [...timelineOf(String(key[1])), Number(key[4])]];
}

function isSameCheck([, namespace, client, check]: Key, other: Key | undefined): boolean {
  return other?.[1] === namespace && other?.[2] === client && other?.[3] === check;
}

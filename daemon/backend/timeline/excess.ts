import type { Key, Store } from '../ports.ts';
import type { TimelineCheckKey, Timeline } from '../model/timeline/state.ts';
import { CHECK_INDEX_PREFIX, indexOfCheck, timelineOf } from '../model/timeline/storage.ts';

/**
 * Index entries that are counted in one period, which takes some tens of milliseconds. The check that is being counted
 * at that point is finished.
 */
const COUNTED_MAX = 50_000;

interface ExcessParts {
  readonly timeline: Timeline;
  readonly store: Pick<Store, 'scan'>;
  /** Erases the given index entries and their transitions. */
  readonly erase: (keys: readonly Key[]) => Promise<void>;
}

/**
 * Finds the transitions of each check beyond its maximum number (spec, timeline 3). A check is counted when its own
 * transitions make it due. All checks are counted once after a start, and when the maximum is lowered.
 */
export class Excess {
  readonly #parts: ExcessParts;
  /** The maximum number for which all checks were last counted, or are being counted. */
  #perCheck = Infinity;
  /** Position of the count over all checks; undefined: it is finished. */
  #round: Round | undefined;
  /** Remaining budget of this period. */
  #budget = { counted: 0, erased: 0 };

  constructor(parts: ExcessParts) {
    this.#parts = parts;
  }

  /** @param most maximum number of transitions to erase */
  async erase(most: number): Promise<void> {
    this.#budget = { counted: COUNTED_MAX, erased: most };
    const { perCheck } = this.#parts.timeline.limits;
    if (perCheck < this.#perCheck) this.#round = { after: undefined, count: 0 };
    this.#perCheck = perCheck;
    await this.#eraseOfDue();
    if (this.#round !== undefined && this.#hasBudget()) this.#round = await this.#goOn(this.#round);
  }

  #hasBudget(): boolean {
    return this.#budget.counted > 0 && this.#budget.erased > 0;
  }

  async #eraseOfDue(): Promise<void> {
    const { due } = this.#parts.timeline;
    for (const [key, checkKey] of due) {
      if (!this.#hasBudget()) return;
      // Removed first, because a transition during the count makes it due again.
      due.delete(key);
      try {
        if (!(await this.#eraseOf(checkKey))) due.set(key, checkKey);
      } catch (error) {
        due.set(key, checkKey);
        throw error;
      }
    }
  }

  /** @returns true if the check has no excess left */
  async #eraseOf({ namespace, client, check }: TimelineCheckKey): Promise<boolean> {
    const { store, erase } = this.#parts;
    const excess: Key[] = [];
    let count = 0;
    const limit = this.#perCheck + this.#budget.erased;
    for await (const [key] of store.scan(indexOfCheck(namespace, client, check), { limit })) {
      if (++count > this.#perCheck) excess.push(...keysAt(key));
    }
    this.#budget.counted -= count;
    this.#budget.erased -= excess.length / 2;
    await erase(excess);
    return count < limit;
  }

  /** @returns undefined: all checks were counted */
  async #goOn({ after, count }: Round): Promise<Round | undefined> {
    const { store, erase } = this.#parts;
    const excess: Key[] = [];
    const limit = this.#budget.counted;
    let counted = 0;
    let last = after;
    for await (const [key] of store.scan([CHECK_INDEX_PREFIX], { ...(after && { after }), limit })) {
      count = isOfSame(key, last) ? count + 1 : 1;
      if (count > this.#perCheck) excess.push(...keysAt(key));
      last = key;
      counted++;
      if (excess.length >= 2 * this.#budget.erased) break;
    }
    await erase(excess);
    return counted < limit && excess.length < 2 * this.#budget.erased ? undefined : { after: last, count };
  }
}

/** Position of a count over all checks. */
interface Round {
  /** Undefined: nothing was counted yet. */
  readonly after: Key | undefined;
  /** Number of transitions counted so far for the check at that position. */
  readonly count: number;
}

/** Returns the keys of an index entry and of its transition. */
function keysAt(key: Key): readonly Key[] {
  return [key, [...timelineOf(String(key[1])), Number(key[4])]];
}

function isOfSame([, namespace, client, check]: Key, other: Key | undefined): boolean {
  return other?.[1] === namespace && other?.[2] === client && other?.[3] === check;
}

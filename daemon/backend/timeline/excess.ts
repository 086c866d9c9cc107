import type { Key, Store } from '../ports.ts';
import type { CheckPlace, Timeline } from './state.ts';
import { CHECK_INDEX_PREFIX, indexOfCheck, timelineOf } from './table.ts';

/** Places that are counted in one period, beside those of the check that is counted when they are reached: some tens of milliseconds. */
const COUNTED_MAX = 50_000;

interface ExcessParts {
  readonly timeline: Timeline;
  readonly store: Pick<Store, 'scan'>;
  /** Of what it is given, the transitions and where their checks name them. */
  readonly erase: (keys: readonly Key[]) => Promise<void>;
}

/**
 * Finds of each check what is more than its number (spec, timeline 3). A check is counted when its turn comes up by what becomes
 * of it; all of them are gone through once after a start, and when the number is lowered.
 */
export class Excess {
  readonly #parts: ExcessParts;
  /** The number for which all were gone through last, or are. */
  #perCheck = Infinity;
  /** How far that is; undefined: it is done. */
  #round: Round | undefined;
  /** What there is room for in this period. */
  #room = { counted: 0, erased: 0 };

  constructor(parts: ExcessParts) {
    this.#parts = parts;
  }

  /** @param most transitions that are erased */
  async erase(most: number): Promise<void> {
    this.#room = { counted: COUNTED_MAX, erased: most };
    const { perCheck } = this.#parts.timeline.limits;
    if (perCheck < this.#perCheck) this.#round = { after: undefined, count: 0 };
    this.#perCheck = perCheck;
    await this.#eraseOfDue();
    if (this.#round !== undefined && this.#hasRoom()) this.#round = await this.#goOn(this.#round);
  }

  #hasRoom(): boolean {
    return this.#room.counted > 0 && this.#room.erased > 0;
  }

  async #eraseOfDue(): Promise<void> {
    const { due } = this.#parts.timeline;
    for (const [key, place] of due) {
      if (!this.#hasRoom()) return;
      // What turns meanwhile makes it due again.
      due.delete(key);
      try {
        if (!(await this.#eraseOf(place))) due.set(key, place);
      } catch (error) {
        due.set(key, place);
        throw error;
      }
    }
  }

  /** @returns whether that is all */
  async #eraseOf({ namespace, client, check }: CheckPlace): Promise<boolean> {
    const { store, erase } = this.#parts;
    const excess: Key[] = [];
    let count = 0;
    const limit = this.#perCheck + this.#room.erased;
    for await (const [key] of store.scan(indexOfCheck(namespace, client, check), { limit })) {
      if (++count > this.#perCheck) excess.push(...keysAt(key));
    }
    this.#room.counted -= count;
    this.#room.erased -= excess.length / 2;
    await erase(excess);
    return count < limit;
  }

  /** @returns undefined: all were gone through */
  async #goOn({ after, count }: Round): Promise<Round | undefined> {
    const { store, erase } = this.#parts;
    const excess: Key[] = [];
    const limit = this.#room.counted;
    let counted = 0;
    let last = after;
    for await (const [key] of store.scan([CHECK_INDEX_PREFIX], { ...(after && { after }), limit })) {
      count = isOfSame(key, last) ? count + 1 : 1;
      if (count > this.#perCheck) excess.push(...keysAt(key));
      last = key;
      counted++;
      if (excess.length >= 2 * this.#room.erased) break;
    }
    await erase(excess);
    return counted < limit && excess.length < 2 * this.#room.erased ? undefined : { after: last, count };
  }
}

/** How far all checks were gone through. */
interface Round {
  /** Undefined: nothing was looked at. */
  readonly after: Key | undefined;
  /** Transitions so far of the check there. */
  readonly count: number;
}

/** What is stored of the transition that a check names. */
function keysAt(key: Key): readonly Key[] {
  return [key, [...timelineOf(String(key[1])), Number(key[4])]];
}

function isOfSame([, namespace, client, check]: Key, other: Key | undefined): boolean {
  return other?.[1] === namespace && other?.[2] === client && other?.[3] === check;
}

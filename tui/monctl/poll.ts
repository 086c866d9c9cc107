import type { FeedClock } from '../../shared/client/feed-clock.ts';
import { MonError } from '../../shared/errors.ts';
import type { Output } from './output.ts';

/** What is known of a list at a moment. */
export interface Sight<Item> {
  /** The same array as before when nothing changed; `undefined` until something is known. */
  readonly items: readonly Item[] | undefined;
  /** Why `items` may be out of date. */
  readonly trouble: string | undefined;
}

/** Tells once why what is seen may be out of date, and again when that is another reason, or was mended meanwhile. */
export function troubleTeller(output: Pick<Output, 'warn'>): (trouble: string | undefined) => void {
  let told: string | undefined;
  return (trouble) => {
    if (trouble !== undefined && trouble !== told) output.warn(trouble);
    told = trouble;
  };
}

/** Between two questions. */
const PERIOD_MS = 2000;

/**
 * A list that is asked for every two seconds. While the backend cannot be reached the last answer stands.
 *
 * @throws MonError for every failure that asking again will not mend
 */
export async function* poll<Item>(
  clock: FeedClock,
  fetch: () => Promise<readonly Item[]>,
): AsyncGenerator<Sight<Item>, void, undefined> {
  let items: readonly Item[] | undefined;
  for (;;) {
    let trouble: string | undefined;
    try {
      items = await fetch();
    } catch (error) {
      if (!(error instanceof MonError) || error.code !== 'unavailable') throw error;
      trouble = error.message;
    }
    yield { items, trouble };
    await pause(clock, PERIOD_MS);
  }
}

export function pause(clock: FeedClock, delayMs: number): Promise<void> {
  return new Promise((resolve) => void clock.after(delayMs, resolve));
}

import type { FeedClock } from '../../shared/client/feed-clock.ts';
import { MonError } from '../../shared/errors.ts';
import type { Output } from './output.ts';

/** The last known state of a list. */
export interface ListUpdate<Item> {
  /** The items; `undefined` until the backend has sent the list. */
  readonly items: readonly Item[] | undefined;
  /** The reason why `items` may be outdated; `undefined` if they are current. */
  readonly trouble: string | undefined;
}

/**
 * Returns a function that warns once about the reason why data may be outdated. It warns again after a recovery or for
 * another reason.
 */
export function createTroubleReporter(output: Pick<Output, 'warn'>): (trouble: string | undefined) => void {
  let lastTrouble: string | undefined;
  return (trouble) => {
    if (trouble !== undefined && trouble !== lastTrouble) output.warn(trouble);
    lastTrouble = trouble;
  };
}

/** Time between two requests of a polled list. */
const PERIOD_MS = 2000;

/**
 * Fetches a list every two seconds and yields it. While the backend is unavailable, it yields the last response with
 * the reason.
 *
 * @throws MonError for every failure that a retry cannot fix
 */
export async function* pollList<Item>(
  clock: FeedClock,
  fetch: () => Promise<readonly Item[]>,
): AsyncGenerator<ListUpdate<Item>, void, undefined> {
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
    await waitFor(clock, PERIOD_MS);
  }
}

export function waitFor(clock: FeedClock, delayMs: number): Promise<void> {
  return new Promise((resolve) => void clock.after(delayMs, resolve));
}

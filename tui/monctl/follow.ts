import { FeedReplica } from '../../shared/client/feed-replica.ts';
import { MonError, type ErrorCode } from '../../shared/errors.ts';
import type { FeedTopic } from '../../shared/schemas/feed-request.ts';
import type { Call } from './command.ts';
import { given } from './given.ts';
import { pause, type Sight } from './poll.ts';

/** Least time between two sights: nobody reads faster, and a busy backend tells of changes twenty times a second. */
const GAP_MS = 250;

/** Ages grow although nothing happens. */
const TICK_MS = 1000;

const REFUSALS: Readonly<Record<string, ErrorCode>> = {
  unauthenticated: 'unauthenticated',
  forbidden: 'forbidden',
  invalid: 'invalid',
  not_found: 'not_found',
};

/**
 * A list from the live feed, for as long as it is asked: at once after a change, else every second.
 *
 * @param itemsOf the list, from all rows of the topic
 * @throws MonError when the backend will have none of it
 */
export async function* follow<Item>(
  { backend, credentials, clock, namespace }: Pick<Call, 'backend' | 'credentials' | 'clock' | 'namespace'>,
  topic: FeedTopic,
  itemsOf: (replica: FeedReplica) => readonly Item[],
): AsyncGenerator<Sight<Item>, void, undefined> {
  // Only who watches waits for it to load.
  const { openFeed } = await import('../../shared/client/feed-client.ts');
  const replica = new FeedReplica();
  let isLive = false;
  let isChanged = false;
  let trouble: string | undefined;
  let refusal: MonError | undefined;
  let wake: (() => void) | undefined;

  const feed = openFeed(
    { backend, env: credentials, topics: [topic], clock, ...given({ namespace }) },
    {
      onState(state) {
        isLive = state.kind === 'live';
        if (state.kind === 'live') trouble = undefined;
        if (state.kind === 'waiting') trouble = state.reason;
        if (state.kind === 'refused') refusal = new MonError(REFUSALS[state.code] ?? 'internal', state.message);
        wake?.();
      },
      onRows(rows, about) {
        replica.apply(rows, about);
        isChanged = true;
        if (isLive) wake?.();
      },
      onStats: () => undefined,
    },
  );
  try {
    let items: readonly Item[] | undefined;
    for (;;) {
      // Before anything is looked at: what happens while the reader is busy must not be missed.
      const woken = new Promise<void>((resolve) => (wake = resolve));
      if (refusal !== undefined) throw refusal;
      // Not while a snapshot arrives: half a list looks as if the rest had gone.
      if (isLive && (isChanged || items === undefined)) {
        items = itemsOf(replica);
        isChanged = false;
      }
      if (items !== undefined || trouble !== undefined) yield { items, trouble };
      await Promise.all([pause(clock, GAP_MS), Promise.race([woken, pause(clock, TICK_MS)])]);
    }
  } finally {
    feed.close();
  }
}

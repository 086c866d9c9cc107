import { FeedReplica } from '../../shared/client/feed-replica.ts';
import { MonError, type ErrorCode } from '../../shared/errors.ts';
import type { FeedTopic } from '../../shared/schemas/feed-request.ts';
import { EVERY_NAMESPACE } from '../../shared/schemas/namespace.ts';
import type { Call } from './command.ts';
import { given } from '../../shared/domain/given.ts';
import { pause, poll, type Sight } from './poll.ts';

/** Least time between two sights: nobody reads faster, and a busy backend tells of changes twenty times a second. */
const GAP_MS = 250;

/** What not every backend with a feed tells. */
type NewerTopic = Exclude<FeedTopic, 'events' | 'silenced' | 'clients'>;

/** Where a list comes from. */
interface Source<Item> {
  readonly itemsOf: (replica: FeedReplica) => readonly Item[];
  readonly fetch: () => Promise<readonly Item[]>;
}

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

/**
 * The same of a topic that backends of before do not have: those are asked again and again.
 *
 * @param namespace undefined: all that the credentials may see
 * @throws MonError when the backend will have none of it
 */
export async function* followOrPoll<Item>(
  call: Pick<Call, 'backend' | 'credentials' | 'clock'>,
  namespace: string | undefined,
  topic: NewerTopic,
  { itemsOf, fetch }: Source<Item>,
): AsyncGenerator<Sight<Item>, void, undefined> {
  try {
    yield* follow({ ...call, namespace: namespace ?? EVERY_NAMESPACE }, topic, itemsOf);
  } catch (error) {
    if (!(error instanceof MonError) || !isUnknown(error)) throw error;
    yield* poll(call.clock, fetch);
  }
}

/** Whether it may be the topic, the feed or the namespace that is not there: the list says nothing of those, or is empty. */
function isUnknown({ code }: MonError): boolean {
  return code === 'invalid' || code === 'not_found';
}

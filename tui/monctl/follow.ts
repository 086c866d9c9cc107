import { FeedReplica } from '../../shared/client/feed-replica.ts';
import { MonError, type ErrorCode } from '../../shared/errors.ts';
import type { FeedTopic } from '../../shared/schemas/feed-request.ts';
import { EVERY_NAMESPACE } from '../../shared/schemas/namespace.ts';
import type { Call } from './command.ts';
import { withoutUndefined } from '../../shared/domain/without-undefined.ts';
import { pause, poll, type Sight } from './poll.ts';

/**
 * Minimum time between two states. A busy backend sends changes twenty times a second, which nobody can read.
 */
const GAP_MS = 250;

/** Topics that not every backend with a feed supports. */
type NewerTopic = Exclude<FeedTopic, 'events' | 'silenced' | 'clients'>;

/** The sources of a list: the feed or requests. */
interface Source<Item> {
  readonly itemsOf: (replica: FeedReplica) => readonly Item[];
  readonly fetch: () => Promise<readonly Item[]>;
}

/** Period of updates without a change, because ages grow. */
const TICK_MS = 1000;

const REFUSALS: Readonly<Record<string, ErrorCode>> = {
  unauthenticated: 'unauthenticated',
  forbidden: 'forbidden',
  invalid: 'invalid',
  not_found: 'not_found',
};

/**
 * Yields a list from the live feed until the caller stops: at once after a change, else every second.
 *
 * @param itemsOf returns the list from all rows of the topic
 * @throws MonError when the backend rejects the subscription
 */
export async function* follow<Item>(
  { backend, credentials, clock, namespace }: Pick<Call, 'backend' | 'credentials' | 'clock' | 'namespace'>,
  topic: FeedTopic,
  itemsOf: (replica: FeedReplica) => readonly Item[],
): AsyncGenerator<Sight<Item>, void, undefined> {
  // The feed is only loaded if it is needed.
  const { openFeed } = await import('../../shared/client/feed-client.ts');
  const replica = new FeedReplica();
  let isLive = false;
  let isChanged = false;
  let trouble: string | undefined;
  let refusal: MonError | undefined;
  let wake: (() => void) | undefined;

  const feed = openFeed(
    { backend, env: credentials, topics: [topic], clock, ...withoutUndefined({ namespace }) },
    {
      onState(state) {
        isLive = state.kind === 'live';
        if (state.kind === 'live') trouble = undefined;
        if (state.kind === 'waiting') trouble = state.reason;
        if (state.kind === 'refused') refusal = new MonError(REFUSALS[state.code] ?? 'internal', state.message);
        wake?.();
      },
      onRows(rows, details) {
        replica.apply(rows, details);
        isChanged = true;
        if (isLive) wake?.();
      },
      onStats: () => undefined,
    },
  );
  try {
    let items: readonly Item[] | undefined;
    for (;;) {
      // Armed before the state is read, so that a change while the consumer is busy is not missed.
      const woken = new Promise<void>((resolve) => (wake = resolve));
      if (refusal !== undefined) throw refusal;
      // Not during a snapshot: half a list would look as if the other rows were gone.
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
 * Yields a list like `follow`, and polls backends of earlier versions that do not have the topic.
 *
 * @param namespace `undefined`: all that the credentials may read
 * @throws MonError when the backend rejects the subscription
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

/**
 * Returns true if the backend may lack the topic, the feed or the namespace. The list then reports what is
 * missing, or is empty.
 */
function isUnknown({ code }: MonError): boolean {
  return code === 'invalid' || code === 'not_found';
}

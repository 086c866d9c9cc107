import { FeedReplica } from '../../shared/client/feed-replica.ts';
import { MonError, type ErrorCode } from '../../shared/errors.ts';
import type { FeedTopic } from '../../shared/schemas/feed-request.ts';
import { EVERY_NAMESPACE } from '../../shared/schemas/namespace.ts';
import type { CommandCall } from './command.ts';
import { withoutUndefined } from '../../shared/domain/without-undefined.ts';
import { waitFor, pollList, type ListUpdate } from './poll.ts';

/**
 * Minimum time between two updates of a list. A busy backend sends changes 20 times a second, faster than anybody can
 * read.
 */
const UPDATE_INTERVAL_MS = 250;

/** Topics of the feed that earlier versions of the backend do not support. */
type NewerTopic = Exclude<FeedTopic, 'events' | 'silenced' | 'clients'>;

/** The two sources of a list: the rows of the feed, or a request. */
interface FollowSource<Item> {
  readonly itemsOf: (replica: FeedReplica) => readonly Item[];
  readonly fetch: () => Promise<readonly Item[]>;
}

/** Interval of updates without a change, because the ages in a list grow. */
const TICK_MS = 1000;

const REFUSAL_ERRORS: Readonly<Record<string, ErrorCode>> = {
  unauthenticated: 'unauthenticated',
  forbidden: 'forbidden',
  invalid: 'invalid',
  not_found: 'not_found',
};

/**
 * Yields a list from the live feed until the caller stops: soon after each change, and every second without changes.
 *
 * @param itemsOf callback that returns the list from all rows of the topic
 * @throws MonError when the backend rejects the subscription
 */
export async function* followTopic<Item>(
  { backend, credentials, clock, namespace }: Pick<CommandCall, 'backend' | 'credentials' | 'clock' | 'namespace'>,
  topic: FeedTopic,
  itemsOf: (replica: FeedReplica) => readonly Item[],
): AsyncGenerator<ListUpdate<Item>, void, undefined> {
  // The feed client is only loaded if it is needed.
  const { openFeed } = await import('../../shared/client/feed-client.ts');
  const replica = new FeedReplica();
  let isLive = false;
  let isChanged = false;
  let trouble: string | undefined;
  let refusal: MonError | undefined;
  let wake: (() => void) | undefined;

  const feed = openFeed(
    {
      backend,
      env: credentials,
      topics: [topic],
      attributes: topic === 'events',
      clock,
      ...withoutUndefined({ namespace }),
    },
    {
      onState(state) {
        isLive = state.kind === 'live';
        if (state.kind === 'live') trouble = undefined;
        if (state.kind === 'waiting') trouble = state.reason;
        if (state.kind === 'refused') refusal = new MonError(REFUSAL_ERRORS[state.code] ?? 'internal', state.message);
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
      // The promise is created before the state is read, so that a change is not missed while the caller processes the
      // list.
      const woken = new Promise<void>((resolve) => (wake = resolve));
      if (refusal !== undefined) throw refusal;
      // The list is not updated while a snapshot arrives: an incomplete list would look as if the missing rows were
      // gone.
      if (isLive && (isChanged || items === undefined)) {
        items = itemsOf(replica);
        isChanged = false;
      }
      if (items !== undefined || trouble !== undefined) yield { items, trouble };
      await Promise.all([waitFor(clock, UPDATE_INTERVAL_MS), Promise.race([woken, waitFor(clock, TICK_MS)])]);
    }
  } finally {
    feed.close();
  }
}

/**
 * Yields a list from the live feed like `followTopic`, or polls the backend if its version lacks the topic.
 *
 * @param namespace namespace of the list; `undefined` for all namespaces that the credentials may read
 * @throws MonError when the backend rejects the subscription for another reason, or polling fails
 */
export async function* followOrPoll<Item>(
  call: Pick<CommandCall, 'backend' | 'credentials' | 'clock'>,
  namespace: string | undefined,
  topic: NewerTopic,
  { itemsOf, fetch }: FollowSource<Item>,
): AsyncGenerator<ListUpdate<Item>, void, undefined> {
  try {
    yield* followTopic({ ...call, namespace: namespace ?? EVERY_NAMESPACE }, topic, itemsOf);
  } catch (error) {
    if (!(error instanceof MonError) || !isUnknown(error)) throw error;
    yield* pollList(call.clock, fetch);
  }
}

/**
 * Returns true if the error may mean that the backend lacks the topic, the feed or the namespace. Polling then reports
 * the problem or yields an empty list.
 */
function isUnknown({ code }: MonError): boolean {
  return code === 'invalid' || code === 'not_found';
}

import { AgentHub } from '../agents/agent-hub.ts';
import type { Batcher } from '../commit/batcher.ts';
import { openChangeLog, type ChangeLog } from '../feed/change-log.ts';
import { FeedHub } from '../feed/feed-hub.ts';
import { EventPreparation } from '../silences/event-preparation.ts';
import { MAIN_SHARD } from '../store/main-shard.ts';
import type { Foundation } from './foundation.ts';
import type { BackendOptions } from './options.ts';
import type { PartName } from './start-order.ts';
import type { Teardown } from './teardown.ts';
import { topicsOf } from './topics.ts';
import type { Writers } from './writers.ts';

interface HubDependencies {
  readonly batcher: Batcher;
  readonly writers: Pick<Writers, 'results' | 'clients' | 'entityLimit'>;
  /** The host name of the backend, as shown to operators. */
  readonly name: string;
  /** Signal that is aborted when the backend begins to stop. */
  readonly stopping: AbortSignal;
}

/** The hubs for WebSocket connections of agents and feed consumers, and the log of changes that the feed reads. */
interface Hubs {
  readonly changes: ChangeLog;
  readonly agents: AgentHub;
  readonly feed: FeedHub;
}

export async function openHubs(
  { isShared }: Pick<BackendOptions, 'isShared'>,
  { definitions, registry, store, clock, log }: Foundation,
  { batcher, writers, name, stopping }: HubDependencies,
  teardown: Teardown<PartName>,
): Promise<Hubs> {
  const { results, clients, entityLimit } = writers;
  const changes = teardown.use('change log', await openChangeLog(store, MAIN_SHARD, batcher.commits)).log;
  const agents = teardown.use(
    'agents',
    new AgentHub({ batcher, results, clients, registry, store, definitions, stopping, clock, log }),
  );
  const preparation = teardown.use('silences of events', new EventPreparation({ registry, commits: batcher.commits }));
  const feed = teardown.use(
    'feed',
    new FeedHub({
      isPrepared: () => preparation.isDone,
      registry,
      batcher,
      topics: topicsOf(definitions),
      changes,
      clock,
      log,
      storeId: store.id,
      name,
      isShared,
      entityLimit,
    }),
  );
  return { changes, agents, feed };
}

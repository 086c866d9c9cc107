import { CommandRunner } from '../../command/command-runner.ts';
import { messageButtons } from '../chat/buttons.ts';
import type { Batcher } from '../commit/batcher.ts';
import type { FeedHub } from '../feed/feed-hub.ts';
import { Routing } from '../model/notify/routing.ts';
import { DeadLetterIndex } from '../notify/delivery/dead-letter-index.ts';
import { DeadLetters } from '../notify/delivery/dead-letters.ts';
import { HandlerRunner } from '../notify/delivery/deliver.ts';
import { HandlerQueues } from '../notify/delivery/handler-queues.ts';
import { LastDeliveries } from '../notify/delivery/last-deliveries.ts';
import { MetricSeries } from '../notify/delivery/metric-series.ts';
import { JobWriter } from '../notify/delivery/job-writer.ts';
import { ClusterFeed } from './cluster-feed.ts';
import { openLoadedFiles } from './config-files.ts';
import type { Foundation } from './foundation.ts';
import type { BackendOptions } from './options.ts';
import type { PartName } from './start-order.ts';
import type { Teardown } from './teardown.ts';
import type { Writers } from './writers.ts';

/** The queues of handlers, and the routing that decides which handlers are notified. */
export interface NotificationQueues {
  readonly deadLetterIndex: DeadLetterIndex;
  readonly handlerQueues: HandlerQueues;
  readonly routing: Routing;
}

export function openQueues({ config, definitions, clock }: Foundation): NotificationQueues {
  const deadLetterIndex = new DeadLetterIndex();
  const lanes = new HandlerQueues({ definitions, deadLetterIndex, clock });
  const routing = new Routing(
    definitions,
    () => ({
      renotifiesAfterSilence: config.program['renotify-after-silence'],
      resolveWhileSilenced: config.program['resolve-while-silenced'],
    }),
    lanes,
  );
  return { deadLetterIndex, handlerQueues: lanes, routing };
}

interface NotificationDependencies {
  readonly deadLetterIndex: DeadLetterIndex;
  readonly batcher: Batcher;
  readonly clients: Writers['clients'];
  readonly feed: FeedHub;
  /** Signal that is aborted when the backend begins to stop. */
  readonly stopping: AbortSignal;
}

/** The components that run handlers and record their outcomes. */
export interface NotificationDelivery {
  readonly jobs: JobWriter;
  readonly deadLetters: DeadLetters;
  readonly deliveries: LastDeliveries;
  /** The metric series that the handler `prometheus` has collected. */
  readonly series: MetricSeries;
  /** The feed to which transport handlers publish. */
  readonly clusterFeed: ClusterFeed;
  readonly delivery: HandlerRunner;
}

export async function openNotifications(
  options: BackendOptions,
  foundation: Foundation,
  { deadLetterIndex, batcher, clients, feed, stopping }: NotificationDependencies,
  teardown: Teardown<PartName>,
): Promise<NotificationDelivery> {
  const { config, definitions, registry, clock, log } = foundation;
  const jobs = teardown.use('handler jobs', new JobWriter({ batcher, clock, log }));
  const deadLetters = new DeadLetters({ deadLetterIndex, jobWriter: jobs, clock, log });
  const environment = await openLoadedFiles(options, foundation, teardown);
  const commands = teardown.use('commands', new CommandRunner({ environment, clock, log, random: Math.random }));
  const clusterFeed = new ClusterFeed(feed);
  const series = new MetricSeries(clock);
  const delivery = teardown.use(
    'delivery',
    new HandlerRunner({
      definitions,
      clock,
      log,
      commands,
      feed: clusterFeed,
      clients,
      registry,
      metricSeries: series,
      alwaysAllowedNetworks: () => config.program['handler-networks'],
      publicUrl: () => config.program['public-url'],
      buttonsOf: (job, handler) => messageButtons(job, handler, config.program['public-url']),
      stopSignal: stopping,
    }),
  );
  return { jobs, deadLetters, deliveries: new LastDeliveries(), series, clusterFeed, delivery };
}

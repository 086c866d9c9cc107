import { bytesOfOutput } from '../aggregates/queries.ts';
import type { CheckRequests } from '../checks/runs.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Batcher } from '../commit/batcher.ts';
import type { FeedHub } from '../feed/feed-hub.ts';
import type { Activity } from '../health/activity.ts';
import type { BackendStatus } from '../health/backend-status.ts';
import type { ConditionBoard } from '../health/condition-board.ts';
import type { Metrics } from '../health/metrics.ts';
import { bytesOfText, EventCache } from '../model/events/event-cache.ts';
import type { PlanRunner } from '../plans/plan-runner.ts';
import type { CheckSchedule } from '../schedule/publish-check-requests.ts';
import type { TimerLag } from '../schedule/timer-lag.ts';
import type { AccessControl } from './access.ts';
import type { ApiDependencies } from './api.ts';
import type { Foundation } from './foundation.ts';
import type { NotificationDelivery, NotificationQueues } from './notifications.ts';
import type { BackendOptions } from './options.ts';
import type { PartName } from './start-order.ts';
import type { Teardown } from './teardown.ts';
import type { Writers } from './writers.ts';

/** The components of the backend that the routes of the APIs use. */
interface ApiComponents {
  readonly batcher: Batcher;
  readonly writers: Writers;
  readonly queues: NotificationQueues;
  readonly notifications: NotificationDelivery;
  readonly feed: FeedHub;
  readonly schedule: { readonly requests: CheckRequests; readonly schedule: CheckSchedule };
  readonly activity: Activity;
  readonly board: ConditionBoard;
  readonly timers: TimerLag;
  readonly metrics: Metrics;
  readonly status: BackendStatus;
  readonly cluster: Cluster;
  readonly access: AccessControl;
  readonly plans: PlanRunner;
}

/** Returns the dependencies of all APIs. */
export function apiDepsOf(
  { logRequest, storeBytes }: BackendOptions,
  foundation: Foundation,
  parts: ApiComponents,
  teardown: Teardown<PartName>,
): ApiDependencies {
  const { config, registry, store, memory, clock, log } = foundation;
  const { batcher, writers, notifications, feed, activity, metrics, status, cluster, access } = parts;
  const { deliveries, deadLetters, series, delivery } = notifications;
  const kept = { commits: batcher.commits, budget: () => memory.spareBytes / 2 };
  return {
    ...writers,
    ...parts.schedule,
    callers: access.callers,
    slowPeers: access.slowPeers,
    authenticator: access.authenticator,
    handlers: parts.queues.handlerQueues,
    routing: parts.queues.routing,
    deliveries,
    deadLetters,
    series,
    delivery,
    config,
    definitions: config.definitions,
    registry,
    store,
    clock,
    log,
    ...(logRequest === undefined ? {} : { logRequest }),
    eventHeads: teardown.use('kept events', new EventCache({ ...kept, bytesOf: bytesOfText })),
    memberOutputs: teardown.use('kept outputs', new EventCache({ ...kept, bytesOf: bytesOfOutput })),
    cluster,
    status,
    metrics,
    overview: { activity, batcher, clock, entityLimit: writers.entityLimit, feed, metrics, registry },
    partialBatch: () => batcher.partialBatchOutcome,
    versions: { registry, store, ...(storeBytes === undefined ? {} : { storeBytes }) },
    health: healthOf(foundation, parts),
    upgrades: parts.plans,
  };
}

function healthOf(
  { registry, store, disk, memory, clock }: Foundation,
  { batcher, writers, queues, notifications, feed, board, timers, cluster }: ApiComponents,
): ApiDependencies['health'] {
  return {
    registry,
    store,
    batcher,
    cluster,
    disk,
    memory,
    feed,
    handlers: queues.handlerQueues,
    deadLetters: notifications.deadLetters,
    timers,
    board,
    entityLimit: writers.entityLimit,
    time: clock,
    clock,
  };
}

import type { Batcher } from '../commit/batcher.ts';
import type { ConditionBoard } from '../health/condition-board.ts';
import { JobRunner, type Deliverer } from '../notify/delivery/run-jobs.ts';
import type { PlanRunner } from '../plans/plan-runner.ts';
import type { CheckSchedule } from '../schedule/publish-check-requests.ts';
import { leaderTasks } from './clocks.ts';
import type { Foundation } from './foundation.ts';
import type { NotificationDelivery, NotificationQueues } from './notifications.ts';
import type { Lifecycle } from './teardown.ts';
import type { Writers } from './writers.ts';

interface LeaderDependencies {
  readonly batcher: Batcher;
  readonly writers: Writers;
  readonly lanes: NotificationQueues['handlerQueues'];
  readonly notifications: Pick<NotificationDelivery, 'jobs' | 'deadLetters' | 'deliveries'>;
  /** Runs handlers, on this backend or distributed among the members of the cluster. */
  readonly delivery: Deliverer;
  readonly schedule: Pick<CheckSchedule, 'nextRunMs'>;
  readonly board: ConditionBoard;
  readonly plans: Pick<PlanRunner, 'recordInterruption'>;
  /** Name of the client for checks of the backend itself, such as `disk`; undefined if it reports no such results. */
  readonly ownName: string | undefined;
}

/** Returns the components that run only while this backend is the leader, in the order in which they start. */
export function leaderComponents(
  foundation: Foundation,
  { batcher, notifications, delivery, plans, ...parts }: LeaderDependencies,
): readonly Lifecycle[] {
  const { definitions, registry, store, time, clock, log } = foundation;
  const { jobs: jobWriter, deadLetters, deliveries: lastDeliveries } = notifications;
  const { lanes: handlerQueues } = parts;
  const queues = { handlerQueues, jobWriter, deadLetters, lastDeliveries, commits: batcher.commits };
  const handlers = { ...queues, delivery, definitions, registry, store, clock, log, random: Math.random };
  return [
    { name: 'clock monitor', start: () => time.watch(batcher) },
    // The handlers start before any component commits changes, so that handler runs that the previous process did not
    // finish come first.
    { name: 'handlers', start: () => JobRunner.start(handlers) },
    ...leaderTasks(foundation, { batcher, ...parts }),
    { name: 'interrupted upgrade step', start: () => plans.recordInterruption() },
  ];
}

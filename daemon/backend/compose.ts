import { hostname } from 'node:os';
import type { MonError } from '../../shared/errors.ts';
import { Bcrypt } from './access/bcrypt.ts';
import { openAccess, openLocalAccess } from './compose/access.ts';
import { apiDepsOf } from './compose/api-deps.ts';
import { openBatcher } from './compose/batcher.ts';
import { openSchedule } from './compose/clocks.ts';
import { joinCluster, openSharedCluster, standaloneCluster } from './compose/cluster.ts';
import { openConfigWatch } from './compose/config-files.ts';
import { warnOfConfig } from './compose/config-warnings.ts';
import { openForwarding } from './compose/forwarding.ts';
import { openFoundation } from './compose/foundation.ts';
import { openHubs } from './compose/hubs.ts';
import { leaderComponents } from './compose/leader-components.ts';
import { LeaderRole } from './compose/leader-role.ts';
import { openNotifications, openQueues } from './compose/notifications.ts';
import { openListeners } from './compose/open-listeners.ts';
import type { BackendOptions } from './compose/options.ts';
import { openPlans } from './compose/plans.ts';
import { openRunsOfAll } from './compose/runs.ts';
import { START_ORDER } from './compose/start-order.ts';
import { statusOf } from './compose/status.ts';
import { Teardown } from './compose/teardown.ts';
import { openWriters } from './compose/writers.ts';
import type { LoadedConfig } from './config/load-config.ts';
import { Activity } from './health/activity.ts';
import { ConditionBoard } from './health/condition-board.ts';
import { Metrics } from './health/metrics.ts';
import { TABLES } from './model/tables/tables.ts';
import { SuppressionCounter } from './notify/count-suppressed.ts';
import { TimerLag } from './schedule/timer-lag.ts';

export interface Backend {
  /** The URL of the API, such as `http://127.0.0.1:4567`. */
  readonly url: string;
  /** The URL of the agent listener, such as `ws://127.0.0.1:8081`; undefined if it is not configured. */
  readonly agentUrl?: string | undefined;
  /** The URL of the v2 API listener, such as `http://127.0.0.1:8080`; undefined if it is not configured. */
  readonly v2Url?: string | undefined;
  /** Reloads certificates and configuration, even if no file has changed. Problems of the configuration are logged. */
  reload(): Promise<void>;
  /** The current configuration, as of the last successful reload. */
  readonly config: LoadedConfig;
  /**
   * Resolves with the reason when this backend is no longer the leader. It must then be stopped, and `compose` must be
   * called again, so that it becomes a follower.
   */
  readonly leadershipLost: Promise<MonError>;
  /** Stops accepting requests, commits pending writes and closes the store. */
  stop(): Promise<void>;
}

/**
 * Starts the backend. Components start in the order of `START_ORDER`, and stop in the reverse order. If the start
 * fails, the components that have started are stopped.
 *
 * @throws MonError `invalid` or `conflict` if the backend cannot start with these options
 */
export async function compose(options: BackendOptions): Promise<Backend> {
  const { log } = options;
  const name = hostname();
  const stopping = new AbortController();
  await using teardown = new Teardown({ clock: options.clock, log, order: START_ORDER });

  // The state in memory, the components that change it, and the components that report its changes.
  const foundation = await openFoundation(options, TABLES, teardown);
  const { config, definitions, tls, disk, lease, clock, registry, memory } = foundation;
  const queues = openQueues(foundation);
  const { handlerQueues: lanes, deadLetterIndex } = queues;
  const batcher = openBatcher(options, foundation, queues, teardown);
  const bcrypt = teardown.use('password hashing', new Bcrypt(clock));
  const writers = openWriters(foundation, { batcher, bcrypt }, teardown);
  const { results, clients, entityLimit, apiCommands, audit } = writers;
  warnOfConfig(foundation, apiCommands);
  const hubs = await openHubs(options, foundation, { batcher, writers, name, stopping: stopping.signal }, teardown);
  const { changes, agents, feed } = hubs;
  const notifications = await openNotifications(
    options,
    foundation,
    { deadLetterIndex, batcher, clients, feed, stopping: stopping.signal },
    teardown,
  );
  const { delivery, deadLetters, clusterFeed } = notifications;
  const schedule = openSchedule(foundation, { batcher, agents }, teardown);
  const board = new ConditionBoard();
  const activity = teardown.use('activity', new Activity({ commits: batcher.commits, clock }));
  const status = statusOf(options, batcher, name);

  // The cluster, and the components that run only on its leader.
  const leader = teardown.use('work of the leader', new LeaderRole({ clock, log }));
  const shared = openSharedCluster(foundation, { batcher, changes, leader }, teardown);
  const runs = shared && openRunsOfAll(foundation, { ...shared, delivery, feed, apiCommands }, teardown);
  if (runs !== undefined) clusterFeed.connect(runs.broadcast);
  const standalone = standaloneCluster(options, foundation, status);
  const cluster = options.cluster ?? shared?.member ?? standalone;
  const access = openAccess(foundation, { writers, bcrypt, status }, teardown);
  const { authenticator, callers, connections, slowPeers } = access;
  const timers = teardown.use('timer lag', new TimerLag(clock));
  const forwarding = openForwarding(options, shared, { authenticator, callers, audit, clock, log }, teardown);
  if (forwarding !== undefined) leader.onChange(() => forwarding.closeAgents());
  const metrics = teardown.use(
    'metrics',
    new Metrics({
      registry,
      batcher,
      cluster,
      disk,
      memory,
      results,
      agents,
      feed,
      connections,
      slowPeers,
      handlers: lanes,
      deadLetters,
      suppressed: teardown.use('suppressed notifications', new SuppressionCounter(batcher.commits)),
      definitions,
      timers,
      board,
      entityLimit,
      forwarding,
      spreadRuns: runs?.spreadRuns,
      clock,
    }),
  );
  const plans = openPlans(foundation, { writers, batcher, name }, teardown);
  leader.defineParts(
    leaderComponents(foundation, {
      batcher,
      writers,
      lanes,
      notifications,
      delivery: runs?.spreadRuns ?? delivery,
      schedule: schedule.schedule,
      board,
      plans,
      ownName: options.disk === undefined ? undefined : clientNameOf(name),
    }),
  );
  if (lease !== undefined) await leader.start();

  // The listeners, which make this backend available to clients and to the cluster.
  const served = { batcher, writers, queues, notifications, feed, schedule, activity, board, timers, metrics, status };
  const api = apiDepsOf(options, foundation, { ...served, cluster, access, plans }, teardown);
  const listeners = await openListeners(
    options,
    foundation,
    {
      api,
      agents,
      feed,
      connections,
      commits: batcher.commits,
      forwarding,
      member: shared?.member,
      peerRuns: runs?.runsForLeader,
    },
    teardown,
  );
  const { url } = listeners;
  standalone.servesAt(url);
  await openLocalAccess(options, { url, token: access.localToken }, teardown);
  const watch = openConfigWatch(options, foundation, teardown);
  if (shared !== undefined)
    await joinCluster(options, foundation, { member: shared.member, url, host: name }, teardown);
  const running = teardown.move();
  return {
    ...listeners,
    get config() {
      return config.loaded;
    },
    leadershipLost: shared?.member.ended ?? new Promise<never>(() => undefined),
    reload: async () => {
      tls.reload();
      await watch?.reload();
    },
    stop: () => {
      stopping.abort();
      return running[Symbol.asyncDispose]();
    },
  };
}

/** Converts a host name to a client name, which consists of word characters, dots and hyphens. */
function clientNameOf(host: string): string {
  return host.replaceAll(/[^\w.-]/g, '-');
}

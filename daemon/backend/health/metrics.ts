import { Counter, Gauge, Histogram, Registry as MetricRegistry, type MetricObject } from 'prom-client';
import { isRunningHandler } from '../../../shared/schemas/handler.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import { ALERTMANAGER_VERSION } from '../../../shared/domain/shown-alert.ts';
import { VERSION } from '../../../shared/schemas/version.ts';
import { respondingMember } from '../../../shared/domain/cluster.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { DiskGuard } from '../store/disk-guard.ts';
import type { EntityLimit } from '../model/clients/entity-limit.ts';
import type { ConditionBoard } from './condition-board.ts';
import type { MemoryBudget } from './memory-budget.ts';
import type { FeedHub } from '../feed/feed-hub.ts';
import type { DeadLetters } from '../notify/delivery/dead-letters.ts';
import { qualifiedHandlerName } from '../notify/delivery/qualified-handler-name.ts';
import { ZERO_FAILURE_COUNTS, type HandlerStatistics, type HandlerQueues } from '../notify/delivery/handler-queues.ts';
import { groupsOf } from '../model/notify/groups/state.ts';
import { pendingResolutionsOf } from '../model/notify/silence-ends/state.ts';
import type { SuppressionCounter } from '../notify/count-suppressed.ts';
import type { Definitions } from '../model/config/definitions.ts';
import type { Batcher } from '../commit/batcher.ts';
import type { Results } from '../results/commands.ts';
import type { Clock } from '../ports.ts';
import { SERIES_BYTES } from '../model/registry/footprint.ts';
import type { Namespace } from '../model/registry/namespace.ts';
import { RESPONSE_DURATIONS, ResponseDurationHistogram, type CompletedRequest } from './response-durations.ts';
import { RecentDurations } from './recent-durations.ts';
import type { Registry } from '../model/registry/registry.ts';
import type { TimerLag } from '../schedule/timer-lag.ts';
import type { AgentHub } from '../agents/agent-hub.ts';
import type { Connections } from '../http/connections.ts';
import type { SlowPeers } from '../http/slow-peers.ts';
import { stashesOf } from '../model/stashes/state.ts';

interface MetricDependencies {
  readonly registry: Registry;
  readonly batcher: Batcher;
  readonly cluster: Cluster;
  readonly disk: DiskGuard;
  readonly memory: MemoryBudget;
  readonly results: Pick<Results, 'rejected'>;
  readonly agents: Pick<AgentHub, 'size' | 'unableToSpool'>;
  readonly feed: Pick<FeedHub, 'size' | 'lagMs'>;
  readonly connections: Pick<Connections, 'size' | 'tunnels' | 'limits' | 'rejected'>;
  readonly slowPeers: Pick<SlowPeers, 'waitingBytes' | 'dropped'>;
  readonly handlers: Pick<HandlerQueues, 'statistics' | 'onDelivered'>;
  readonly suppressed: Pick<SuppressionCounter, 'counts'>;
  readonly definitions: Pick<Definitions, 'inNamespace'>;
  readonly deadLetters: Pick<DeadLetters, 'size' | 'overflowDropCount'>;
  readonly timers: Pick<TimerLag, 'worstMs'>;
  readonly board: Pick<ConditionBoard, 'findings'>;
  readonly entityLimit: Pick<EntityLimit, 'usage' | 'refusals'>;
  /**
   * Counts of the requests and agents that this member forwards to the leader; undefined if the store is not shared.
   */
  readonly forwarding: { readonly requests: number; readonly agents: number } | undefined;
  /** The number of handler runs that other members completed; undefined if the store is not shared. */
  readonly spreadRuns: { readonly remoteRunCount: number } | undefined;
  readonly clock: Clock;
}

const BATCH_SIZES = [1, 4, 16, 64, 256, 1024, 4096, 16_384];
const DURATION_BOUNDS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
/**
 * Bucket bounds for the notification latency. Retries can delay a notification by minutes, and a stop of the backend
 * can delay it even more.
 */
const LATENCY_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800];

/**
 * The metrics of the backend for Prometheus. Values that change with every result are read only when metrics are
 * requested.
 */
export class Metrics implements Disposable {
  readonly #metrics = new MetricRegistry();
  readonly #parts: MetricDependencies;
  /**
   * The metrics with a handler label, by the namespace to which the caller is limited. The key undefined has the
   * metrics of all namespaces.
   */
  readonly #handlerMetricsByNamespace = new Map<string | undefined, MetricRegistry>();
  readonly #answers = new ResponseDurationHistogram(DURATION_BOUNDS_SECONDS);
  readonly #recentWrites: RecentDurations;
  readonly #recentResponses: RecentDurations;
  readonly #listening = new DisposableStack();

  constructor(parts: MetricDependencies) {
    this.#parts = parts;
    this.#recentWrites = new RecentDurations(() => parts.clock.monotonic());
    this.#recentResponses = new RecentDurations(() => parts.clock.monotonic());
    this.#registerResultMetrics(parts);
    this.#registerStateMetrics(parts.registry);
    this.#readConnections(parts);
    this.#readForwarding(parts);
    this.#readRuns(parts);
    this.#readDeadLetters(parts);
    this.#readNotifications(parts);
    this.#readCluster(parts.cluster);
    this.#readDisk(parts.disk);
    this.#readMemory(parts.memory);
    this.#readConditions(parts);
    this.#readProcess(parts);
    const batchResults = this.#histogram('mon_batch_results', 'Number of results in a commit', BATCH_SIZES);
    const commitSeconds = this.#histogram(
      'mon_commit_duration_seconds',
      'Time from the start of a batch to its synced write in seconds',
      DURATION_BOUNDS_SECONDS,
    );
    const writeSeconds = this.#histogram(
      'mon_store_write_duration_seconds',
      'Duration of synced writes to the store in seconds',
      DURATION_BOUNDS_SECONDS,
    );
    const latencySeconds = this.#histogram(
      'mon_notification_latency_seconds',
      'Time from the commit that enqueued a notification to its delivery in seconds',
      LATENCY_SECONDS,
    );
    this.#listening.use(
      parts.batcher.commits.onCommit(({ results, times }) => {
        if (times === undefined) return;
        const { durationMs, writeMs } = times;
        batchResults.observe(results);
        commitSeconds.observe(durationMs / 1000);
        writeSeconds.observe(writeMs / 1000);
        this.#recentWrites.note(writeMs);
      }),
    );
    this.#listening.use(parts.handlers.onDelivered((latencyMs) => latencySeconds.observe(latencyMs / 1000)));
  }

  /** The media type of the text that `read` returns. */
  get contentType(): string {
    return this.#metrics.contentType;
  }

  /**
   * Returns all metrics in the text format of Prometheus.
   *
   * @param namespace only handlers of this namespace are included; undefined to include handlers of all namespaces
   */
  async read(namespace: string | undefined): Promise<string> {
    const [own, ofHandlers] = await Promise.all([this.#metrics.metrics(), this.#handlersOf(namespace).metrics()]);
    return own + this.#answers.text() + ofHandlers;
  }

  /** Returns the descriptions of the metrics that `read` returns, in the same order. */
  describe(): readonly MetricDescription[] {
    const { name, help, labels } = RESPONSE_DURATIONS;
    return [
      ...descriptionsOf(this.#metrics),
      { name, help, labels, type: 'histogram' },
      ...descriptionsOf(this.#handlersOf(undefined)),
    ];
  }

  observe(answered: CompletedRequest): void {
    this.#answers.observe(answered);
    this.#recentResponses.note(answered.durationMs);
  }

  /**
   * Returns the 99th percentile of the durations of synced writes in the last minutes, in milliseconds; undefined if
   * there was no write.
   */
  writeP99Ms(): number | undefined {
    return this.#recentWrites.p99();
  }

  /**
   * Returns the 99th percentile of the response times in the last minutes, in milliseconds; undefined if there was no
   * request.
   */
  responseP99Ms(): number | undefined {
    return this.#recentResponses.p99();
  }

  [Symbol.dispose](): void {
    this.#listening[Symbol.dispose]();
  }

  #registerResultMetrics({ batcher, results }: MetricDependencies): void {
    this.#counter('mon_results_committed_total', 'Results stored since the start', () => batcher.committedResults);
    this.#counter(
      'mon_results_rejected_total',
      'Results that were rejected, from agents or for invalidated clients',
      () => results.rejected,
      'reason',
    );
    this.#gauge('mon_queued_results', 'Results that wait for their commit', () => batcher.queued);
    this.#counter(
      'mon_store_failed_writes_total',
      'Batches that could not be written to the store',
      () => batcher.failedWrites,
    );
  }

  #registerStateMetrics(registry: Registry): void {
    // The namespace is looked up for each reading, because the registry replaces the object when it loads the store
    // again.
    const namespace = (): Namespace => registry.namespace(DEFAULT_NAMESPACE);
    this.#gauge('mon_events', 'Open events', () => namespace().openEvents.counts(), 'severity');
    this.#gauge('mon_results', 'Checks by the severity of their latest result', () => namespace().results, 'severity');
    this.#gauge('mon_clients', 'Registered clients', () => namespace().clients.size);
    this.#gauge('mon_silences', 'Silences', () => namespace().silenced.size);
    this.#gauge('mon_silences_idle', 'Silences that are marked as idle', () => namespace().silenced.idleCount);
    this.#gauge('mon_series', 'Checks with a series, of all namespaces', () => registry.seriesCount);
    this.#gauge('mon_series_limit', 'Maximum number of checks with a series', () => registry.seriesLimits.checks);
    this.#gauge('mon_series_bytes', 'Estimated memory of all series', () => registry.seriesCount * SERIES_BYTES);
    this.#gauge('mon_stashes', 'Stashes', () => stashesOf(namespace()).size);
  }

  #readConnections({ agents, connections, feed, slowPeers }: MetricDependencies): void {
    this.#gauge('mon_connections', 'Open connections of all listeners', () => connections.size);
    this.#gauge(
      'mon_connections_forwarded',
      'Agent connections that other members forward to this one',
      () => connections.tunnels,
    );
    this.#gauge('mon_connections_limit', 'Maximum number of connections', () => connections.limits.all);
    this.#counter(
      'mon_connections_rejected_total',
      'Connections that were rejected because of a connection limit',
      () => connections.rejected,
      'reason',
    );
    this.#gauge(
      'mon_buffered_bytes',
      'Bytes buffered for clients that read slowly or send incomplete requests',
      () => slowPeers.waitingBytes,
    );
    this.#counter(
      'mon_connections_dropped_total',
      'Connections that were closed because of slow reading or full buffers',
      () => slowPeers.dropped,
      'reason',
    );
    this.#gauge('mon_agents_connected', 'Connected agents', () => agents.size);
    this.#gauge(
      'mon_agents_spool_failing',
      'Connected agents that cannot write their spool to disk and keep results in memory',
      () => agents.unableToSpool,
    );
    this.#gauge('mon_feed_consumers', 'Connected consumers of the feed', () => feed.size);
    this.#gauge('mon_feed_lag_seconds', 'Lag of the slowest consumer of the feed in seconds', () => feed.lagMs / 1000);
  }

  #readForwarding({ forwarding }: MetricDependencies): void {
    if (forwarding === undefined) return;
    this.#counter(
      'mon_forwarded_requests_total',
      'Requests that this member forwarded to the leader',
      () => forwarding.requests,
    );
    this.#gauge(
      'mon_forwarded_agents',
      'Agents connected to this member that are forwarded to the leader',
      () => forwarding.agents,
    );
  }

  #readRuns({ spreadRuns }: MetricDependencies): void {
    if (spreadRuns === undefined) return;
    this.#counter(
      'mon_handler_runs_remote_total',
      'Handler runs that another member completed for this one',
      () => spreadRuns.remoteRunCount,
    );
  }

  #readDeadLetters({ deadLetters }: MetricDependencies): void {
    this.#gauge('mon_dead_letters', 'Dead letters', () => deadLetters.size);
    this.#counter(
      'mon_dead_letters_dropped_total',
      'Dead letters that were dropped because of the limit',
      () => deadLetters.overflowDropCount,
    );
  }

  #readNotifications({ registry, suppressed }: MetricDependencies): void {
    this.#counter(
      'mon_notifications_suppressed_total',
      'Decisions of the pipeline not to notify a handler, by verdict',
      () => suppressed.counts,
      'reason',
    );
    this.#gauge(
      'mon_notifications_pending',
      'Resolutions that wait for the end of a silence, and events that wait for the next flush of a group',
      () => {
        const namespace = registry.namespace(DEFAULT_NAMESPACE);
        return { resolution: pendingResolutionsOf(namespace).size, group: groupsOf(namespace).pendingEventCount() };
      },
      'kind',
    );
  }

  #readCluster(cluster: Cluster): void {
    this.#gauge(
      'mon_cluster_members',
      'Members of the cluster, including this one',
      () => {
        const counts = { ok: 0, lagging: 0, lost: 0 };
        for (const { state } of cluster.view().members) counts[state] += 1;
        return counts;
      },
      'state',
    );
    this.#gauge('mon_cluster_is_leader', '1 while this member is the leader, else 0', () => {
      const { member_id: id, leader } = cluster.view();
      return Number(leader?.id === id);
    });
    this.#gauge(
      'mon_cluster_seq',
      'Sequence number of the latest commit that this member has seen',
      () => cluster.view().seq,
    );
    this.#gauge(
      'mon_cluster_lag_commits',
      'Commits of the leader that this member has not applied yet',
      () => respondingMember(cluster.view())?.lag ?? 0,
    );
    this.#gauge('mon_cluster_database_up', '1 while the store accepts writes, else 0', () =>
      Number(cluster.view().database.state === 'ok'),
    );
  }

  #handlersOf(namespace: string | undefined): MetricRegistry {
    let metrics = this.#handlerMetricsByNamespace.get(namespace);
    if (metrics === undefined) {
      this.#handlerMetricsByNamespace.set(namespace, (metrics = new MetricRegistry()));
      registerHandlerMetrics(metrics, this.#parts, namespace);
    }
    return metrics;
  }

  #readMemory(memory: MemoryBudget): void {
    this.#gauge(
      'mon_memory_used_bytes',
      'Memory used by clients, checks, events, silences and stashes in bytes',
      () => memory.usedBytes,
    );
    this.#gauge(
      'mon_memory_limit_bytes',
      'Used memory in bytes above which new objects are rejected',
      () => memory.limitBytes,
    );
    this.#counter(
      'mon_memory_rejected_objects_total',
      'New objects that were rejected because of the memory limit',
      () => memory.refusals,
    );
  }

  #readDisk(disk: DiskGuard): void {
    // If the free space is unknown, the metric has no series.
    this.#gauge('mon_disk_free_bytes', 'Free space on the disk of the store in bytes', () => disk.freeBytes ?? {});
    this.#gauge(
      'mon_disk_reserved_bytes',
      'Size of the reserve file for a full disk in bytes',
      () => disk.reservedBytes,
    );
    this.#gauge(
      'mon_disk_floor_bytes',
      'Free space in bytes below which results are rejected, 0 for never',
      () => disk.floorBytes,
    );
    this.#gauge('mon_disk_writes_blocked', '1 while results are rejected because the disk is full, else 0', () =>
      Number(disk.isRejectingGrowth),
    );
  }

  #readConditions({ board, entityLimit }: MetricDependencies): void {
    this.#gauge('mon_entities', 'Entities that count towards the entity limit', () => entityLimit.usage().total);
    // If there is no entity limit, the metric has no series.
    this.#gauge('mon_entity_limit', 'Maximum number of entities', () => {
      const { limit } = entityLimit.usage();
      return limit === 'unlimited' ? {} : limit;
    });
    this.#counter(
      'mon_entities_rejected_total',
      'New agents and entities that were rejected because of the entity limit, counted for each attempt',
      () => entityLimit.refusals,
    );
    this.#gauge(
      'mon_condition_status',
      'Status of a condition of the backend, 0 OK, 1 warning, 2 critical',
      () => Object.fromEntries([...board.findings].map(([name, { status }]) => [name, status])),
      'condition',
    );
    this.#gauge(
      'mon_condition_subjects',
      'Number of objects that a condition reports: rejected entities, failing handlers, broken checks or idle silences',
      () => Object.fromEntries([...board.findings].map(([name, { subjects }]) => [name, subjects.length])),
      'condition',
    );
  }

  #readProcess({ clock, timers }: MetricDependencies): void {
    const startSeconds = clock.now() / 1000;
    // Karma, an alert dashboard, reads the version of Alertmanager from this metric.
    this.#gauge(
      'alertmanager_build_info',
      'Version of Alertmanager whose API is served at /api/v2, the value is always 1',
      () => ({ [ALERTMANAGER_VERSION]: 1 }),
      'version',
    );
    this.#gauge('mon_build_info', 'Version of mon, the value is always 1', () => ({ [VERSION]: 1 }), 'version');
    this.#gauge(
      'mon_timer_lag_seconds',
      'Longest delay of a timer in the last minute in seconds',
      () => timers.worstMs / 1000,
    );
    this.#gauge(
      'process_start_time_seconds',
      'Start time of the process since the Unix epoch in seconds',
      () => startSeconds,
    );
    this.#counter('process_cpu_seconds_total', 'User and system CPU time of the process in seconds', () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    });
    this.#gauge('process_resident_memory_bytes', 'Resident memory of the process in bytes', () =>
      process.memoryUsage.rss(),
    );
    this.#gauge(
      'nodejs_heap_size_used_bytes',
      'Used heap of the process in bytes',
      () => process.memoryUsage().heapUsed,
    );
  }

  #gauge(name: string, help: string, read: () => MetricReading, ...labels: string[]): void {
    registerMetric(Gauge, this.#metrics, { name, help, labels }, read);
  }

  #counter(name: string, help: string, read: () => MetricReading, ...labels: string[]): void {
    registerMetric(Counter, this.#metrics, { name, help, labels }, read);
  }

  #histogram(name: string, help: string, buckets: number[]): Histogram {
    return new Histogram({ name, help, buckets, registers: [this.#metrics] });
  }
}

type RunCounts = Pick<HandlerStatistics, 'delivered' | 'failedByCategory'>;

const ZERO_RUN_COUNTS: RunCounts = { delivered: 0, failedByCategory: ZERO_FAILURE_COUNTS };

type HandlerMetricDependencies = Pick<MetricDependencies, 'clock' | 'handlers' | 'definitions' | 'registry'>;

/**
 * Registers the metrics with a handler label.
 *
 * @param only the namespace whose handlers are included; undefined to include all namespaces
 */
function registerHandlerMetrics(
  metrics: MetricRegistry,
  { clock, handlers, definitions, registry }: HandlerMetricDependencies,
  only: string | undefined,
): void {
  const shown = (): (readonly [name: string, figures: HandlerStatistics])[] =>
    [...handlers.statistics()].filter(([, { namespace }]) => only === undefined || namespace === only);
  const each = (read: (figures: HandlerStatistics) => MetricReading): MetricReading =>
    Object.fromEntries(shown().map(([name, figures]) => [name, read(figures)]));
  registerMetric(
    Counter,
    metrics,
    {
      name: 'mon_handler_runs_total',
      help: 'Handler runs that ended, and events that were rejected because the queue was full',
      labels: ['handler', 'outcome'],
    },
    () => each(({ delivered, failed, retried, rejected }) => ({ delivered, failed, retried, rejected })),
  );
  registerMetric(
    Gauge,
    metrics,
    { name: 'mon_handler_jobs', help: 'Handler runs that have not finished', labels: ['handler', 'state'] },
    () => each(({ waiting, running, retrying }) => ({ waiting, running, retrying })),
  );
  registerMetric(
    Gauge,
    metrics,
    {
      name: 'mon_handler_oldest_job_age_seconds',
      help: 'Age of the oldest handler run that has not finished in seconds',
      labels: ['handler'],
    },
    () =>
      each(({ oldestQueuedAtMs }) => (oldestQueuedAtMs === undefined ? 0 : (clock.now() - oldestQueuedAtMs) / 1000)),
  );
  // Every defined handler has series with the value 0 before its first run, because `rate` does not see an increase in
  // the first sample of a series.
  const counted = (read: (figures: RunCounts) => MetricReading): MetricReading => {
    const namespaces = only === undefined ? registry.declared.names() : [only];
    const names = namespaces.flatMap((namespace) => runningHandlers(definitions, namespace));
    const idle = names.map((name): readonly [string, RunCounts] => [name, ZERO_RUN_COUNTS]);
    return Object.fromEntries([...idle, ...shown()].map(([name, counts]) => [name, read(counts)]));
  };
  registerMetric(
    Counter,
    metrics,
    { name: 'mon_notifications_total', help: 'Notifications that were delivered', labels: ['handler'] },
    () => counted(({ delivered }) => delivered),
  );
  registerMetric(
    Counter,
    metrics,
    {
      name: 'mon_notifications_failed_total',
      help: 'Notifications that failed after all retries and became dead letters',
      labels: ['handler', 'reason'],
    },
    () => counted(({ failedByCategory: failedBy }) => failedBy),
  );
}

/**
 * Returns the qualified names of the handlers of a namespace that can run. Handler sets and escalations are omitted,
 * because they only name other handlers.
 */
function runningHandlers(definitions: Pick<Definitions, 'inNamespace'>, namespace: string): string[] {
  const all = [...definitions.inNamespace(namespace).handlers()];
  return all.flatMap(([handler, definition]) =>
    isRunningHandler(definition) ? qualifiedHandlerName({ namespace, handler }) : [],
  );
}

interface MetricNames {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

/** The description of a metric in the metrics reference. */
interface MetricDescription extends MetricNames {
  readonly type: string;
}

function descriptionsOf(metrics: MetricRegistry): readonly MetricDescription[] {
  // The metric objects of the library have `labelNames`, but its types do not declare it.
  return metrics.getMetricsAsArray().map((metric: MetricObject & { readonly labelNames?: readonly string[] }) => ({
    name: metric.name,
    help: metric.help,
    labels: metric.labelNames ?? [],
    type: String(metric.type),
  }));
}

/** Registers a metric whose value is read each time metrics are requested. */
function registerMetric(
  Kind: typeof Gauge | typeof Counter,
  metrics: MetricRegistry,
  { name, help, labels }: MetricNames,
  read: () => MetricReading,
): void {
  const metric = new Kind({
    name,
    help,
    labelNames: [...labels],
    registers: [metrics],
    collect: () => {
      metric.reset();
      for (const [values, figure] of seriesOf(read(), labels)) metric.inc(values, figure);
    },
  });
}

/** The value of a metric: a number, or an object with a reading for each value of a label. */
type MetricReading = number | { readonly [value: string]: MetricReading };

function* seriesOf(
  reading: MetricReading,
  [label, ...labels]: readonly string[],
  values: Readonly<Record<string, string>> = {},
): Generator<[values: Record<string, string>, figure: number], void, undefined> {
  if (typeof reading === 'number' || label === undefined) {
    yield [values, Number(reading)];
    return;
  }
  for (const [value, inner] of Object.entries(reading)) yield* seriesOf(inner, labels, { ...values, [label]: value });
}

import { respondingMember, clusterTroubles, leaderName } from '../../../shared/domain/cluster.ts';
import type { ClusterMember, ClusterView } from '../../../shared/schemas/cluster.ts';
import type { DiskLevel } from '../../../shared/domain/disk-space.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { DiskGuard } from '../store/disk-guard.ts';
import type { EntityUsage } from '../../../shared/schemas/entity-usage.ts';
import type { EntityLimit } from '../model/clients/entity-limit.ts';
import type { ConditionBoard } from './condition-board.ts';
import type { MemoryBudget } from './memory-budget.ts';
import type { FeedHub } from '../feed/feed-hub.ts';
import type { DeadLetters } from '../notify/delivery/dead-letters.ts';
import type { HandlerQueues } from '../notify/delivery/handler-queues.ts';
import type { Batcher } from '../commit/batcher.ts';
import type { SteadyClock } from '../../clock/steady-clock.ts';
import type { TimerLag } from '../schedule/timer-lag.ts';
import type { IndexCheckDependencies, IndexSampler } from './index-check.ts';

export interface HealthDependencies extends IndexCheckDependencies {
  readonly batcher: Batcher;
  readonly cluster: Pick<Cluster, 'view' | 'acceptsWrites'>;
  readonly disk: DiskGuard;
  readonly memory: MemoryBudget;
  readonly feed: Pick<FeedHub, 'size' | 'lagMs'>;
  readonly handlers: Pick<HandlerQueues, 'statistics'>;
  readonly deadLetters: Pick<DeadLetters, 'size'>;
  readonly timers: Pick<TimerLag, 'worstMs'>;
  readonly board: Pick<ConditionBoard, 'findings'>;
  readonly entityLimit: Pick<EntityLimit, 'usage' | 'refusedNames'>;
  readonly time: Pick<SteadyClock, 'pendingJumpSeconds' | 'jumps' | 'lastJump'>;
}

/**
 * The response of `GET /health?deep=1`: the measured values behind the health of a backend. Times are in seconds; null
 * means that there is no value.
 */
export interface DeepHealth {
  /** The problems as text; empty if the backend is healthy. */
  readonly problems: readonly string[];
  readonly store: {
    /** Time since the last synced write to the store. */
    readonly last_fsync_age: number | null;
    readonly failed_writes: number;
  };
  /**
   * Space on the disk of the store in bytes: free space, size of the reserve file, and the floor of free space below
   * which results are rejected. The levels are those of `DISK_LEVELS`.
   */
  readonly disk: {
    readonly level: DiskLevel;
    readonly free: number | null;
    readonly reserved: number;
    readonly floor: number;
  };
  /** The memory used by stored objects, and the limit above which new objects are rejected, in bytes. */
  readonly memory: { readonly known: number; readonly limit: number };
  /**
   * The number of entities in all namespaces, their limit, and the names of the entities that were rejected in the last
   * hour.
   */
  readonly entities: EntityUsage & { readonly refused: readonly string[] };
  /** The conditions that the backend reports as checks of the client `mon.backend`; empty on a follower. */
  readonly conditions: readonly { readonly name: string; readonly status: number; readonly text: string }[];
  readonly queue: { readonly messages: number };
  /** The longest delay of a timer in the last minute. */
  readonly timers: { readonly lag: number };
  readonly clock: {
    /**
     * Seconds by which the system clock is ahead of the backend's time after a clock jump; negative if it is behind.
     */
    readonly ahead: number;
    /** The number of clock jumps since the backend started. */
    readonly jumps: number;
    /** Time of the last clock jump, in epoch seconds; null if there was none. */
    readonly last_jump: number | null;
  };
  readonly feed: { readonly consumers: number; readonly lag: number };
  /** The job counts and dead letters of all handlers together. */
  readonly handlers: {
    readonly queued: number;
    readonly running: number;
    readonly retrying: number;
    readonly dead_letters: number;
    /** Time since the oldest unfinished handler run was queued; null if there is none. */
    readonly oldest_age: number | null;
  };
  /** The cluster of backends that share the store, as this backend sees it. */
  readonly cluster: {
    readonly members: number;
    /** Host name and port of the leader; null if there is no leader. */
    readonly leader: string | null;
    /** The role of this backend; null if it is not in the member list yet, shortly after its start. */
    readonly role: ClusterMember['role'] | null;
    readonly state: ClusterMember['state'] | null;
    /** The number of commits that this backend has not applied to its memory yet. */
    readonly lag: number;
    readonly database: ClusterView['database']['state'];
  };
  /** The result of comparing some clients in memory with the store; null if the store did not respond soon enough. */
  readonly indexes: { readonly clients: number; readonly checks: number; readonly differences: number } | null;
}

/** The condition status that makes the backend unhealthy. A condition with the status warning is only shown. */
const CRITICAL_STATUS = 2;

/**
 * Returns the response of `GET /health?deep=1`, within half a second even if the database does not respond.
 *
 * @param earlierProblems problems that the caller has found already; they come first in the response
 */
export async function deepHealth(
  parts: HealthDependencies,
  earlierProblems: readonly string[],
  sampler: IndexSampler,
): Promise<DeepHealth> {
  const { batcher, clock, disk, memory, feed, time, timers } = parts;
  const indexes = await sampler.sample();
  const { lastWriteMs } = batcher;
  const cluster = parts.cluster.view();
  const conditions = [...parts.board.findings].map(([name, { status, text }]) => ({ name, status, text }));
  return {
    problems: [
      ...earlierProblems,
      ...(disk.isRejectingGrowth ? [disk.describe()] : []),
      ...(memory.isFull ? [memory.describe()] : []),
      ...conditions.flatMap(({ name, status, text }) => (status === CRITICAL_STATUS ? [`${name}: ${text}`] : [])),
      ...clusterTroubles(cluster).map(({ kind, text }) =>
        kind === 'unavailable' && cluster.database.problem !== null ? `${text}: ${cluster.database.problem}` : text,
      ),
      ...(indexes?.differences ?? []),
    ],
    store: {
      last_fsync_age: lastWriteMs === undefined ? null : (clock.monotonic() - lastWriteMs) / 1000,
      failed_writes: batcher.failedWrites,
    },
    disk: { level: disk.level, free: disk.freeBytes ?? null, reserved: disk.reservedBytes, floor: disk.floorBytes },
    memory: { known: memory.usedBytes, limit: memory.limitBytes },
    entities: { ...parts.entityLimit.usage(), refused: parts.entityLimit.refusedNames() },
    conditions,
    queue: { messages: batcher.queued },
    timers: { lag: timers.worstMs / 1000 },
    clock: {
      ahead: time.pendingJumpSeconds,
      jumps: time.jumps,
      last_jump: time.lastJump === undefined ? null : Math.floor(time.lastJump.atMs / 1000),
    },
    feed: { consumers: feed.size, lag: feed.lagMs / 1000 },
    handlers: handlerHealth(parts),
    cluster: clusterHealth(cluster),
    indexes:
      indexes === undefined
        ? null
        : { clients: indexes.clients, checks: indexes.checks, differences: indexes.differences.length },
  };
}

function clusterHealth(view: ClusterView): DeepHealth['cluster'] {
  const { members, database } = view;
  const own = respondingMember(view);
  return {
    members: members.length,
    leader: leaderName(view) ?? null,
    role: own?.role ?? null,
    state: own?.state ?? null,
    lag: own?.lag ?? 0,
    database: database.state,
  };
}

function handlerHealth({ clock, deadLetters, handlers }: HealthDependencies): DeepHealth['handlers'] {
  const figures = [...handlers.statistics().values()];
  const sum = (read: (one: (typeof figures)[number]) => number): number =>
    figures.reduce((total, one) => total + read(one), 0);
  const oldestAtMs = figures.reduce((oldest, one) => Math.min(oldest, one.oldestQueuedAtMs ?? Infinity), Infinity);
  return {
    queued: sum(({ waiting }) => waiting),
    running: sum(({ running }) => running),
    retrying: sum(({ retrying }) => retrying),
    dead_letters: deadLetters.size,
    oldest_age: oldestAtMs === Infinity ? null : (clock.now() - oldestAtMs) / 1000,
  };
}

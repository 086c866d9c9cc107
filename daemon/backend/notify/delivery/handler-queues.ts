import { FAILURE_CATEGORIES, type FailureCategory } from '../../../../shared/schemas/failure-category.ts';
import { isRunningHandler, type RunningHandler } from '../../../../shared/schemas/handler.ts';
import { ReportLimiter } from '../../../log/rate-limit.ts';
import type { Definitions } from '../../model/config/definitions.ts';
import type { Clock } from '../../ports.ts';
import type { QueueCapacity } from '../../model/notify/routing.ts';
import { JobQueue, type QueuedJob } from './job-queue.ts';
import { qualifiedHandlerName } from './qualified-handler-name.ts';
import type { DeadLetterIndex } from './dead-letter-index.ts';

/** The counters of a handler since the backend started, and the current state of its queue. */
export interface HandlerStatistics {
  readonly namespace: string;
  readonly handler: string;
  readonly waiting: number;
  readonly running: number;
  readonly retrying: number;
  readonly delivered: number;
  /** Number of runs that failed permanently. */
  readonly failed: number;
  /** Number of runs that failed permanently, by the category of the failure. */
  readonly failedByCategory: FailureCounts;
  /** Number of failed attempts after which another attempt was scheduled. */
  readonly retried: number;
  /**
   * Number of notifications that were not queued because both the queue of the handler and the dead-letter queue were
   * full.
   */
  readonly rejected: number;
  readonly lastFailure: { readonly atMs: number; readonly reason: string } | undefined;
  /**
   * Time of the first failed attempt after the last successful delivery, in milliseconds of the monotonic clock;
   * undefined if no attempt has failed since that delivery.
   */
  readonly failingSinceMs: number | undefined;
  /** Time when the oldest unfinished run was queued, in epoch milliseconds; undefined if there is none. */
  readonly oldestQueuedAtMs: number | undefined;
}

export type FailureCounts = Readonly<Record<FailureCategory, number>>;

export const ZERO_FAILURE_COUNTS = Object.fromEntries(
  FAILURE_CATEGORIES.map((category) => [category, 0]),
) as FailureCounts;

/** The name of a handler, with its namespace. */
type HandlerId = Pick<QueuedJob, 'namespace' | 'handler'>;

/**
 * The queue and the counters of a handler. They belong to the handler name, so they are kept when the definition
 * changes or is removed.
 */
export interface HandlerQueue extends HandlerId {
  readonly jobQueue: JobQueue;
  readonly overflowReports: ReportLimiter;
  delivered: number;
  failed: number;
  readonly failedByCategory: Record<FailureCategory, number>;
  retried: number;
  rejected: number;
  lastFailure: HandlerStatistics['lastFailure'];
  failingSinceMs: HandlerStatistics['failingSinceMs'];
}

/**
 * Default number of concurrent runs by handler type. Each run of a `pipe` handler starts a process, and mail servers
 * accept few connections from one machine.
 */
const CONCURRENCY_BY_TYPE: Readonly<Record<string, number>> = { pipe: 10, email: 5 };
const CONCURRENCY_DEFAULT = 20;
const QUEUE_LIMIT_DEFAULT = 10_000;

interface HandlerQueueDependencies {
  readonly definitions: Pick<Definitions, 'inNamespace'>;
  readonly deadLetterIndex: Pick<DeadLetterIndex, 'isFull'>;
  readonly clock: Clock;
}

/**
 * The queues of all handlers, with their limits and counters. They are created before the job runner, because the
 * decision whether to notify a handler depends on whether its queue is full.
 */
export class HandlerQueues implements QueueCapacity {
  readonly #deps: HandlerQueueDependencies;
  /** The queues of all handlers, by `qualifiedHandlerName`. */
  readonly #queues = new Map<string, HandlerQueue>();
  readonly #deliveryListeners = new Set<(latencyMs: number) => void>();

  constructor(deps: HandlerQueueDependencies) {
    this.#deps = deps;
  }

  /**
   * True if the queue of the handler and the dead-letter queue are both full. A new notification is then rejected, and
   * the runs in the queue stay. So a handler that hangs for long does not use more and more memory.
   */
  isFull(namespace: string, handler: string): boolean {
    // Check the dead-letter queue first: it usually has room, and this check is the cheapest.
    if (!this.#deps.deadLetterIndex.isFull) return false;
    const handlerQueue = this.#queues.get(qualifiedHandlerName({ namespace, handler }));
    return handlerQueue !== undefined && handlerQueue.jobQueue.size >= this.maxUnfinishedRuns(handlerQueue);
  }

  /**
   * Returns the counters and queue states of all handlers that had a run or a rejected notification since the backend
   * started, by `qualifiedHandlerName`.
   */
  statistics(): ReadonlyMap<string, HandlerStatistics> {
    return new Map([...this.#queues].map(([name, handlerQueue]) => [name, toStatistics(handlerQueue)]));
  }

  /**
   * Returns the maximum number of unfinished runs of a handler: those that wait in its queue, and those in progress.
   */
  maxUnfinishedRuns(handler: HandlerId): number {
    const definition = this.#definition(handler);
    return (definition?.queue_limit ?? QUEUE_LIMIT_DEFAULT) + effectiveConcurrency(definition);
  }

  /** Returns the maximum number of concurrent runs of a handler. */
  maxConcurrentRuns(handler: HandlerId): number {
    return effectiveConcurrency(this.#definition(handler));
  }

  /** Returns the queue of a handler. Creates the queue if it does not exist. */
  getOrCreate({ namespace, handler }: HandlerId): HandlerQueue {
    const name = qualifiedHandlerName({ namespace, handler });
    let handlerQueue = this.#queues.get(name);
    if (handlerQueue === undefined) {
      const counts = { delivered: 0, failed: 0, retried: 0, rejected: 0 };
      handlerQueue = {
        namespace,
        handler,
        jobQueue: new JobQueue(),
        overflowReports: new ReportLimiter(this.#deps.clock),
        ...counts,
        failedByCategory: { ...ZERO_FAILURE_COUNTS },
        lastFailure: undefined,
        failingSinceMs: undefined,
      };
      this.#queues.set(name, handlerQueue);
    }
    return handlerQueue;
  }

  /**
   * Registers a listener that is called for every delivered run, with the time in milliseconds from the queueing of the
   * run to its delivery.
   */
  onDelivered(listener: (latencyMs: number) => void): Disposable {
    this.#deliveryListeners.add(listener);
    return { [Symbol.dispose]: () => void this.#deliveryListeners.delete(listener) };
  }

  recordDelivered(ticket: QueuedJob): void {
    const handlerQueue = this.getOrCreate(ticket);
    handlerQueue.delivered++;
    handlerQueue.failingSinceMs = undefined;
    // The wall clock may have been set back since the run was queued.
    const latencyMs = Math.max(0, this.#deps.clock.now() - ticket.queuedAtMs);
    for (const listener of this.#deliveryListeners) listener(latencyMs);
  }

  #definition({ namespace, handler }: HandlerId): RunningHandler | undefined {
    const definition = this.#deps.definitions.inNamespace(namespace).handler(handler);
    return definition !== undefined && isRunningHandler(definition) ? definition : undefined;
  }
}

function toStatistics({ jobQueue, overflowReports: _overflowReports, ...counts }: HandlerQueue): HandlerStatistics {
  const { runningCount: running, retryingCount: retrying } = jobQueue;
  const waiting = jobQueue.size - running - retrying;
  return { ...counts, waiting, running, retrying, oldestQueuedAtMs: jobQueue.oldestUnfinishedRun?.queuedAtMs };
}

function effectiveConcurrency(handler: RunningHandler | undefined): number {
  return handler?.concurrency ?? CONCURRENCY_BY_TYPE[handler?.type ?? ''] ?? CONCURRENCY_DEFAULT;
}

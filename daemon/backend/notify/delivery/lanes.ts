import { FAILURE_CATEGORIES, type FailureCategory } from '../../../../shared/schemas/failure-category.ts';
import type { RunningHandler } from '../../../../shared/schemas/handler.ts';
import { Burst } from '../../../log/rate-limit.ts';
import type { Definitions } from '../../model/config/definitions.ts';
import type { Clock } from '../../ports.ts';
import type { Backlog } from '../../model/notify/route.ts';
import { JobQueue, type Ticket } from './job-queue.ts';
import { laneName } from './lane-name.ts';
import type { DeadLetterIndex } from './dead-letter-index.ts';

/** The counters of a handler since the backend started, and the state of its queue. */
export interface HandlerFigures {
  readonly namespace: string;
  readonly handler: string;
  readonly waiting: number;
  readonly running: number;
  readonly retrying: number;
  readonly delivered: number;
  /** Number of runs that failed permanently. */
  readonly failed: number;
  /** Number of runs that failed permanently, by the category of the failure. */
  readonly failedBy: FailureCounts;
  /** Number of failed attempts after which another attempt was scheduled. */
  readonly retried: number;
  /**
   * Number of notifications that were not queued because both the queue of the handler and the dead-letter queue were
   * full.
   */
  readonly rejected: number;
  readonly lastFailure: { readonly atMs: number; readonly reason: string } | undefined;
  /**
   * Monotonic time in milliseconds of the first failed attempt since the last delivery; undefined if none has failed
   * since.
   */
  readonly failingSinceMs: number | undefined;
  /** Time when the oldest unfinished run was queued, in epoch milliseconds; undefined if there is none. */
  readonly oldestAtMs: number | undefined;
}

export type FailureCounts = Readonly<Record<FailureCategory, number>>;

export const NO_FAILURES = Object.fromEntries(FAILURE_CATEGORIES.map((category) => [category, 0])) as FailureCounts;

/** The name of a handler, with its namespace. */
type HandlerId = Pick<Ticket, 'namespace' | 'handler'>;

/**
 * The queue and the counters of a handler. They belong to its name, and stay when its definition changes or is removed.
 */
export interface Lane extends HandlerId {
  readonly queue: JobQueue;
  readonly overflow: Burst;
  delivered: number;
  failed: number;
  readonly failedBy: Record<FailureCategory, number>;
  retried: number;
  rejected: number;
  lastFailure: HandlerFigures['lastFailure'];
  failingSinceMs: HandlerFigures['failingSinceMs'];
}

/**
 * Default number of concurrent runs by handler type. Each run of a `pipe` handler starts a process, and mail servers
 * accept few connections from one machine.
 */
const CONCURRENCIES: Readonly<Record<string, number>> = { pipe: 10, email: 5 };
const CONCURRENCY = 20;
const QUEUE_LIMIT = 10_000;

interface LaneParts {
  readonly definitions: Pick<Definitions, 'in'>;
  readonly deadLetterIndex: Pick<DeadLetterIndex, 'isFull'>;
  readonly clock: Clock;
}

/**
 * The queues of all handlers, with their limits and counters. They are created before the job runner starts, because
 * routing checks whether they are full.
 */
export class Lanes implements Backlog {
  readonly #parts: LaneParts;
  /** The queues of all handlers, by the names of the handlers with their namespaces. */
  readonly #lanes = new Map<string, Lane>();
  readonly #deliveryListeners = new Set<(latencyMs: number) => void>();

  constructor(parts: LaneParts) {
    this.#parts = parts;
  }

  /**
   * True if neither the queue of the handler nor the dead-letter queue has room for one more run. The newest run is
   * then rejected and the older ones stay, which costs nothing however long a handler hangs.
   */
  isFull(namespace: string, handler: string): boolean {
    // Check the dead-letter queue first: it usually has room, and this check is the cheapest.
    if (!this.#parts.deadLetterIndex.isFull) return false;
    const lane = this.#lanes.get(laneName({ namespace, handler }));
    return lane !== undefined && lane.queue.size >= this.limitOf(lane);
  }

  /**
   * Returns the counters and queue states of all handlers that had a run or a rejected notification since the backend
   * started. The keys are the names of the handlers with their namespaces.
   */
  figures(): ReadonlyMap<string, HandlerFigures> {
    return new Map([...this.#lanes].map(([name, lane]) => [name, figuresOf(lane)]));
  }

  /** Returns the maximum number of unfinished runs of a handler: those that wait in its queue and those in progress. */
  limitOf(handler: HandlerId): number {
    const definition = this.#definition(handler);
    return (definition?.queue_limit ?? QUEUE_LIMIT) + concurrency(definition);
  }

  /** Returns the maximum number of concurrent runs of a handler. */
  concurrencyOf(handler: HandlerId): number {
    return concurrency(this.#definition(handler));
  }

  /** Returns the queue of a handler, and creates it if necessary. */
  of({ namespace, handler }: HandlerId): Lane {
    const name = laneName({ namespace, handler });
    let lane = this.#lanes.get(name);
    if (lane === undefined) {
      const counts = { delivered: 0, failed: 0, retried: 0, rejected: 0 };
      lane = {
        namespace,
        handler,
        queue: new JobQueue(),
        overflow: new Burst(this.#parts.clock),
        ...counts,
        failedBy: { ...NO_FAILURES },
        lastFailure: undefined,
        failingSinceMs: undefined,
      };
      this.#lanes.set(name, lane);
    }
    return lane;
  }

  /** Calls the listener for every delivered run, with the milliseconds since the run was queued. */
  onDelivered(listener: (latencyMs: number) => void): Disposable {
    this.#deliveryListeners.add(listener);
    return { [Symbol.dispose]: () => void this.#deliveryListeners.delete(listener) };
  }

  noteDelivered(ticket: Ticket): void {
    const lane = this.of(ticket);
    lane.delivered++;
    lane.failingSinceMs = undefined;
    // The wall clock may have been set back since the run was queued.
    const latencyMs = Math.max(0, this.#parts.clock.now() - ticket.queuedAtMs);
    for (const listener of this.#deliveryListeners) listener(latencyMs);
  }

  #definition({ namespace, handler }: HandlerId): RunningHandler | undefined {
    const definition = this.#parts.definitions.in(namespace).handler(handler);
    return definition?.type === 'set' ? undefined : definition;
  }
}

function figuresOf({ queue, overflow: _overflow, ...counts }: Lane): HandlerFigures {
  const { running, retrying } = queue;
  const waiting = queue.size - running - retrying;
  return { ...counts, waiting, running, retrying, oldestAtMs: queue.oldest?.queuedAtMs };
}

function concurrency(handler: RunningHandler | undefined): number {
  return handler?.concurrency ?? CONCURRENCIES[handler?.type ?? ''] ?? CONCURRENCY;
}

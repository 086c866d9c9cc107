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
  /** Runs that failed permanently. */
  readonly failed: number;
  /** The runs that failed permanently, by category. */
  readonly failedBy: FailureCounts;
  /** Attempts that failed and were followed by another one. */
  readonly retried: number;
  /** Events that were not handled because the queue and the dead-letter queue were full. */
  readonly rejected: number;
  readonly lastFailure: { readonly atMs: number; readonly reason: string } | undefined;
  /** Monotonic time of the first failure since the last success; undefined if the last run did not fail. */
  readonly failingSinceMs: number | undefined;
  /** Enqueue time of the oldest unfinished run, in epoch milliseconds. */
  readonly oldestAtMs: number | undefined;
}

export type FailureCounts = Readonly<Record<FailureCategory, number>>;

export const NO_FAILURES = Object.fromEntries(FAILURE_CATEGORIES.map((category) => [category, 0])) as FailureCounts;

/** The name of a handler in a namespace. */
type HandlerId = Pick<Ticket, 'namespace' | 'handler'>;

/** The queue and counters of a handler by its name, independent of its current definition. */
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

/** Limits by handler type: each pipe starts a process, and mail servers accept few connections from one machine. */
const CONCURRENCIES: Readonly<Record<string, number>> = { pipe: 10, email: 5 };
const CONCURRENCY = 20;
const QUEUE_LIMIT = 10_000;

interface LaneParts {
  readonly definitions: Pick<Definitions, 'in'>;
  readonly deadLetterIndex: Pick<DeadLetterIndex, 'isFull'>;
  readonly clock: Clock;
}

/** The queues of all handlers and their limits. Created before the runner starts, because routing checks the limits. */
export class Lanes implements Backlog {
  readonly #parts: LaneParts;
  /** Lanes by `laneName`. */
  readonly #lanes = new Map<string, Lane>();
  readonly #deliveryListeners = new Set<(latencyMs: number) => void>();

  constructor(parts: LaneParts) {
    this.#parts = parts;
  }

  /**
   * True if one more run has no room, neither in the queue nor among the dead letters. Older runs are kept and the
   * newest is rejected, which costs nothing however long a handler hangs.
   */
  isFull(namespace: string, handler: string): boolean {
    // Usually there is still room for dead letters, and this test is the cheapest.
    if (!this.#parts.deadLetterIndex.isFull) return false;
    const lane = this.#lanes.get(laneName({ namespace, handler }));
    return lane !== undefined && lane.queue.size >= this.limitOf(lane);
  }

  /** Returns the figures of every handler that had a run, by `laneName`. */
  figures(): ReadonlyMap<string, HandlerFigures> {
    return new Map([...this.#lanes].map(([name, lane]) => [name, figuresOf(lane)]));
  }

  /** Returns the most unfinished runs of a handler, waiting or running. */
  limitOf(handler: HandlerId): number {
    const definition = this.#definition(handler);
    return (definition?.queue_limit ?? QUEUE_LIMIT) + concurrency(definition);
  }

  /** Returns the most runs of a handler at the same time. */
  concurrencyOf(handler: HandlerId): number {
    return concurrency(this.#definition(handler));
  }

  /** Returns the lane of a handler, and creates it if necessary. */
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

  /** Calls `listener` for every delivered run with the time since the run was enqueued. */
  onDelivered(listener: (latencyMs: number) => void): Disposable {
    this.#deliveryListeners.add(listener);
    return { [Symbol.dispose]: () => void this.#deliveryListeners.delete(listener) };
  }

  noteDelivered(ticket: Ticket): void {
    const lane = this.of(ticket);
    lane.delivered++;
    lane.failingSinceMs = undefined;
    // The wall clock may have been set back.
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

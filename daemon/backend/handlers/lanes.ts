import type { RunningHandler } from '../../../shared/schemas/handler.ts';
import { Burst } from '../../log/seldom.ts';
import type { Definitions } from '../config/definitions.ts';
import type { Clock } from '../ports.ts';
import type { Backlog } from './event-handling.ts';
import { JobQueue, type Ticket } from './job-queue.ts';
import { laneName } from './lane-name.ts';
import type { LetterBox } from './letter-box.ts';

/** What a handler has done since the backend started, and what it has before it. */
export interface HandlerFigures {
  readonly namespace: string;
  readonly handler: string;
  readonly waiting: number;
  readonly running: number;
  readonly retrying: number;
  readonly delivered: number;
  /** Runs that failed for good. */
  readonly failed: number;
  /** Tries that failed and were followed by another one. */
  readonly retried: number;
  /** Events that were not handled, because the queue and the dead-letter queue were full. */
  readonly rejected: number;
  readonly lastFailure: { readonly atMs: number; readonly reason: string } | undefined;
  /** When the first run after the last success failed, by the monotonic clock; undefined: the last run did not fail. */
  readonly failingSinceMs: number | undefined;
  /** Epoch milliseconds of the run that came first of those that are not over. */
  readonly oldestAtMs: number | undefined;
}

/** A handler by its name in a namespace. */
type HandlerId = Pick<Ticket, 'namespace' | 'handler'>;

/** Everything about one handler by its name, whatever its definition is at the moment. */
export interface Lane extends HandlerId {
  readonly queue: JobQueue;
  readonly overflow: Burst;
  delivered: number;
  failed: number;
  retried: number;
  rejected: number;
  lastFailure: HandlerFigures['lastFailure'];
  failingSinceMs: HandlerFigures['failingSinceMs'];
}

/** Each run of a pipe is a process, and mail servers take few connections of one machine. */
const CONCURRENCIES: Readonly<Record<string, number>> = { pipe: 10, email: 5 };
const CONCURRENCY = 20;
const QUEUE_LIMIT = 10_000;

interface LaneParts {
  readonly definitions: Pick<Definitions, 'in'>;
  readonly letters: Pick<LetterBox, 'isFull'>;
  readonly clock: Clock;
}

/** What waits at each handler, and how much may: there before anything runs, so that routing can ask. */
export class Lanes implements Backlog {
  readonly #parts: LaneParts;
  /** By `laneName`. */
  readonly #lanes = new Map<string, Lane>();

  constructor(parts: LaneParts) {
    this.#parts = parts;
  }

  /**
   * Whether a further run would have no place: neither in the queue nor among the dead letters. What is older is kept,
   * and keeping nothing of the newest costs nothing, however long a handler hangs.
   */
  isFull(namespace: string, handler: string): boolean {
    // Nearly always the answer, and the cheapest question.
    if (!this.#parts.letters.isFull) return false;
    const lane = this.#lanes.get(laneName({ namespace, handler }));
    return lane !== undefined && lane.queue.size >= this.limitOf(lane);
  }

  /** By `laneName`: every handler that had something to run. */
  figures(): ReadonlyMap<string, HandlerFigures> {
    return new Map([...this.#lanes].map(([name, lane]) => [name, figuresOf(lane)]));
  }

  /** Runs that wait, and those that run. */
  limitOf(handler: HandlerId): number {
    const definition = this.#definition(handler);
    return (definition?.queue_limit ?? QUEUE_LIMIT) + concurrency(definition);
  }

  /** Runs that may be under way at once. */
  concurrencyOf(handler: HandlerId): number {
    return concurrency(this.#definition(handler));
  }

  /** The one of a handler, made when it is new. */
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
        lastFailure: undefined,
        failingSinceMs: undefined,
      };
      this.#lanes.set(name, lane);
    }
    return lane;
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

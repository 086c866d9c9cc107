import { backoffMs } from '../../../../shared/domain/backoff.ts';
import { BUILT_IN } from '../../../../shared/domain/built-in.ts';
import { groupLabel } from '../../../../shared/domain/notify/group-key.ts';
import { eventsIn } from '../../../../shared/domain/notify/group-document.ts';
import { errorMessage } from '../../../../shared/errors.ts';
import type { RetryPolicy, RunningHandler } from '../../../../shared/schemas/handler.ts';
import type { GroupRun, HandlerJob, JobFailure } from '../../../../shared/schemas/handler-job.ts';
import type { Log } from '../../../log/log.ts';
import type { Definitions } from '../../model/config/definitions.ts';
import type { CommitBoard } from '../../model/transaction/commit-board.ts';
import type { HandlerJobs } from './write-jobs.ts';
import type { Clock, Store } from '../../ports.ts';
import type { Registry } from '../../model/registry/registry.ts';
import { DEAD_LETTERS, HANDLER_JOBS } from '../../model/notify/delivery/storage.ts';
import type { DeadLetters } from './dead-letters.ts';
import { JobBodies } from './job-bodies.ts';
import { jobOfStored } from '../../model/notify/delivery/stored-job.ts';
import type { JobQueue, Ticket } from './job-queue.ts';
import type { Lane, Lanes } from './lanes.ts';
import type { LastDeliveries } from './last-deliveries.ts';
import { failedForGood, type DeliveryOutcome, type Failure } from './outcome.ts';
import type { HandlingNote } from '../../model/notify/route.ts';

/** Runs the handler of a job. `Delivery` does it on this backend; in a cluster, another member may do it. */
export interface Deliver {
  /**
   * Makes one attempt to deliver a notification.
   *
   * @param handler the definition in force; undefined: the built-in handler of that name
   * @param attempt 1 for the first attempt
   * @param signal aborted when the backend stops and cannot wait any longer; a failure is then ignored
   */
  deliver(
    job: HandlerJob,
    handler: RunningHandler | undefined,
    attempt: number,
    signal: AbortSignal,
  ): Promise<DeliveryOutcome>;
}

export interface JobRunnerParts {
  readonly definitions: Pick<Definitions, 'in'>;
  readonly lanes: Lanes;
  readonly delivery: Deliver;
  readonly jobs: HandlerJobs;
  readonly deadLetters: DeadLetters;
  readonly last: LastDeliveries;
  readonly commits: Pick<CommitBoard, 'onCommit'>;
  readonly registry: Pick<Registry, 'noteJobId'>;
  readonly store: Pick<Store, 'scan' | 'getMany'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns a random number from 0 to below 1, for the jitter of retry delays. */
  readonly random: () => number;
}

/**
 * Default retry policy of webhook and email handlers, with delays in seconds. Their servers may restart, or request a
 * delay before the next attempt.
 */
const SERVICE_RETRY: RetryPolicy = { attempts: 4, delay: 1, max_delay: 60 };

/** Time that running handlers get to finish when the backend stops (reliability 11); then they are aborted. */
const GRACE_MS = 10_000;
/** Maximum time that a stopping backend waits for aborted handler runs to end. */
const ABORT_MS = 1000;
/** Delay before a job that could not be read from the store is read again. */
const READ_AGAIN_MS = 1000;

/**
 * Runs the handler jobs that were committed. Each handler has its own queue, so no handler waits for another one, and
 * no commit waits for a handler. A job stays in the store until it is delivered or its dead letter is dropped, so a
 * restart loses none.
 */
export class JobRunner implements AsyncDisposable {
  readonly #parts: JobRunnerParts;
  readonly #bodies: JobBodies;
  /** The handler queues that may have a run to start. */
  readonly #startable = new Set<Lane>();
  #starting: NodeJS.Immediate | undefined;
  readonly #runs = new Set<Promise<void>>();
  readonly #timers = new Set<Disposable>();
  readonly #abort = new AbortController();
  #listening: Disposable | undefined;
  /**
   * True until all stored jobs are read. No run starts before that: a run may commit new jobs, and their ids must be
   * higher than those of all stored jobs.
   */
  #isLoading = true;
  #isStopping = false;

  private constructor(parts: JobRunnerParts) {
    this.#parts = parts;
    this.#bodies = new JobBodies(parts.store);
    parts.deadLetters.onRevived((ticket) => this.#take(ticket));
  }

  /**
   * Enqueues all stored jobs except dead letters, then every job that is committed from now on.
   *
   * @throws MonError `unavailable` if the store cannot be read
   */
  static async start(parts: JobRunnerParts): Promise<JobRunner> {
    const runner = new JobRunner(parts);
    const committed: HandlerJob[] = [];
    runner.#listening = parts.commits.onCommit(({ jobs, handlingNotes }) => {
      for (const note of handlingNotes) runner.#countRejected(note);
      if (runner.#isLoading) committed.push(...jobs);
      else for (const job of jobs) runner.#accept(job);
    });
    const lastId = await runner.#load();
    runner.#isLoading = false;
    for (const job of committed) if (job.id > lastId) runner.#accept(job);
    runner.#scheduleStarts();
    return runner;
  }

  /**
   * Starts no more handler runs, and waits until the current runs end. Runs that exceed the grace period are aborted.
   * The outcomes that are not stored yet are passed to the batcher.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true;
    this.#listening?.[Symbol.dispose]();
    clearImmediate(this.#starting);
    for (const timer of this.#timers) timer[Symbol.dispose]();
    if (!(await this.#endWithin(GRACE_MS))) {
      this.#parts.log.warn(
        { running: this.#runs.size },
        'backend is stopping: running handlers are aborted and run again at the next start',
      );
      this.#abort.abort();
      await this.#endWithin(ABORT_MS);
    }
    await this.#parts.jobs.flush();
  }

  /**
   * Reads all jobs and dead letters from the store, and enqueues the jobs that are not dead letters.
   *
   * @returns the highest id of a stored job; 0 if there is none
   */
  async #load(): Promise<number> {
    const { deadLetters, jobs, registry, store } = this.#parts;
    const failures = new Map<number, JobFailure>();
    for await (const [key, value] of store.scan([DEAD_LETTERS])) {
      failures.set(Number(key.at(-1)), JSON.parse(value) as JobFailure);
    }
    const failedRuns: (readonly [Ticket, JobFailure])[] = [];
    let lastId = 0;
    for await (const [, value] of store.scan([HANDLER_JOBS])) {
      const job = jobOfStored(value);
      const failure = failures.get(job.id);
      lastId = job.id;
      if (failure === undefined) {
        this.#bodies.keep(job);
        this.#take(ticketOf(job));
      } else {
        failures.delete(job.id);
        failedRuns.push([ticketOf(job), failure]);
      }
    }
    for (const [ticket, failure] of failedRuns.toSorted(([, a], [, b]) => a.failed_at - b.failed_at)) {
      deadLetters.note(ticket, failure);
      this.#noteFailed(ticket, failure);
    }
    // A stored failure without a stored job is not a dead letter, so it is deleted.
    for (const id of failures.keys()) jobs.settle({ kind: 'drop', id });
    registry.noteJobId(lastId);
    return lastId;
  }

  #accept(job: HandlerJob): void {
    const ticket = ticketOf(job);
    const { queue, overflow } = this.#parts.lanes.of(job);
    if (queue.size < this.#parts.lanes.limitOf(job)) {
      this.#bodies.keep(job);
      this.#take(ticket);
      return;
    }
    this.#bury(ticket, failedForGood('the queue of the handler is full', 'overflow'));
    overflow.note((rejected) =>
      this.#parts.log.error(
        { handler: job.handler, waiting: queue.size, rejected },
        'handler queue is full: further events become dead letters',
      ),
    );
  }

  #countRejected({ namespace, verdicts }: Pick<HandlingNote, 'namespace' | 'verdicts'>): void {
    for (const { verdict, handler } of verdicts) {
      if (verdict === 'overflow') this.#parts.lanes.of({ namespace, handler }).rejected++;
    }
  }

  #take(ticket: Ticket): void {
    const lane = this.#parts.lanes.of(ticket);
    lane.queue.add(ticket);
    this.#noteState(ticket, 'queued');
    this.#startSoon(lane);
  }

  /**
   * Starts runs of a handler in a later iteration of the event loop. Starting a process blocks for some milliseconds,
   * and the response to a result whose commit enqueued the run must not wait for that.
   */
  #startSoon(lane: Lane): void {
    this.#startable.add(lane);
    this.#scheduleStarts();
  }

  #scheduleStarts(): void {
    if (this.#isLoading || this.#isStopping || this.#startable.size === 0) return;
    this.#starting ??= setImmediate(() => {
      this.#starting = undefined;
      this.#startEach();
    });
  }

  /** Starts at most one run of each handler. Further runs start in later iterations of the event loop. */
  #startEach(): void {
    const lanes = [...this.#startable];
    this.#startable.clear();
    for (const lane of lanes) {
      const { queue } = lane;
      if (queue.running >= this.#parts.lanes.concurrencyOf(lane)) continue;
      const ticket = queue.take();
      if (ticket === undefined) continue;
      const run: Promise<void> = this.#run(ticket, queue).finally(() => {
        this.#runs.delete(run);
        this.#startSoon(lane);
      });
      this.#runs.add(run);
      if (queue.hasReady) this.#startSoon(lane);
    }
  }

  async #run(ticket: Ticket, queue: JobQueue): Promise<void> {
    const { definitions, log } = this.#parts;
    let job: HandlerJob | undefined;
    try {
      job = await this.#bodies.take(ticket.id);
    } catch (error) {
      log.error(
        { handler: ticket.handler, error: errorMessage(error) },
        'could not read the event for a handler, retrying soon',
      );
      this.#putOff(ticket, queue, READ_AGAIN_MS);
      return;
    }
    if (job === undefined) {
      queue.finish(ticket);
      return;
    }
    const definition = definitions.in(ticket.namespace).handler(ticket.handler);
    if (definition?.type === 'set' || (definition === undefined && !BUILT_IN.handlers.has(ticket.handler))) {
      queue.finish(ticket);
      this.#bury(ticket, failedForGood('handler is not defined'));
      return;
    }
    ticket.attempts++;
    this.#noteState(ticket, 'running');
    const outcome = await this.#deliver(job, definition, ticket.attempts);
    this.#conclude(ticket, queue, job, outcome, retryOf(definition));
  }

  async #deliver(job: HandlerJob, definition: RunningHandler | undefined, attempt: number): Promise<DeliveryOutcome> {
    try {
      return await this.#parts.delivery.deliver(job, definition, attempt, this.#abort.signal);
    } catch (error) {
      this.#parts.log.error(
        { handler: job.handler, error: error instanceof Error ? error.stack : String(error) },
        'handler failed because of an internal error',
      );
      return { kind: 'failed', reason: `internal error: ${errorMessage(error)}`, isRetryable: false };
    }
  }

  #conclude(
    ticket: Ticket,
    queue: JobQueue,
    job: HandlerJob,
    outcome: DeliveryOutcome,
    retry: RetryPolicy | undefined,
  ): void {
    if (outcome.kind === 'delivered') {
      this.#parts.lanes.noteDelivered(ticket);
      queue.finish(ticket);
      this.#noteState(ticket, 'delivered', outcome);
      this.#parts.jobs.settle({ kind: 'finish', id: ticket.id });
      return;
    }
    // The outcome of an aborted run is not known, so its job stays in the store and runs again after the next start.
    if (this.#abort.signal.aborted) return;
    const { reason } = outcome;
    const lane = this.#parts.lanes.of(ticket);
    lane.lastFailure = { atMs: this.#parts.clock.now(), reason };
    lane.failingSinceMs ??= this.#parts.clock.monotonic();
    if (!outcome.isRetryable || retry === undefined || ticket.attempts >= retry.attempts) {
      queue.finish(ticket);
      this.#bury(ticket, outcome);
      return;
    }
    lane.retried++;
    this.#bodies.keep(job);
    this.#noteState(ticket, 'retrying', outcome);
    const limits = { minMs: retry.delay * 1000, maxMs: retry.max_delay * 1000 };
    const pauseMs = backoffMs(ticket.attempts, this.#parts.random(), limits);
    this.#putOff(ticket, queue, Math.max(pauseMs, outcome.retryAfterMs ?? 0));
  }

  #putOff(ticket: Ticket, queue: JobQueue, delayMs: number): void {
    queue.putOff();
    if (this.#isStopping) return;
    const timer = this.#parts.clock.after(delayMs, () => {
      this.#timers.delete(timer);
      queue.resume(ticket);
      this.#startSoon(this.#parts.lanes.of(ticket));
    });
    this.#timers.add(timer);
  }

  #bury(ticket: Ticket, { reason, category = 'other', member }: Failure): void {
    const { attempts } = ticket;
    const atMs = this.#parts.clock.now();
    this.#parts.deadLetters.add(ticket, { attempts, reason });
    const lane = this.#parts.lanes.of(ticket);
    lane.failed++;
    lane.failedBy[category]++;
    lane.lastFailure = { atMs, reason };
    lane.failingSinceMs ??= this.#parts.clock.monotonic();
    this.#noteState(ticket, 'failed', { reason, member });
  }

  #noteFailed(ticket: Ticket, { attempts, failed_at: at, reason }: JobFailure): void {
    this.#parts.last.note(ticket, { state: 'failed', at, attempts, reason });
  }

  #noteState(
    ticket: Ticket,
    state: 'queued' | 'running' | 'retrying' | 'delivered' | 'failed',
    { reason, member }: { readonly reason?: string; readonly member?: string | undefined } = {},
  ): void {
    const { clock, last } = this.#parts;
    const { attempts } = ticket;
    last.note(ticket, {
      state,
      at: clock.now(),
      attempts,
      ...(reason !== undefined && { reason }),
      ...(member !== undefined && { member }),
    });
  }

  /**
   * Waits until all current handler runs end, but at most for `ms` milliseconds.
   *
   * @returns true if all runs ended within this time
   */
  async #endWithin(ms: number): Promise<boolean> {
    if (this.#runs.size === 0) return true;
    const { promise: late, resolve } = Promise.withResolvers<false>();
    const timer = this.#parts.clock.after(ms, () => resolve(false));
    const over = Promise.all(this.#runs).then((): true => true);
    const isOver = await Promise.race([over, late]);
    timer[Symbol.dispose]();
    return isOver;
  }
}

function ticketOf({ id, namespace, client, check, handler, group, queued_at: queuedAtMs }: HandlerJob): Ticket {
  return {
    id,
    namespace,
    client,
    check,
    handler,
    ...(group !== undefined && { group: groupOf(group) }),
    queuedAtMs,
    attempts: 0,
  };
}

function groupOf(group: GroupRun): NonNullable<Ticket['group']> {
  return { id: group.id, label: groupLabel(Object.entries(group.by)), events: eventsIn(group) };
}

function retryOf(handler: RunningHandler | undefined): RetryPolicy | undefined {
  return handler?.retry ?? (handler?.type === 'webhook' || handler?.type === 'email' ? SERVICE_RETRY : undefined);
}

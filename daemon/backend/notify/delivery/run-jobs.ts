import { backoffMs } from '../../../../shared/domain/backoff.ts';
import { BUILT_IN_NAMES } from '../../../../shared/domain/built-in.ts';
import { formatGroupLabel } from '../../../../shared/domain/notify/group-key.ts';
import { countGroupEvents } from '../../../../shared/domain/notify/group-document.ts';
import { errorMessage } from '../../../../shared/errors.ts';
import { isRunningHandler, type RetryPolicy, type RunningHandler } from '../../../../shared/schemas/handler.ts';
import type { GroupRun, HandlerJob, JobFailure } from '../../../../shared/schemas/handler-job.ts';
import type { Log } from '../../../log/log.ts';
import type { Definitions } from '../../model/config/definitions.ts';
import type { CommitBoard } from '../../model/transaction/commit-board.ts';
import type { JobWriter } from './job-writer.ts';
import type { Clock, Store } from '../../ports.ts';
import type { Registry } from '../../model/registry/registry.ts';
import { DEAD_LETTER_PREFIX, HANDLER_JOB_PREFIX } from '../../model/notify/delivery/storage.ts';
import type { DeadLetters } from './dead-letters.ts';
import { JobCache } from './job-cache.ts';
import { decodeJob } from '../../model/notify/delivery/stored-job.ts';
import type { JobQueue, QueuedJob } from './job-queue.ts';
import type { HandlerQueue, HandlerQueues } from './handler-queues.ts';
import type { LastDeliveries } from './last-deliveries.ts';
import { permanentFailure, type DeliveryOutcome, type DeliveryFailure } from './outcome.ts';
import type { VerdictReport } from '../../model/notify/routing.ts';

/** Runs the handlers of jobs: on this backend (`HandlerRunner`) or, in a cluster, possibly on another member. */
export interface Deliverer {
  /**
   * Makes one attempt to deliver a notification.
   *
   * @param handler the current definition of the handler; undefined for a built-in handler
   * @param attempt 1 for the first attempt
   * @param signal aborted when a stopping backend cannot wait any longer for the run; a failed outcome is then ignored
   */
  deliver(
    job: HandlerJob,
    handler: RunningHandler | undefined,
    attempt: number,
    signal: AbortSignal,
  ): Promise<DeliveryOutcome>;
}

export interface JobRunnerDependencies {
  readonly definitions: Pick<Definitions, 'inNamespace'>;
  readonly handlerQueues: HandlerQueues;
  readonly delivery: Deliverer;
  readonly jobWriter: JobWriter;
  readonly deadLetters: DeadLetters;
  readonly lastDeliveries: LastDeliveries;
  readonly commits: Pick<CommitBoard, 'onCommit'>;
  readonly registry: Pick<Registry, 'noteJobId'>;
  readonly store: Pick<Store, 'scan' | 'getMany'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns a random number from 0 to below 1, for the jitter of retry delays. */
  readonly random: () => number;
}

/**
 * Default retry policy of webhook and email handlers, with delays in seconds. Their deliveries are retried because the
 * servers of receivers may restart or request a delay.
 */
const SERVICE_RETRY_POLICY: RetryPolicy = { attempts: 4, delay: 1, max_delay: 60 };

/**
 * Time in milliseconds that running handlers get to finish when the backend stops (reliability 11). After that, they
 * are aborted.
 */
const STOP_GRACE_MS = 10_000;
/** Maximum time in milliseconds that a stopping backend waits for aborted handler runs to end. */
const ABORT_WAIT_MS = 1000;
/** Delay in milliseconds before a job that could not be read from the store is read again. */
const READ_RETRY_DELAY_MS = 1000;

/**
 * Runs the handlers of committed jobs. Each handler has its own queue, so no handler waits for another handler, and no
 * commit waits for a handler. A job stays in the store until it is delivered or its dead letter is deleted, so a
 * restart loses no job.
 */
export class JobRunner implements AsyncDisposable {
  readonly #deps: JobRunnerDependencies;
  readonly #jobCache: JobCache;
  /** The handler queues from which a run may be able to start. */
  readonly #startableQueues = new Set<HandlerQueue>();
  #scheduledStart: NodeJS.Immediate | undefined;
  readonly #runs = new Set<Promise<void>>();
  readonly #timers = new Set<Disposable>();
  readonly #abortController = new AbortController();
  #commitListener: Disposable | undefined;
  /**
   * True until all stored jobs are read. No run starts before that, because a run may commit new jobs. The ids of new
   * jobs must be higher than those of all stored jobs.
   */
  #isLoading = true;
  #isStopping = false;

  private constructor(deps: JobRunnerDependencies) {
    this.#deps = deps;
    this.#jobCache = new JobCache(deps.store);
    deps.deadLetters.setEnqueueRetry((ticket) => this.#enqueue(ticket));
  }

  /**
   * Enqueues all stored jobs except dead letters, then every job that is committed from now on.
   *
   * @throws MonError `unavailable` if the store cannot be read
   */
  static async start(deps: JobRunnerDependencies): Promise<JobRunner> {
    const runner = new JobRunner(deps);
    const committedJobs: HandlerJob[] = [];
    runner.#commitListener = deps.commits.onCommit(({ jobs, handlingNotes }) => {
      for (const report of handlingNotes) runner.#countRejected(report);
      if (runner.#isLoading) committedJobs.push(...jobs);
      else for (const job of jobs) runner.#enqueueCommittedJob(job);
    });
    const lastJobId = await runner.#loadStoredJobs();
    runner.#isLoading = false;
    for (const job of committedJobs) if (job.id > lastJobId) runner.#enqueueCommittedJob(job);
    runner.#scheduleStarts();
    return runner;
  }

  /**
   * Stops starting handler runs, and waits until the current runs end. Runs that exceed the grace period are aborted.
   * Finally, the outcomes that are not stored yet are passed to the batcher.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true;
    this.#commitListener?.[Symbol.dispose]();
    clearImmediate(this.#scheduledStart);
    for (const timer of this.#timers) timer[Symbol.dispose]();
    if (!(await this.#waitForRuns(STOP_GRACE_MS))) {
      this.#deps.log.warn(
        { running: this.#runs.size },
        'backend is stopping: running handlers are aborted and run again at the next start',
      );
      this.#abortController.abort();
      await this.#waitForRuns(ABORT_WAIT_MS);
    }
    await this.#deps.jobWriter.flushPendingChanges();
  }

  /**
   * Reads all jobs and dead letters from the store, and enqueues the jobs that are not dead letters.
   *
   * @returns the highest id of a stored job; 0 if there is none
   */
  async #loadStoredJobs(): Promise<number> {
    const { deadLetters, jobWriter, registry, store } = this.#deps;
    const failures = new Map<number, JobFailure>();
    for await (const [key, value] of store.scan([DEAD_LETTER_PREFIX])) {
      failures.set(Number(key.at(-1)), JSON.parse(value) as JobFailure);
    }
    const storedDeadLetters: (readonly [QueuedJob, JobFailure])[] = [];
    let lastJobId = 0;
    for await (const [, value] of store.scan([HANDLER_JOB_PREFIX])) {
      const job = decodeJob(value);
      const failure = failures.get(job.id);
      lastJobId = job.id;
      if (failure === undefined) {
        this.#jobCache.add(job);
        this.#enqueue(createQueuedJob(job));
      } else {
        failures.delete(job.id);
        storedDeadLetters.push([createQueuedJob(job), failure]);
      }
    }
    for (const [ticket, failure] of storedDeadLetters.toSorted(([, a], [, b]) => a.failed_at - b.failed_at)) {
      deadLetters.addToIndex(ticket, failure);
      this.#recordStoredFailure(ticket, failure);
    }
    // A stored failure without a stored job is not a dead letter, so it is deleted.
    for (const id of failures.keys()) jobWriter.submit({ kind: 'drop', id });
    registry.noteJobId(lastJobId);
    return lastJobId;
  }

  #enqueueCommittedJob(job: HandlerJob): void {
    const ticket = createQueuedJob(job);
    const { jobQueue, overflowReports } = this.#deps.handlerQueues.getOrCreate(job);
    if (jobQueue.size < this.#deps.handlerQueues.maxUnfinishedRuns(job)) {
      this.#jobCache.add(job);
      this.#enqueue(ticket);
      return;
    }
    this.#addDeadLetter(ticket, permanentFailure('the queue of the handler is full', 'overflow'));
    overflowReports.count((rejected) =>
      this.#deps.log.error(
        { handler: job.handler, waiting: jobQueue.size, rejected },
        'handler queue is full: further events become dead letters',
      ),
    );
  }

  #countRejected({ namespace, verdicts }: Pick<VerdictReport, 'namespace' | 'verdicts'>): void {
    for (const { verdict, handler } of verdicts) {
      if (verdict === 'overflow') this.#deps.handlerQueues.getOrCreate({ namespace, handler }).rejected++;
    }
  }

  #enqueue(ticket: QueuedJob): void {
    const handlerQueue = this.#deps.handlerQueues.getOrCreate(ticket);
    handlerQueue.jobQueue.add(ticket);
    this.#recordRunState(ticket, 'queued');
    this.#markStartable(handlerQueue);
  }

  /**
   * Starts runs of a handler in a later iteration of the event loop. The start of a process blocks for some
   * milliseconds. The response to a result must not wait for that, although its commit enqueued the run.
   */
  #markStartable(handlerQueue: HandlerQueue): void {
    this.#startableQueues.add(handlerQueue);
    this.#scheduleStarts();
  }

  #scheduleStarts(): void {
    if (this.#isLoading || this.#isStopping || this.#startableQueues.size === 0) return;
    this.#scheduledStart ??= setImmediate(() => {
      this.#scheduledStart = undefined;
      this.#startOneRunPerHandler();
    });
  }

  /** Starts at most one run of each handler. Further runs start in later iterations of the event loop. */
  #startOneRunPerHandler(): void {
    const handlerQueues = [...this.#startableQueues];
    this.#startableQueues.clear();
    for (const handlerQueue of handlerQueues) {
      const { jobQueue } = handlerQueue;
      if (jobQueue.runningCount >= this.#deps.handlerQueues.maxConcurrentRuns(handlerQueue)) continue;
      const ticket = jobQueue.startNext();
      if (ticket === undefined) continue;
      const run: Promise<void> = this.#runJob(ticket, jobQueue).finally(() => {
        this.#runs.delete(run);
        this.#markStartable(handlerQueue);
      });
      this.#runs.add(run);
      if (jobQueue.hasReadyRun) this.#markStartable(handlerQueue);
    }
  }

  async #runJob(ticket: QueuedJob, queue: JobQueue): Promise<void> {
    const { definitions, log } = this.#deps;
    let job: HandlerJob | undefined;
    try {
      job = await this.#jobCache.load(ticket.id);
    } catch (error) {
      log.error(
        { handler: ticket.handler, error: errorMessage(error) },
        'could not read the event for a handler, retrying soon',
      );
      this.#scheduleRetry(ticket, queue, READ_RETRY_DELAY_MS);
      return;
    }
    if (job === undefined) {
      queue.finish(ticket);
      return;
    }
    const definition = definitions.inNamespace(ticket.namespace).handler(ticket.handler);
    const isBuiltIn = definition === undefined && BUILT_IN_NAMES.handlers.has(ticket.handler);
    if (!isBuiltIn && (definition === undefined || !isRunningHandler(definition))) {
      queue.finish(ticket);
      this.#addDeadLetter(ticket, permanentFailure('handler is not defined'));
      return;
    }
    ticket.attempts++;
    this.#recordRunState(ticket, 'running');
    const outcome = await this.#deliver(job, definition, ticket.attempts);
    this.#completeRun(ticket, queue, job, outcome, retryPolicyFor(definition));
  }

  async #deliver(job: HandlerJob, definition: RunningHandler | undefined, attempt: number): Promise<DeliveryOutcome> {
    try {
      return await this.#deps.delivery.deliver(job, definition, attempt, this.#abortController.signal);
    } catch (error) {
      this.#deps.log.error(
        { handler: job.handler, error: error instanceof Error ? error.stack : String(error) },
        'handler failed because of an internal error',
      );
      return { kind: 'failed', reason: `internal error: ${errorMessage(error)}`, isRetryable: false };
    }
  }

  #completeRun(
    ticket: QueuedJob,
    queue: JobQueue,
    job: HandlerJob,
    outcome: DeliveryOutcome,
    retry: RetryPolicy | undefined,
  ): void {
    if (outcome.kind === 'delivered') {
      this.#deps.handlerQueues.recordDelivered(ticket);
      queue.finish(ticket);
      this.#recordRunState(ticket, 'delivered', outcome);
      this.#deps.jobWriter.submit({ kind: 'finish', id: ticket.id });
      return;
    }
    // The outcome of an aborted run is not known, so its job stays in the store and runs again after the next start.
    if (this.#abortController.signal.aborted) return;
    const { reason } = outcome;
    const handlerQueue = this.#deps.handlerQueues.getOrCreate(ticket);
    handlerQueue.lastFailure = { atMs: this.#deps.clock.now(), reason };
    handlerQueue.failingSinceMs ??= this.#deps.clock.monotonic();
    if (!outcome.isRetryable || retry === undefined || ticket.attempts >= retry.attempts) {
      queue.finish(ticket);
      this.#addDeadLetter(ticket, outcome);
      return;
    }
    handlerQueue.retried++;
    this.#jobCache.add(job);
    this.#recordRunState(ticket, 'retrying', outcome);
    const backoffLimits = { minMs: retry.delay * 1000, maxMs: retry.max_delay * 1000 };
    const backoffDelayMs = backoffMs(ticket.attempts, this.#deps.random(), backoffLimits);
    this.#scheduleRetry(ticket, queue, Math.max(backoffDelayMs, outcome.retryAfterMs ?? 0));
  }

  #scheduleRetry(ticket: QueuedJob, queue: JobQueue, delayMs: number): void {
    queue.moveToRetrying();
    if (this.#isStopping) return;
    const timer = this.#deps.clock.after(delayMs, () => {
      this.#timers.delete(timer);
      queue.resume(ticket);
      this.#markStartable(this.#deps.handlerQueues.getOrCreate(ticket));
    });
    this.#timers.add(timer);
  }

  #addDeadLetter(ticket: QueuedJob, { reason, category = 'other', member }: DeliveryFailure): void {
    const { attempts } = ticket;
    const atMs = this.#deps.clock.now();
    this.#deps.deadLetters.add(ticket, { attempts, reason });
    const handlerQueue = this.#deps.handlerQueues.getOrCreate(ticket);
    handlerQueue.failed++;
    handlerQueue.failedByCategory[category]++;
    handlerQueue.lastFailure = { atMs, reason };
    handlerQueue.failingSinceMs ??= this.#deps.clock.monotonic();
    this.#recordRunState(ticket, 'failed', { reason, member });
  }

  #recordStoredFailure(ticket: QueuedJob, { attempts, failed_at: at, reason }: JobFailure): void {
    this.#deps.lastDeliveries.record(ticket, { state: 'failed', at, attempts, reason });
  }

  #recordRunState(
    ticket: QueuedJob,
    state: 'queued' | 'running' | 'retrying' | 'delivered' | 'failed',
    { reason, member }: { readonly reason?: string; readonly member?: string | undefined } = {},
  ): void {
    const { clock, lastDeliveries } = this.#deps;
    const { attempts } = ticket;
    lastDeliveries.record(ticket, {
      state,
      at: clock.now(),
      attempts,
      ...(reason !== undefined && { reason }),
      ...(member !== undefined && { member }),
    });
  }

  /**
   * Waits until all current handler runs end, but at most for `timeoutMs` milliseconds.
   *
   * @returns true if all runs ended within this time
   */
  async #waitForRuns(timeoutMs: number): Promise<boolean> {
    if (this.#runs.size === 0) return true;
    const { promise: timedOut, resolve } = Promise.withResolvers<false>();
    const timer = this.#deps.clock.after(timeoutMs, () => resolve(false));
    const allEnded = Promise.all(this.#runs).then((): true => true);
    const haveEnded = await Promise.race([allEnded, timedOut]);
    timer[Symbol.dispose]();
    return haveEnded;
  }
}

function createQueuedJob({
  id,
  namespace,
  client,
  check,
  handler,
  group,
  queued_at: queuedAtMs,
}: HandlerJob): QueuedJob {
  return {
    id,
    namespace,
    client,
    check,
    handler,
    ...(group !== undefined && { group: queuedJobGroup(group) }),
    queuedAtMs,
    attempts: 0,
  };
}

function queuedJobGroup(group: GroupRun): NonNullable<QueuedJob['group']> {
  return { id: group.id, label: formatGroupLabel(Object.entries(group.by)), events: countGroupEvents(group) };
}

function retryPolicyFor(handler: RunningHandler | undefined): RetryPolicy | undefined {
  return (
    handler?.retry ?? (handler?.type === 'webhook' || handler?.type === 'email' ? SERVICE_RETRY_POLICY : undefined)
  );
}

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

/** Sends one event; see `Delivery`. */
export interface Deliver {
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
  /** Returns a random number from 0 to below 1. */
  readonly random: () => number;
}

/** Default retries for webhooks and mail servers, which are restarted often and may ask for a delay. */
const SERVICE_RETRY: RetryPolicy = { attempts: 4, delay: 1, max_delay: 60 };

/** Grace period for runs when the backend stops (reliability 11). */
const GRACE_MS = 10_000;
/** Time for an aborted run to end. */
const ABORT_MS = 1000;
/** Delay before a job that could not be read is read again. */
const READ_AGAIN_MS = 1000;

/**
 * Runs the jobs that commits enqueue. Each handler has a queue of its own, so no handler waits for another and no
 * commit waits for a handler. A job stays in the store until its run has finished, so a restart runs it again.
 */
export class JobRunner implements AsyncDisposable {
  readonly #parts: JobRunnerParts;
  readonly #bodies: JobBodies;
  /** Lanes that may have a run to start. */
  readonly #startable = new Set<Lane>();
  #starting: NodeJS.Immediate | undefined;
  readonly #runs = new Set<Promise<void>>();
  readonly #timers = new Set<Disposable>();
  readonly #abort = new AbortController();
  #listening: Disposable | undefined;
  /**
   * True until all stored jobs are read. No run starts before that, because a job that it commits needs a higher id.
   */
  #isLoading = true;
  #isStopping = false;

  private constructor(parts: JobRunnerParts) {
    this.#parts = parts;
    this.#bodies = new JobBodies(parts.store);
    parts.deadLetters.onRevived((ticket) => this.#take(ticket));
  }

  /**
   * Resumes the jobs left by the previous process, then takes those that are committed from now on.
   *
   * @throws MonError `unavailable` when the store cannot be read
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

  /** Starts no more runs, waits for the grace period, and stores the outcomes. */
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

  /** @returns the highest stored id */
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
    // The remaining failures have no job any more.
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
   * Starts runs in a later turn of the event loop: the commit responds first, and starting a process blocks for some
   * milliseconds.
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

  /** Starts one run of each handler, then yields. */
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
    // The run was aborted, so its outcome is not known: it stays for the next start.
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

  /** @returns true if all runs have ended in time */
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

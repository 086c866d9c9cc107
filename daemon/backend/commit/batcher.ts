import { BusyError, errorMessage, MonError } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import type { Clock, Lease, Store, StoreOp } from '../ports.ts';
import type { Registry } from '../model/registry/registry.ts';
import { UnsettledWriteError } from '../store/unsettled-write.ts';
import { Definitions } from '../model/config/definitions.ts';
import {
  UNLIMITED_MEMORY,
  UNLIMITED_DISK,
  type MemoryLimit,
  type DiskLimit,
} from '../model/transaction/resource-limits.ts';
import { notWritten, perhapsWritten } from './refused-write.ts';
import { Transaction, type Outcome } from '../model/transaction/transaction.ts';
import { CommitBoard } from '../model/transaction/commit-board.ts';
import type { StateCommand, Steps } from './command.ts';
import { TimeSlice } from '../store/time-slice.ts';
import { RecordReader } from './record-reader.ts';
import { Routing } from '../model/notify/route.ts';

export interface BatcherOptions {
  /** Maximum number of results in the queue; beyond it new ones are rejected. */
  readonly queueLimit?: number;
  /** Maximum number of results that are committed together. */
  readonly batchLimit?: number;
  /** Batch delay: the maximum time that the first command of an idle queue waits for others. */
  readonly lingerMs?: number;
  /** Batch delay of a command with bulk priority, whose caller does not wait. Default: `lingerMs` if that is given. */
  readonly bulkLingerMs?: number;
}

/**
 * Early-flush threshold: number of results with which an idle queue is committed at once. A commit costs as much as
 * some fifty results.
 */
const EARLY_FLUSH_WEIGHT = 64;

/** Maximum time that a batch may block the event loop: the time of a usual batch, which is then not divided. */
const BLOCKING_MS_MAX = 15;

/** Delay before the state is read again after that failed too. */
const RELOAD_RETRY_MS = 250;

/**
 * Group commit: commands wait for a few milliseconds at most, are applied in order and committed as one atomic, synced
 * batch. One batch is in progress at a time (architecture, The life of a result).
 *
 * If the store rejects a batch, its commands fail, the registry is read again from the store, and work continues.
 */
export class Batcher {
  readonly commits = new CommitBoard();
  /** Number of results committed here so far. */
  committedResults = 0;
  /** Time when the last write was synced, on the monotonic clock; undefined before the first. */
  lastWriteMs: number | undefined;
  /** Number of batches that the store rejected so far. */
  failedWrites = 0;
  /** True if the store rejected the last batch and has not been reopened since. */
  isFailing = false;
  readonly #queueLimit: number;
  readonly #batchLimit: number;
  readonly #enough: number;
  readonly #lingerMs: number;
  readonly #bulkLingerMs: number;
  readonly #registry: Registry;
  readonly #records: RecordReader;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #routing: Routing;
  readonly #diskLimit: DiskLimit;
  readonly #keepReportsOut: () => void;
  readonly #memory: MemoryLimit;
  readonly #anchorDue: () => StoreOp | undefined;
  readonly #mended: Disposable;
  /** Undefined: another backend is the leader. */
  #lease: Lease | undefined;
  #queue: StateCommand[] = [];
  #queuedWeight = 0;
  /** Number of results of the last batch; infinite before the first. */
  #lastWeight = Infinity;
  #linger: Disposable | undefined;
  #bulkLinger: Disposable | undefined;
  #retry: Disposable | undefined;
  #running: Promise<void> | undefined;
  #isDiverged = false;
  #isClosed = false;
  #partial: PromiseWithResolvers<boolean> | undefined;

  constructor(
    parts: {
      readonly registry: Registry;
      readonly store: Store;
      /** Default: none until `lead`. */
      readonly lease?: Lease | undefined;
      readonly clock: Clock;
      readonly log: Log;
      /** Default: there are no handlers. */
      readonly routing?: Routing;
      /** Default: unlimited. */
      readonly diskLimit?: DiskLimit;
      /** Throws while results are rejected, for example during an upgrade. Default: never. */
      readonly keepReportsOut?: () => void;
      /** Default: unlimited. */
      readonly memory?: MemoryLimit;
      /** Returns the time record from time to time, to be written with a batch. */
      readonly anchorDue?: () => StoreOp | undefined;
    },
    options: BatcherOptions = {},
  ) {
    this.#registry = parts.registry;
    this.#store = parts.store;
    this.#lease = parts.lease;
    this.#clock = parts.clock;
    this.#log = parts.log;
    this.#routing = parts.routing ?? new Routing(new Definitions({ checks: new Map(), handlers: new Map() }));
    this.#records = new RecordReader({ registry: parts.registry, store: parts.store, routing: this.#routing });
    this.#diskLimit = parts.diskLimit ?? UNLIMITED_DISK;
    this.#keepReportsOut = parts.keepReportsOut ?? (() => undefined);
    this.#memory = parts.memory ?? UNLIMITED_MEMORY;
    this.#anchorDue = parts.anchorDue ?? (() => undefined);
    this.#queueLimit = options.queueLimit ?? 20_000;
    this.#batchLimit = options.batchLimit ?? 1024;
    this.#enough = Math.min(EARLY_FLUSH_WEIGHT, this.#batchLimit);
    this.#lingerMs = options.lingerMs ?? 2;
    this.#bulkLingerMs = options.bulkLingerMs ?? options.lingerMs ?? 5;
    this.#mended = this.#store.onMended(() => this.#noteMended());
  }

  /** Number of results that wait or are being committed. */
  get queued(): number {
    return this.#queuedWeight;
  }

  /** True if the registry equals the store: no batch is in progress. */
  get isIdle(): boolean {
    return this.#running === undefined && !this.#isDiverged;
  }

  /**
   * The batch with a command that is applied over several iterations of the event loop, until it is committed or rolled
   * back. The registry may hold a part of the command, so readers wait. Undefined: there is none.
   *
   * @returns true if it was committed; false if it failed, and the registry was read again
   */
  get partial(): Promise<boolean> | undefined {
    return this.#partial?.promise;
  }

  /** True if this backend is the leader. */
  get isLeading(): boolean {
    return this.#lease !== undefined;
  }

  /** True if commands are accepted: until the backend stops. */
  get isOpen(): boolean {
    return !this.#isClosed;
  }

  /**
   * Rejects results while they cannot be accepted. Call it before results are validated: waiting senders retry after
   * each commit.
   *
   * @throws MonError `unavailable` while results are rejected, or there is no disk space for them
   */
  refuseReports(): void {
    this.#diskLimit.refuseGrowth();
    this.#keepReportsOut();
  }

  /**
   * @throws MonError `unavailable` if the queue is full, the backend stops, results are rejected, or the store accepts
   *   no writes
   */
  enqueue(command: StateCommand): void {
    if (this.#isClosed) throw new BusyError('the backend is stopping: try again in a few seconds');
    if (this.#lease === undefined) throw new BusyError('another member is the leader: retry in a second');
    // Rejected at once, instead of waiting behind a batch whose outcome is not known yet.
    const { refusal } = this.#store;
    if (refusal !== undefined) throw notWritten(refusal);
    if (command.isReported === true) this.refuseReports();
    if (this.#queuedWeight > 0 && this.#queuedWeight + command.weight > this.#queueLimit) {
      throw new BusyError('the result queue is full: try again in a second');
    }
    this.#queue.push(command);
    this.#queuedWeight += command.weight;
    if (this.#running !== undefined) return;
    // Checked here and not only by the timer, because timers starve under a flood of messages.
    if (this.#queuedWeight >= this.#enoughFor(command)) this.#start();
    else this.#scheduleFlush(command.isBulk === true);
  }

  /**
   * Returns the number of results with which the queue is committed at once. Senders that wait for a response send
   * again after it. If the queue waited for as many results as last time, all senders would be idle during each sync. A
   * single sender would wait in vain. With half of them, the other half arrives while the first is synced.
   */
  #enoughFor({ isBulk }: StateCommand): number {
    return isBulk === true ? this.#enough : Math.min(this.#enough, this.#lastWeight / 2);
  }

  /** Starts the batch delay, so that commands that arrive close together share a commit. */
  #scheduleFlush(isBulk: boolean): void {
    if (!isBulk) this.#linger ??= this.#clock.after(this.#lingerMs, () => this.#start());
    else if (this.#linger === undefined) {
      this.#bulkLinger ??= this.#clock.after(this.#bulkLingerMs, () => this.#start());
    }
  }

  /**
   * Applies one change and waits for its commit.
   *
   * @returns the result of `apply`
   */
  run<T>(
    apply: (transaction: Transaction) => T,
    options: Partial<Pick<StateCommand, 'weight' | 'needs' | 'isReported' | 'endsBatch'>> = {},
  ): Promise<T> {
    return this.#enqueued((transaction, done) => done(apply(transaction)), options);
  }

  /**
   * Works like `run`, for a change whose size the caller determines.
   *
   * @returns the result of the last step
   */
  runSteps<T>(
    apply: (transaction: Transaction) => Steps<T>,
    options: Partial<Pick<StateCommand, 'weight' | 'needs' | 'isReported' | 'endsBatch'>> = {},
  ): Promise<T> {
    function* steps(transaction: Transaction, done: (value: T) => void): Steps {
      done(yield* apply(transaction));
    }
    return this.#enqueued(steps, options);
  }

  #enqueued<T>(
    apply: (transaction: Transaction, done: (value: T) => void) => Steps | void,
    { weight = 1, ...options }: Partial<Pick<StateCommand, 'weight' | 'needs' | 'isReported' | 'endsBatch'>>,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      let outcome: { readonly value: T } | undefined;
      this.enqueue({
        weight,
        ...options,
        apply: (transaction) =>
          apply(transaction, (value) => {
            outcome = { value };
          }),
        settle: (error) => {
          if (outcome === undefined || error !== undefined)
            reject(error ?? new Error('internal error: the change was not applied'));
          else resolve(outcome.value);
        },
      });
    });
  }

  /**
   * Runs work on the store while nothing is committed, and reads the state again.
   *
   * @throws MonError `unavailable`
   */
  runExclusively(work: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (error: MonError | undefined): void => (error === undefined ? resolve() : reject(error));
      this.enqueue({ weight: 1, exclusiveWork: work, apply: () => undefined, settle });
    });
  }

  /**
   * Makes this backend the leader. Its memory must equal the store.
   *
   * @param seq the last write that was announced
   */
  lead(lease: Lease, seq: number): void {
    this.#lease = lease;
    this.#announceDirectWrites(seq);
  }

  /** Commits the queue, and accepts nothing more from that moment on. */
  async resign(): Promise<void> {
    while (this.#running !== undefined || this.#queue.length > 0) {
      this.#start();
      await this.#running;
    }
    this.#lease = undefined;
  }

  /** Commits the queue, and rejects later commands. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#retry?.[Symbol.dispose]();
    this.#mended[Symbol.dispose]();
    if (this.#running === undefined && this.#queue.length > 0) this.#start();
    await this.#running;
  }

  #start(): void {
    this.#linger?.[Symbol.dispose]();
    this.#linger = undefined;
    this.#bulkLinger?.[Symbol.dispose]();
    this.#bulkLinger = undefined;
    if (this.#running !== undefined || this.#queue.length === 0) return;
    this.#retry?.[Symbol.dispose]();
    this.#running = this.#work();
  }

  async #work(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#take();
      const [first] = batch;
      if (first?.exclusiveWork === undefined) await this.#commit(batch);
      else await this.#executeExclusiveWork(first, first.exclusiveWork);
      if (this.#queue.length === 0) break;
      // Listeners see the state of this commit before the next batch changes it.
      this.#announceIdle();
    }
    this.#running = undefined;
    this.#announceIdle();
    if (this.#isDiverged && !this.#isClosed) this.#retry = this.#clock.after(RELOAD_RETRY_MS, () => this.#recover());
  }

  /** Reads the state again, so that readers need not wait for the next write. */
  #recover(): void {
    if (this.#running === undefined) this.#running = this.#readAgain().then(() => this.#work());
  }

  #take(): StateCommand[] {
    let weight = 0;
    let count = 0;
    while (count < this.#queue.length && (count === 0 || (weight < this.#batchLimit && !this.#isExclusive(count)))) {
      const command = this.#queue[count];
      weight += command?.weight ?? 0;
      count++;
      if (command?.exclusiveWork !== undefined || command?.endsBatch === true) break;
    }
    if (count === this.#queue.length) {
      const all = this.#queue;
      this.#queue = [];
      return all;
    }
    return this.#queue.splice(0, count);
  }

  #isExclusive(at: number): boolean {
    return this.#queue[at]?.exclusiveWork !== undefined;
  }

  async #executeExclusiveWork(command: StateCommand, work: () => Promise<void>): Promise<void> {
    let failure: MonError | undefined;
    const before = this.#store.lastSeq(this.#assertLeading().name);
    try {
      await work();
    } catch (cause) {
      failure = notWritten(cause);
    }
    // Also after a failure: the content of the store is authoritative.
    this.#isDiverged = true;
    await this.#readAgain();
    this.#announceDirectWrites(before);
    this.#settleAll([command], () => failure);
  }

  /**
   * Announces the writes that were made directly to the store, because the feed needs sequence numbers without a gap.
   */
  #announceDirectWrites(before: number): void {
    const last = this.#store.lastSeq(this.#assertLeading().name);
    for (let seq = before + 1; seq <= last; seq++) this.commits.announce({ ...EMPTY_COMMIT, seq });
  }

  async #commit(batch: readonly StateCommand[]): Promise<void> {
    // Rejected changes must not become visible, so nothing is applied when the rejection is already known.
    const { refusal } = this.#store;
    if (refusal !== undefined) {
      this.#settleAll(batch, () => notWritten(refusal));
      return;
    }
    const refused = new Map<StateCommand, MonError>();
    let failure: MonError | undefined;
    const startMs = this.#clock.monotonic();
    try {
      const transaction = await this.#apply(batch, refused);
      const outcome = await this.#finish(transaction);
      if (outcome.ops.length > 0 || outcome.changes.length > 0) {
        await this.#write(outcome, transaction.resultCount, startMs);
      }
      this.#isDiverged = false;
      this.committedResults += transaction.resultCount;
    } catch (error) {
      this.isFailing = true;
      this.failedWrites++;
      this.#log.error({ error: errorMessage(error), commands: batch.length }, 'store write failed');
      await this.#readAgain();
      failure = error instanceof UnsettledWriteError || this.#isDiverged ? perhapsWritten(error) : notWritten(error);
    }
    this.#partial?.resolve(failure === undefined);
    this.#partial = undefined;
    // Commands that were rejected because of rolled-back changes may succeed when retried.
    this.#settleAll(batch, (command) => failure ?? refused.get(command));
  }

  #noteMended(): void {
    this.isFailing = false;
    this.#log.info({}, 'the store accepts writes again');
  }

  #settleAll(batch: readonly StateCommand[], errorOf: (command: StateCommand) => MonError | undefined): void {
    this.#lastWeight = 0;
    for (const command of batch) {
      this.#queuedWeight -= command.weight;
      this.#lastWeight += command.weight;
      this.#settle(command, errorOf(command));
    }
  }

  /** @param startMs start of the batch */
  async #write({ ops, changes, ...others }: Outcome, results: number, startMs: number): Promise<void> {
    const writeStartMs = this.#clock.monotonic();
    const anchor = this.#anchorDue();
    const seq = await this.#store.write(this.#assertLeading(), anchor === undefined ? ops : [...ops, anchor], changes);
    const nowMs = this.#clock.monotonic();
    this.isFailing = false;
    this.lastWriteMs = nowMs;
    const times = { durationMs: nowMs - startMs, writeMs: nowMs - writeStartMs };
    this.commits.announce({ seq, changes, ...others, results, times });
  }

  #assertLeading(): Lease {
    if (this.#lease === undefined) throw new Error('cannot write to the store: this backend is not the leader');
    return this.#lease;
  }

  /** Applies a batch to the registry. Rejected commands are left out and recorded. */
  async #apply(batch: readonly StateCommand[], refused: Map<StateCommand, MonError>): Promise<Transaction> {
    for (;;) {
      if (this.#isDiverged) await this.#reload();
      const fetched = await this.#records.fetch(batch, refused, (command, error) =>
        this.#refuseDefect(command, error, refused),
      );
      const { generation } = this.#routing.definitions;
      const transaction = new Transaction(this.#registry, this.#clock.now(), fetched, {
        routing: this.#routing,
        diskLimit: this.#diskLimit,
        memory: this.#memory,
      });
      this.#isDiverged = true;
      const isStale = (): boolean => generation !== this.#routing.definitions.generation;
      // A defect may have left a partial change: begin again from the store, without the defective command.
      if (await this.#applyAll(batch, transaction, refused, isStale)) return transaction;
    }
  }

  /**
   * @param isStale returns true if the handlers changed since the bodies were fetched
   * @returns false if the registry can no longer be trusted
   */
  async #applyAll(
    batch: readonly StateCommand[],
    transaction: Transaction,
    refused: Map<StateCommand, MonError>,
    isStale: () => boolean,
  ): Promise<boolean> {
    const timeSlice = startTimeSlice();
    for (const command of batch) {
      if (refused.has(command)) continue;
      const isComplete = this.#applyOne(command, transaction, refused, (steps) =>
        this.#step(steps, timeSlice, isStale),
      );
      if (!(typeof isComplete === 'boolean' ? isComplete : await isComplete)) return false;
      if (!timeSlice.isDue) continue;
      await timeSlice.shareFirst();
      if (isStale()) return false;
    }
    return true;
  }

  /** @throws StaleBatch */
  async #step(steps: Steps, timeSlice: TimeSlice, isStale: () => boolean): Promise<void> {
    while (steps.next().done !== true) {
      if (!timeSlice.isDue) continue;
      this.#partial ??= Promise.withResolvers<boolean>();
      await timeSlice.shareFirst();
      if (isStale()) throw new StaleBatch();
    }
  }

  async #finish(transaction: Transaction): Promise<Outcome> {
    const steps = transaction.finishing();
    const timeSlice = startTimeSlice();
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      if (timeSlice.isDue) await timeSlice.shareFirst();
    }
  }

  /** @returns false if the registry can no longer be trusted */
  #applyOne(
    command: StateCommand,
    transaction: Transaction,
    refused: Map<StateCommand, MonError>,
    run: (steps: Steps) => Promise<void>,
  ): boolean | Promise<boolean> {
    const failed = (error: unknown): boolean => this.#noteFailure(command, error, refused);
    try {
      const steps = command.apply(transaction);
      return steps === undefined ? true : run(steps).then(() => true, failed);
    } catch (error) {
      return failed(error);
    }
  }

  /** @returns false if the registry can no longer be trusted */
  #noteFailure(command: StateCommand, error: unknown, refused: Map<StateCommand, MonError>): boolean {
    if (error instanceof MonError) {
      refused.set(command, error);
      return true;
    }
    if (!(error instanceof StaleBatch)) this.#refuseDefect(command, error, refused);
    return false;
  }

  #refuseDefect(command: StateCommand, error: unknown, refused: Map<StateCommand, MonError>): void {
    this.#log.error({ error: error instanceof Error ? error.stack : String(error) }, 'change failed');
    refused.set(command, new MonError('internal', 'internal error', { cause: error }));
  }

  async #readAgain(): Promise<void> {
    await this.#reload().catch((cause: unknown) => {
      this.#log.error({ error: errorMessage(cause) }, 'could not reload the state from the store, retrying soon');
    });
  }

  async #reload(): Promise<void> {
    await this.#registry.load(this.#store);
    this.#isDiverged = false;
  }

  #settle(command: StateCommand, error: MonError | undefined): void {
    try {
      command.settle(error);
    } catch (thrown) {
      this.#log.error({ error: errorMessage(thrown) }, 'could not send the response to a request');
    }
  }

  #announceIdle(): void {
    if (this.#isDiverged) return;
    this.commits.announceIdle();
  }
}

/** Thrown if a batch must begin again, with bodies for other handlers. */
class StaleBatch extends Error {}

function startTimeSlice(): TimeSlice {
  return new TimeSlice(undefined, BLOCKING_MS_MAX);
}

/** The outcome of work on the store itself. */
const EMPTY_COMMIT = { changes: [], results: 0, jobs: [], handlingNotes: [], times: undefined };

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
import { rejectedWriteError, unknownWriteError } from './refused-write.ts';
import { Transaction, type Outcome } from '../model/transaction/transaction.ts';
import { CommitBoard } from '../model/transaction/commit-board.ts';
import type { StateCommand, StepGenerator } from './command.ts';
import { TimeSlice } from '../store/time-slice.ts';
import { RecordReader } from './record-reader.ts';
import { Routing } from '../model/notify/routing.ts';

export interface BatcherOptions {
  /**
   * Maximum number of results that are queued or being committed. A command that would exceed it is rejected, unless it
   * is the only one.
   */
  readonly queueLimit?: number;
  /** Number of results at which a batch is full, so that further commands wait for the next batch. */
  readonly batchLimit?: number;
  /**
   * Batch delay: maximum time in milliseconds that an interactive command waits for others before a commit starts.
   * Default: 2.
   */
  readonly lingerMs?: number;
  /**
   * Batch delay in milliseconds of a command with bulk priority, whose caller does not wait. Default: `lingerMs` if
   * that is set, otherwise 5.
   */
  readonly bulkLingerMs?: number;
}

/**
 * Early-flush threshold: a queue with this number of results is committed at once, without waiting for the batch delay.
 * The fixed cost of a commit is that of about fifty results.
 */
const EARLY_FLUSH_WEIGHT = 64;

/**
 * Maximum time in milliseconds that the work on a batch may block the event loop. A batch of usual size takes less, so
 * it is not divided into chunks.
 */
const BLOCKING_MS_MAX = 15;

/** Delay in milliseconds before the registry is reloaded from the store again, after a reload failed. */
const RELOAD_RETRY_MS = 250;

/**
 * Group commit: collects commands for a few milliseconds, applies them in order, and writes them as one atomic, synced
 * batch. Only one batch is in progress at a time (architecture, The life of a result).
 *
 * If the store rejects a batch, all its commands fail, the registry is reloaded from the store, and work continues with
 * the queue.
 */
export class Batcher {
  readonly commits = new CommitBoard();
  /** Number of results that this backend has committed since it started. */
  committedResults = 0;
  /**
   * Time of the last synced write of a batch, in milliseconds on the monotonic clock; undefined before the first write.
   */
  lastWriteMs: number | undefined;
  /** Number of batches so far that failed because of an error of the store. */
  failedWrites = 0;
  /** True after a batch failed, until a batch is written or the store reports that it accepts writes again. */
  isFailing = false;
  readonly #queueLimit: number;
  readonly #batchLimit: number;
  readonly #earlyFlushWeight: number;
  readonly #lingerMs: number;
  readonly #bulkLingerMs: number;
  readonly #registry: Registry;
  readonly #records: RecordReader;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #routing: Routing;
  readonly #diskLimit: DiskLimit;
  readonly #throwIfReportsRejected: () => void;
  readonly #memory: MemoryLimit;
  readonly #dueTimeRecord: () => StoreOp | undefined;
  readonly #recoverySubscription: Disposable;
  /** The right to write to the store; undefined while another backend is the leader. */
  #lease: Lease | undefined;
  #queue: StateCommand[] = [];
  #queuedWeight = 0;
  /** Number of results of the last batch; infinite before the first batch. */
  #lastWeight = Infinity;
  #linger: Disposable | undefined;
  #bulkLinger: Disposable | undefined;
  #retry: Disposable | undefined;
  #running: Promise<void> | undefined;
  #isDiverged = false;
  #isClosed = false;
  #partialBatch: PromiseWithResolvers<boolean> | undefined;

  constructor(
    parts: {
      readonly registry: Registry;
      readonly store: Store;
      /** The right to write to the store. Default: none, until `lead` is called. */
      readonly lease?: Lease | undefined;
      readonly clock: Clock;
      readonly log: Log;
      /** Routes events to handlers. Default: routes without any handler. */
      readonly routing?: Routing;
      /** Rejects growth when disk space is low. Default: unlimited disk. */
      readonly diskLimit?: DiskLimit;
      /** Throws while results are rejected, for example during an upgrade. Default: never throws. */
      readonly keepReportsOut?: () => void;
      /** Rejects new objects when memory is full. Default: unlimited memory. */
      readonly memory?: MemoryLimit;
      /**
       * Returns the store operation that writes the time record, to be added to a batch; undefined if it is not due.
       * Default: never due.
       */
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
    this.#throwIfReportsRejected = parts.keepReportsOut ?? (() => undefined);
    this.#memory = parts.memory ?? UNLIMITED_MEMORY;
    this.#dueTimeRecord = parts.anchorDue ?? (() => undefined);
    this.#queueLimit = options.queueLimit ?? 20_000;
    this.#batchLimit = options.batchLimit ?? 1024;
    this.#earlyFlushWeight = Math.min(EARLY_FLUSH_WEIGHT, this.#batchLimit);
    this.#lingerMs = options.lingerMs ?? 2;
    this.#bulkLingerMs = options.bulkLingerMs ?? options.lingerMs ?? 5;
    this.#recoverySubscription = this.#store.onMended(() => this.#recordRecovery());
  }

  /** Number of results that are queued or being committed. */
  get queued(): number {
    return this.#queuedWeight;
  }

  /** True if no batch is in progress and the registry in memory equals the store. */
  get isIdle(): boolean {
    return this.#running === undefined && !this.#isDiverged;
  }

  /**
   * The outcome of a batch in progress whose command is applied over several iterations of the event loop; undefined if
   * there is no such batch. The registry can contain an incomplete change until then, so readers await the outcome.
   *
   * @returns a promise of true if the batch was committed, or of false if it failed and its changes were discarded
   */
  get partialBatchOutcome(): Promise<boolean> | undefined {
    return this.#partialBatch?.promise;
  }

  /** True if this backend is the leader. */
  get isLeading(): boolean {
    return this.#lease !== undefined;
  }

  /** True until `close` is called; after that, all commands are rejected. */
  get isOpen(): boolean {
    return !this.#isClosed;
  }

  /**
   * Throws while results cannot be accepted. Call it before results are validated: results of agents that wait are
   * submitted again after each commit, and validating them each time would be a waste.
   *
   * @throws MonError `unavailable` while results are rejected, or there is no disk space for them
   */
  refuseReports(): void {
    this.#diskLimit.refuseGrowth();
    this.#throwIfReportsRejected();
  }

  /**
   * Queues a command for one of the next batches.
   *
   * @throws MonError `unavailable` if the queue is full, the backend stops or is not the leader, results are rejected,
   *   or the store accepts no writes
   */
  enqueue(command: StateCommand): void {
    if (this.#isClosed) throw new BusyError('the backend is stopping: try again in a few seconds');
    if (this.#lease === undefined) throw new BusyError('another member is the leader: retry in a second');
    // Reject the command now if the store accepts no writes, instead of queueing it behind a batch whose outcome is
    // unknown.
    const { refusal } = this.#store;
    if (refusal !== undefined) throw rejectedWriteError(refusal);
    if (command.isReported === true) this.refuseReports();
    if (this.#queuedWeight > 0 && this.#queuedWeight + command.weight > this.#queueLimit) {
      throw new BusyError('the result queue is full: try again in a second');
    }
    this.#queue.push(command);
    this.#queuedWeight += command.weight;
    if (this.#running !== undefined) return;
    // The threshold is checked here and not only when the batch delay ends, because timers are late in a flood of
    // messages.
    if (this.#queuedWeight >= this.#enoughFor(command)) this.#start();
    else this.#scheduleFlush(command.isBulk === true);
  }

  /**
   * Returns the early-flush threshold for a queue to which this command was added. An interactive sender sends its next
   * result after the response to the last one. So the threshold is at most half of the last batch: while one half is
   * synced, the other half arrives. If it were the whole batch, all senders would be idle during each sync.
   */
  #enoughFor({ isBulk }: StateCommand): number {
    return isBulk === true ? this.#earlyFlushWeight : Math.min(this.#earlyFlushWeight, this.#lastWeight / 2);
  }

  /** Starts the timer of the batch delay, so that commands that arrive close together share a commit. */
  #scheduleFlush(isBulk: boolean): void {
    if (!isBulk) this.#linger ??= this.#clock.after(this.#lingerMs, () => this.#start());
    else if (this.#linger === undefined) {
      this.#bulkLinger ??= this.#clock.after(this.#bulkLingerMs, () => this.#start());
    }
  }

  /**
   * Applies one change in a batch, and resolves when the batch is committed.
   *
   * @returns the return value of `apply`
   */
  run<T>(
    apply: (transaction: Transaction) => T,
    options: Partial<Pick<StateCommand, 'weight' | 'needs' | 'isReported' | 'endsBatch'>> = {},
  ): Promise<T> {
    return this.#enqueued((transaction, done) => done(apply(transaction)), options);
  }

  /**
   * Works like `run`, for a change whose size the caller determines: a large change yields to the event loop between
   * steps.
   *
   * @returns the return value of the generator
   */
  runSteps<T>(
    apply: (transaction: Transaction) => StepGenerator<T>,
    options: Partial<Pick<StateCommand, 'weight' | 'needs' | 'isReported' | 'endsBatch'>> = {},
  ): Promise<T> {
    function* steps(transaction: Transaction, done: (value: T) => void): StepGenerator {
      done(yield* apply(transaction));
    }
    return this.#enqueued(steps, options);
  }

  #enqueued<T>(
    apply: (transaction: Transaction, done: (value: T) => void) => StepGenerator | void,
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
   * Runs `work` on the store between two batches, and then reloads the registry from the store.
   *
   * @throws MonError `unavailable` if `work` fails or the queue rejects it
   */
  runExclusively(work: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (error: MonError | undefined): void => (error === undefined ? resolve() : reject(error));
      this.enqueue({ weight: 1, exclusiveWork: work, apply: () => undefined, settle });
    });
  }

  /**
   * Makes this backend the leader. The registry in memory must equal the store.
   *
   * @param seq sequence number of the last write that was announced; later writes in the store are announced now
   */
  lead(lease: Lease, seq: number): void {
    this.#lease = lease;
    this.#announceDirectWrites(seq);
  }

  /** Commits all queued commands and stops being the leader; later commands are rejected. */
  async resign(): Promise<void> {
    while (this.#running !== undefined || this.#queue.length > 0) {
      this.#start();
      await this.#running;
    }
    this.#lease = undefined;
  }

  /** Rejects new commands from now on, and commits those that are queued. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#retry?.[Symbol.dispose]();
    this.#recoverySubscription[Symbol.dispose]();
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
    this.#running = this.#processQueue();
  }

  async #processQueue(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#takeBatch();
      const [first] = batch;
      if (first?.exclusiveWork === undefined) await this.#commit(batch);
      else await this.#executeExclusiveWork(first, first.exclusiveWork);
      if (this.#queue.length === 0) break;
      // Idle listeners read the state of this commit before the next batch changes it.
      this.#announceIdle();
    }
    this.#running = undefined;
    this.#announceIdle();
    if (this.#isDiverged && !this.#isClosed) this.#retry = this.#clock.after(RELOAD_RETRY_MS, () => this.#recover());
  }

  /** Reloads the registry from the store now, so that readers do not have to wait for the next write. */
  #recover(): void {
    if (this.#running === undefined) this.#running = this.#reloadOrLog().then(() => this.#processQueue());
  }

  #takeBatch(): StateCommand[] {
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
      failure = rejectedWriteError(cause);
    }
    // Reload the registry even if the work failed: it may have changed the store, whose content is authoritative.
    this.#isDiverged = true;
    await this.#reloadOrLog();
    this.#announceDirectWrites(before);
    this.#settleAll([command], () => failure);
  }

  /**
   * Announces the writes after sequence number `before` that were made directly to the store and not by a batch. The
   * feed needs every sequence number, without gaps.
   */
  #announceDirectWrites(before: number): void {
    const last = this.#store.lastSeq(this.#assertLeading().name);
    for (let seq = before + 1; seq <= last; seq++) this.commits.announce({ ...EMPTY_COMMIT, seq });
  }

  async #commit(batch: readonly StateCommand[]): Promise<void> {
    // If the store already rejects writes, apply no command, because changes that are not stored must never become
    // visible.
    const { refusal } = this.#store;
    if (refusal !== undefined) {
      this.#settleAll(batch, () => rejectedWriteError(refusal));
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
      await this.#reloadOrLog();
      failure =
        error instanceof UnsettledWriteError || this.#isDiverged ? unknownWriteError(error) : rejectedWriteError(error);
    }
    this.#partialBatch?.resolve(failure === undefined);
    this.#partialBatch = undefined;
    // If the write failed, every command fails with that error. A command that was rejected because of a change that is
    // now rolled back may succeed when it is retried.
    this.#settleAll(batch, (command) => failure ?? refused.get(command));
  }

  #recordRecovery(): void {
    this.isFailing = false;
    this.#log.info({}, 'the store accepts writes again');
  }

  #settleAll(batch: readonly StateCommand[], errorOf: (command: StateCommand) => MonError | undefined): void {
    this.#lastWeight = 0;
    for (const command of batch) {
      this.#queuedWeight -= command.weight;
      this.#lastWeight += command.weight;
      this.#settleCommand(command, errorOf(command));
    }
  }

  /**
   * Writes the outcome of a batch to the store and announces the commit.
   *
   * @param startMs start of the batch, in milliseconds on the monotonic clock
   */
  async #write({ ops, changes, ...others }: Outcome, results: number, startMs: number): Promise<void> {
    const writeStartMs = this.#clock.monotonic();
    const anchor = this.#dueTimeRecord();
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

  /** Applies the commands of a batch to the registry, and adds those that are rejected to `refused`. */
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
      // If the result is false, apply the batch again to a reloaded registry: a defective command, which is now in
      // `refused`, may have left a partial change, or the definitions changed meanwhile.
      if (await this.#applyAll(batch, transaction, refused, isStale)) return transaction;
    }
  }

  /**
   * Applies the commands of a batch, and yields to the event loop between chunks.
   *
   * @param isStale returns true if definitions changed since the record bodies for the batch were read
   * @returns false if the batch must be applied again to a reloaded registry
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
        this.#executeSteps(steps, timeSlice, isStale),
      );
      if (!(typeof isComplete === 'boolean' ? isComplete : await isComplete)) return false;
      if (!timeSlice.isDue) continue;
      await timeSlice.shareFirst();
      if (isStale()) return false;
    }
    return true;
  }

  /**
   * Runs the steps of one command, and yields to the event loop between chunks.
   *
   * @throws StaleBatch if `isStale` returns true after a pause
   */
  async #executeSteps(steps: StepGenerator, timeSlice: TimeSlice, isStale: () => boolean): Promise<void> {
    while (steps.next().done !== true) {
      if (!timeSlice.isDue) continue;
      this.#partialBatch ??= Promise.withResolvers<boolean>();
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

  /**
   * Applies one command.
   *
   * @returns false if the batch must be applied again to a reloaded registry
   */
  #applyOne(
    command: StateCommand,
    transaction: Transaction,
    refused: Map<StateCommand, MonError>,
    run: (steps: StepGenerator) => Promise<void>,
  ): boolean | Promise<boolean> {
    const failed = (error: unknown): boolean => this.#recordFailure(command, error, refused);
    try {
      const steps = command.apply(transaction);
      return steps === undefined ? true : run(steps).then(() => true, failed);
    } catch (error) {
      return failed(error);
    }
  }

  /**
   * Records why a command failed.
   *
   * @returns true if the command was rejected before it changed anything; false if the batch must be applied again to a
   *   reloaded registry
   */
  #recordFailure(command: StateCommand, error: unknown, refused: Map<StateCommand, MonError>): boolean {
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

  async #reloadOrLog(): Promise<void> {
    await this.#reload().catch((cause: unknown) => {
      this.#log.error({ error: errorMessage(cause) }, 'could not reload the state from the store, retrying soon');
    });
  }

  async #reload(): Promise<void> {
    await this.#registry.load(this.#store);
    this.#isDiverged = false;
  }

  #settleCommand(command: StateCommand, error: MonError | undefined): void {
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

/**
 * Thrown if definitions changed while a batch was applied. The batch must then be applied again, because it may need
 * other record bodies.
 */
class StaleBatch extends Error {}

function startTimeSlice(): TimeSlice {
  return new TimeSlice(undefined, BLOCKING_MS_MAX);
}

/** The commit that is announced for a write made directly to the store: it contains no changes. */
const EMPTY_COMMIT = { changes: [], results: 0, jobs: [], handlingNotes: [], times: undefined };

import { errorMessage, MonError } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import type { Commit, CommitBoard } from '../model/transaction/commit-board.ts';
import { CHECK_RECORDS } from '../model/events/storage.ts';
import type { Clock, Key } from '../ports.ts';
import type { Registry } from '../model/registry/registry.ts';
import { MAIN_SHARD } from '../store/main-shard.ts';
import type { SharedStore, WrittenRecord } from '../store/shared-store.ts';
import { SerialQueue } from '../store/serial-queue.ts';

/** Maximum number of writes that a follower reads and applies at once. */
const RECORDS_MAX = 100;
/** Interval at which a follower queries the database for new writes, even if the database announces none. */
const POLL_INTERVAL_MS = 500;
/** Maximum time that a caller waits until a write of the leader is in the memory of this follower. */
const CAUGHT_UP_MS = 5000;

interface FollowerDependencies {
  readonly store: SharedStore;
  readonly registry: Registry;
  readonly commits: CommitBoard;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Callback after the whole state was reloaded from the store. `seq` is the sequence number of the last write that the
   * state contains; the writes up to it are not announced individually.
   */
  readonly onReload: (seq: number) => void;
}

interface WaitingRead {
  readonly seq: number;
  readonly resolve: () => void;
}

/**
 * Replicates the writes of the leader into the memory of a follower. It reloads the keys that each write changed, and
 * announces the writes in order, as the leader does.
 */
export class Follower implements AsyncDisposable {
  readonly #dependencies: FollowerDependencies;
  readonly #waiting = new Set<WaitingRead>();
  readonly #listening: Disposable;
  readonly #pollTimer: Disposable;
  #seq: number;
  /** Id of the last write in memory; undefined until a query of the database returns it. */
  #id: string | undefined;
  readonly #queue = new SerialQueue();
  /** True if a task that applies all new writes is queued and has not begun. */
  #isCatchUpScheduled = false;
  #isEnded = false;
  /** The reason why replication currently fails; undefined if it works. */
  #problem: string | undefined;

  /** @param seq the sequence number of the last write in memory */
  constructor(seq: number, dependencies: FollowerDependencies) {
    this.#seq = seq;
    this.#dependencies = dependencies;
    this.#listening = dependencies.store.onWritten(() => this.#scheduleCatchUp());
    this.#pollTimer = dependencies.clock.every(POLL_INTERVAL_MS, () => this.#scheduleCatchUp());
    this.#scheduleCatchUp();
  }

  /** Sequence number of the last write in memory. */
  get seq(): number {
    return this.#seq;
  }

  /**
   * Resolves when the write with the sequence number `seq` is in memory. Resolves at once if this follower was stopped
   * because this backend is the leader now: a leader becomes a follower again only by a restart.
   *
   * @throws MonError `unavailable` if the write is not in memory after 5 seconds
   */
  async caughtUp(seq: number): Promise<void> {
    if (seq <= this.#seq || this.#isEnded) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { seq, resolve };
    this.#waiting.add(waiting);
    const impatience = this.#dependencies.clock.after(CAUGHT_UP_MS, () =>
      reject(
        new MonError(
          'unavailable',
          'the change was made, but this follower lags behind the leader: read again in a few seconds',
        ),
      ),
    );
    this.#scheduleCatchUp();
    try {
      await promise;
    } finally {
      impatience[Symbol.dispose]();
      this.#waiting.delete(waiting);
    }
  }

  /**
   * Applies all writes that the database contains now, without waiting for the next periodic query.
   *
   * @throws MonError `unavailable` if the database cannot be read
   */
  async catchUp(): Promise<void> {
    await this.#queue.run(() => this.#applyNewWrites());
  }

  /** Reloads the whole state from the database. Called if the database has lost writes that are in memory. */
  async reload(): Promise<void> {
    await this.#queue.run(() => this.#reloadFromSnapshot());
  }

  /** Stops replication after the queued tasks have ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnded = true;
    this.#listening[Symbol.dispose]();
    this.#pollTimer[Symbol.dispose]();
    await this.#queue.allDone;
  }

  #scheduleCatchUp(): void {
    if (this.#isCatchUpScheduled || this.#isEnded) return;
    this.#isCatchUpScheduled = true;
    void this.#queue.run(async () => {
      this.#isCatchUpScheduled = false;
      try {
        await this.#applyNewWrites();
        if (this.#problem !== undefined) this.#dependencies.log.info({ seq: this.#seq }, 'replication resumed');
        this.#problem = undefined;
      } catch (error) {
        this.#problem ??= this.#logFailure(error);
      }
    });
  }

  #logFailure(error: unknown): string {
    const reason = errorMessage(error);
    this.#dependencies.log.warn({ reason, seq: this.#seq }, 'replication failed');
    return reason;
  }

  async #applyNewWrites(): Promise<void> {
    const { store, log } = this.#dependencies;
    for (;;) {
      const { after, records } = await store.writtenAfter(MAIN_SHARD, this.#seq, RECORDS_MAX);
      if (this.#id !== undefined && after !== undefined && after !== this.#id) {
        // The database lost the last write that is in memory, and another write has its sequence number now.
        log.error(
          { seq: this.#seq },
          'the database lost a commit that it had acknowledged and has a different one in its place',
        );
        await this.#reloadFromSnapshot();
        continue;
      }
      this.#id ??= after;
      const [first] = records;
      if (first === undefined) return;
      const isNext = first.seq === this.#seq + 1;
      if (!isNext)
        log.warn({ seq: this.#seq }, 'this follower lags too far behind the leader: reloading the whole state');
      if (isNext && (await this.#applyRecords(records))) this.#announce(records);
      else await this.#reloadFromSnapshot();
      if (records.length < RECORDS_MAX) return;
    }
  }

  /**
   * Applies records to memory.
   *
   * @returns true if all were applied; false if applying them failed, so that memory can contain only a part of them
   * @throws MonError `unavailable` if the database cannot be read
   */
  async #applyRecords(records: readonly WrittenRecord[]): Promise<boolean> {
    const { store, registry, log } = this.#dependencies;
    try {
      await registry.applyWrites(store, changedKeys(records));
      return true;
    } catch (error) {
      if (error instanceof MonError) throw error;
      log.error(
        { error: error instanceof Error ? error.stack : String(error), seq: this.#seq },
        'replication failed unexpectedly',
      );
      return false;
    }
  }

  /** Reloads the whole state from a snapshot of the store, if the writes cannot be applied individually. */
  async #reloadFromSnapshot(): Promise<void> {
    const { store, registry, onReload: onReadAgain } = this.#dependencies;
    await using snapshot = await store.snapshot(MAIN_SHARD);
    await registry.load(snapshot);
    this.#seq = snapshot.seq;
    this.#id = undefined;
    onReadAgain(snapshot.seq);
    this.#resolveCaughtUpReads();
  }

  #announce(records: readonly WrittenRecord[]): void {
    const { commits } = this.#dependencies;
    for (const { seq, id, changes, keys } of records) {
      this.#seq = seq;
      this.#id = id;
      commits.announce({ ...EMPTY_COMMIT_FIELDS, seq, changes, results: countResults(keys) });
    }
    commits.announceIdle();
    this.#resolveCaughtUpReads();
  }

  #resolveCaughtUpReads(): void {
    for (const { seq, resolve } of this.#waiting) if (seq <= this.#seq) resolve();
  }
}

/**
 * Empty fields of a commit that a follower announces; only the leader fills them, because only it creates jobs for
 * handlers.
 */
const EMPTY_COMMIT_FIELDS: Omit<Commit, 'seq' | 'changes' | 'results'> = {
  jobs: [],
  handlingNotes: [],
  times: undefined,
};

function changedKeys(records: readonly WrittenRecord[]): Iterable<Key> {
  const keys = new Map<string, Key>();
  for (const record of records) for (const key of record.keys) keys.set(key.join('\0'), key);
  return keys.values();
}

/**
 * Estimates the number of check results in a write by its changed keys. Each result changes the record of its check, so
 * several results of the same check count as one result.
 */
function countResults(keys: readonly Key[]): number {
  let count = 0;
  for (const [prefix] of keys) if (prefix === CHECK_RECORDS.prefix) count++;
  return count;
}

import { errorMessage, MonError } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import type { Commit, CommitBoard } from '../model/transaction/commit-board.ts';
import { CHECK_RECORDS } from '../model/events/storage.ts';
import type { Clock, Key } from '../ports.ts';
import type { Registry } from '../model/registry/registry.ts';
import { SHARD } from '../store/main-shard.ts';
import type { SharedStore, WrittenRecord } from '../store/shared-store.ts';
import { SerialQueue } from '../store/serial-queue.ts';

/** Maximum number of writes that are applied together. */
const RECORDS_MAX = 100;
/** Interval of queries for new writes when no notification arrives. */
const ASK_MS = 500;
/** Maximum time that a caller waits for a write that another member acknowledged. */
const CAUGHT_UP_MS = 5000;

interface FollowerParts {
  readonly store: SharedStore;
  readonly registry: Registry;
  readonly commits: CommitBoard;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Called after everything was read again, as it was at this write. The writes before it were not announced one by
   * one.
   */
  readonly onReadAgain: (seq: number) => void;
}

interface Waiting {
  readonly seq: number;
  readonly resolve: () => void;
}

/**
 * Keeps the memory of a member equal to the store while another member writes. It applies the keys that each write
 * touched, in order, and announces each write as the leader does.
 */
export class Follower implements AsyncDisposable {
  readonly #parts: FollowerParts;
  readonly #waiting = new Set<Waiting>();
  readonly #listening: Disposable;
  readonly #asking: Disposable;
  #seq: number;
  /** Id of the write with that sequence number; undefined: the next query returns it. */
  #id: string | undefined;
  readonly #queue = new SerialQueue();
  /** True if a task is queued that applies everything written until then. */
  #isDue = false;
  #isEnded = false;
  /** The reason why it cannot follow at the moment. */
  #problem: string | undefined;

  /** @param seq the last write in memory */
  constructor(seq: number, parts: FollowerParts) {
    this.#seq = seq;
    this.#parts = parts;
    this.#listening = parts.store.onWritten(() => this.#look());
    this.#asking = parts.clock.every(ASK_MS, () => this.#look());
    this.#look();
  }

  /** Sequence number of the last write in memory. */
  get seq(): number {
    return this.#seq;
  }

  /**
   * Resolves when a write is in memory. It resolves at once if this backend no longer follows, because it became the
   * leader: then it does not return to following before it restarts.
   *
   * @throws MonError `unavailable` if that takes too long
   */
  async caughtUp(seq: number): Promise<void> {
    if (seq <= this.#seq || this.#isEnded) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { seq, resolve };
    this.#waiting.add(waiting);
    const impatience = this.#parts.clock.after(CAUGHT_UP_MS, () =>
      reject(
        new MonError(
          'unavailable',
          'the change was made, but this follower lags behind the leader: read again in a few seconds',
        ),
      ),
    );
    this.#look();
    try {
      await promise;
    } finally {
      impatience[Symbol.dispose]();
      this.#waiting.delete(waiting);
    }
  }

  /**
   * Applies everything that is written by now, independent of the periodic queries.
   *
   * @throws MonError `unavailable` if the database cannot be read
   */
  async catchUp(): Promise<void> {
    await this.#queue.take(() => this.#takeOver());
  }

  /** Reads everything again, because the database holds less than memory does. */
  async startOver(): Promise<void> {
    await this.#queue.take(() => this.#readAgain());
  }

  /** Stops after the writes in progress are applied. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnded = true;
    this.#listening[Symbol.dispose]();
    this.#asking[Symbol.dispose]();
    await this.#queue.over;
  }

  #look(): void {
    if (this.#isDue || this.#isEnded) return;
    this.#isDue = true;
    void this.#queue.take(async () => {
      this.#isDue = false;
      try {
        await this.#takeOver();
        if (this.#problem !== undefined) this.#parts.log.info({ seq: this.#seq }, 'replication resumed');
        this.#problem = undefined;
      } catch (error) {
        this.#problem ??= this.#say(error);
      }
    });
  }

  #say(error: unknown): string {
    const reason = errorMessage(error);
    this.#parts.log.warn({ reason, seq: this.#seq }, 'replication failed');
    return reason;
  }

  async #takeOver(): Promise<void> {
    const { store, log } = this.#parts;
    for (;;) {
      const { after, records } = await store.writtenAfter(SHARD, this.#seq, RECORDS_MAX);
      if (this.#id !== undefined && after !== undefined && after !== this.#id) {
        // The database lost writes, and as many new ones were made since the last query.
        log.error(
          { seq: this.#seq },
          'the database lost a commit that it had acknowledged and has a different one in its place',
        );
        await this.#readAgain();
        continue;
      }
      this.#id ??= after;
      const [first] = records;
      if (first === undefined) return;
      const isNext = first.seq === this.#seq + 1;
      if (!isNext)
        log.warn({ seq: this.#seq }, 'this follower lags too far behind the leader: reloading the whole state');
      if (isNext && (await this.#follow(records))) this.#announce(records);
      else await this.#readAgain();
      if (records.length < RECORDS_MAX) return;
    }
  }

  /**
   * @returns false: memory may hold a part of the records
   * @throws MonError `unavailable` if the database cannot be read
   */
  async #follow(records: readonly WrittenRecord[]): Promise<boolean> {
    const { store, registry, log } = this.#parts;
    try {
      await registry.follow(store, touched(records));
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

  /** Reads everything again, when some writes are no longer available one by one. */
  async #readAgain(): Promise<void> {
    const { store, registry, onReadAgain } = this.#parts;
    await using snapshot = await store.snapshot(SHARD);
    await registry.load(snapshot);
    this.#seq = snapshot.seq;
    this.#id = undefined;
    onReadAgain(snapshot.seq);
    this.#settle();
  }

  #announce(records: readonly WrittenRecord[]): void {
    const { commits } = this.#parts;
    for (const { seq, id, changes, keys } of records) {
      this.#seq = seq;
      this.#id = id;
      commits.announce({ ...OF_ANOTHER, seq, changes, results: countResults(keys) });
    }
    commits.announceIdle();
    this.#settle();
  }

  #settle(): void {
    for (const { seq, resolve } of this.#waiting) if (seq <= this.#seq) resolve();
  }
}

/** A commit of the leader as a follower announces it: handlers are the leader's task. */
const OF_ANOTHER: Omit<Commit, 'seq' | 'changes' | 'results'> = { jobs: [], handlingNotes: [], times: undefined };

function touched(records: readonly WrittenRecord[]): Iterable<Key> {
  const keys = new Map<string, Key>();
  for (const record of records) for (const key of record.keys) keys.set(key.join('\0'), key);
  return keys.values();
}

/**
 * Estimates the number of results. Each result changes the record of its check, but several results of one check in one
 * write count once.
 */
function countResults(keys: readonly Key[]): number {
  let count = 0;
  for (const [prefix] of keys) if (prefix === CHECK_RECORDS.prefix) count++;
  return count;
}

import { errorMessage, MonError } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import type { Commit, CommitBoard } from '../commit/commit-board.ts';
import { CHECK_RECORDS } from '../events/table.ts';
import type { Clock, Key } from '../ports.ts';
import type { Registry } from '../registry/registry.ts';
import { SHARD } from '../store/main-shard.ts';
import type { SharedStore, WrittenRecord } from '../store/shared.ts';
import { Turns } from '../store/turns.ts';

/** Writes that are taken over together. */
const RECORDS_MAX = 100;
/** How often it is asked for new ones when nobody has told of any. */
const ASK_MS = 500;
/** How long somebody waits at most for a write that was acknowledged elsewhere. */
const CAUGHT_UP_MS = 5000;

interface FollowerParts {
  readonly store: SharedStore;
  readonly registry: Registry;
  readonly commits: CommitBoard;
  readonly clock: Clock;
  readonly log: Log;
  /** Told that everything was read again, as it was at this write: those before it were not told one by one. */
  readonly onReadAgain: (seq: number) => void;
}

interface Waiting {
  readonly seq: number;
  readonly resolve: () => void;
}

/**
 * Keeps the memory of a member like the store while another one writes: takes over what each write touched, in order, and
 * tells of it as the writer does.
 */
export class Follower implements AsyncDisposable {
  readonly #parts: FollowerParts;
  readonly #waiting = new Set<Waiting>();
  readonly #listening: Disposable;
  readonly #asking: Disposable;
  #seq: number;
  /** Of the write with that number; undefined: it is learned with the next look. */
  #id: string | undefined;
  readonly #turns = new Turns();
  /** Whether a turn is to come that looks for everything written until now. */
  #isDue = false;
  #isEnded = false;
  /** Why it cannot follow at the moment. */
  #problem: string | undefined;

  /** @param seq the last write that is in memory */
  constructor(seq: number, parts: FollowerParts) {
    this.#seq = seq;
    this.#parts = parts;
    this.#listening = parts.store.onWritten(() => this.#look());
    this.#asking = parts.clock.every(ASK_MS, () => this.#look());
    this.#look();
  }

  /** The last write that is in memory. */
  get seq(): number {
    return this.#seq;
  }

  /**
   * Settles when a write is in memory; at once when this backend follows no more, because it has come to write and does not go
   * back to following before it begins anew.
   *
   * @throws MonError `unavailable` when that takes too long
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
   * Takes over all that is written by now, whoever else looks.
   *
   * @throws MonError `unavailable` when the database cannot be read
   */
  async catchUp(): Promise<void> {
    await this.#turns.take(() => this.#takeOver());
  }

  /** Begins anew: the database holds less than memory does. */
  async startOver(): Promise<void> {
    await this.#turns.take(() => this.#readAgain());
  }

  /** Ends when what is being taken over is. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnded = true;
    this.#listening[Symbol.dispose]();
    this.#asking[Symbol.dispose]();
    await this.#turns.over;
  }

  #look(): void {
    if (this.#isDue || this.#isEnded) return;
    this.#isDue = true;
    void this.#turns.take(async () => {
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
        // Lost writes, and as many new ones since the last look.
        log.error({ seq: this.#seq }, 'the database has a different commit in place of an acknowledged one');
        await this.#readAgain();
        continue;
      }
      this.#id ??= after;
      const [first] = records;
      if (first === undefined) return;
      const isNext = first.seq === this.#seq + 1;
      if (!isNext) log.warn({ seq: this.#seq }, 'lag behind the leader is too large: reloading the whole state');
      if (isNext && (await this.#follow(records))) this.#tell(records);
      else await this.#readAgain();
      if (records.length < RECORDS_MAX) return;
    }
  }

  /**
   * @returns false: memory may hold a part of it
   * @throws MonError `unavailable` when the database cannot be read
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

  /** Everything, when some writes are not to be had one by one any more. */
  async #readAgain(): Promise<void> {
    const { store, registry, onReadAgain } = this.#parts;
    await using snapshot = await store.snapshot(SHARD);
    await registry.load(snapshot);
    this.#seq = snapshot.seq;
    this.#id = undefined;
    onReadAgain(snapshot.seq);
    this.#settle();
  }

  #tell(records: readonly WrittenRecord[]): void {
    const { commits } = this.#parts;
    for (const { seq, id, changes, keys } of records) {
      this.#seq = seq;
      this.#id = id;
      commits.tell({ ...OF_ANOTHER, seq, changes, results: countResults(keys) });
    }
    commits.tellRest();
    this.#settle();
  }

  #settle(): void {
    for (const { seq, resolve } of this.#waiting) if (seq <= this.#seq) resolve();
  }
}

/** Handlers are for the backend that writes to see to. */
const OF_ANOTHER: Omit<Commit, 'seq' | 'changes' | 'results'> = { jobs: [], handlingNotes: [], times: undefined };

function touched(records: readonly WrittenRecord[]): Iterable<Key> {
  const keys = new Map<string, Key>();
  for (const record of records) for (const key of record.keys) keys.set(key.join('\0'), key);
  return keys.values();
}

/** Each result changes the record of its check, but for several of the same in one write: a close estimate. */
function countResults(keys: readonly Key[]): number {
  let count = 0;
  for (const [prefix] of keys) if (prefix === CHECK_RECORDS.prefix) count++;
  return count;
}

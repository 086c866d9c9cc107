import type { CommitBoard } from '../commit/commit-board.ts';
import type { Change, ChangeRecord, Store } from '../ports.ts';

/** A record with its changes by namespace, so that nobody looks through those of others. */
interface LoggedRecord {
  readonly seq: number;
  readonly changes: readonly Change[];
  readonly byNamespace: ReadonlyMap<string, readonly Change[]>;
}

/** Where the changes of plans are, which are in no namespace. */
const PLANS = '';

/** Whose changes are wanted. */
export interface ChangesOf {
  /** The only namespace; undefined: all of them. */
  readonly only: string | undefined;
  /** Whether those of plans for upgrades are wanted beside it. */
  readonly seesPlans: boolean;
}

const ALL_CHANGES: ChangesOf = { only: undefined, seesPlans: true };

/**
 * The retained changes in memory, so that a consumer can fall behind or come back without anything being kept for it.
 * As long as the store retains them, and no longer than the bound here.
 */
export class ChangeLog {
  #records: LoggedRecord[] = [];
  /** Index of the oldest record in `#records`; the ones before it are dropped now and then. */
  #start = 0;
  #changeCount = 0;
  #lastSeq = 0;
  readonly #recordsMax: number;
  readonly #changesMax: number;

  constructor(bounds: { readonly recordsMax: number; readonly changesMax: number }) {
    this.#recordsMax = bounds.recordsMax;
    this.#changesMax = bounds.changesMax;
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Where an empty log begins: after this sequence number. */
  startAfter(seq: number): void {
    if (this.#records.length === 0) this.#lastSeq = seq;
  }

  /** Forgets all of it: what was written before this number was not told one by one. */
  restartAfter(seq: number): void {
    this.#records = [];
    this.#start = 0;
    this.#changeCount = 0;
    this.#lastSeq = seq;
  }

  /** Takes in the next write; one that is here already is passed over. */
  add(record: ChangeRecord): void {
    if (record.seq <= this.#lastSeq) return;
    this.#records.push({ seq: record.seq, changes: record.changes, byNamespace: byNamespace(record.changes) });
    this.#lastSeq = record.seq;
    this.#changeCount += record.changes.length;
    while (
      this.#records.length - this.#start > this.#recordsMax ||
      (this.#changeCount > this.#changesMax && this.#records.length - this.#start > 1)
    ) {
      this.#changeCount -= this.#records[this.#start]?.changes.length ?? 0;
      this.#start++;
    }
    if (this.#start > this.#recordsMax) {
      this.#records = this.#records.slice(this.#start);
      this.#start = 0;
    }
  }

  /** Whether every change after `seq` is here. */
  reaches(seq: number): boolean {
    const first = this.#records[this.#start]?.seq ?? this.#lastSeq + 1;
    return seq >= first - 1 && seq <= this.#lastSeq;
  }

  /** The changes after `seq`, which must be in reach, oldest first; within a commit those of plans come last. */
  *after(seq: number, wanted = ALL_CHANGES): Generator<Change, void, undefined> {
    for (const some of this.#partsAfter(seq, wanted)) yield* some;
  }

  /** How many changes there are after `seq`, which must be in reach. */
  countAfter(seq: number, wanted = ALL_CHANGES): number {
    let count = 0;
    for (const { length } of this.#partsAfter(seq, wanted)) count += length;
    return count;
  }

  *#partsAfter(seq: number, { only, seesPlans }: ChangesOf): Generator<readonly Change[], void, undefined> {
    for (let at = this.#indexAfter(seq); at < this.#records.length; at++) {
      const record = this.#records[at];
      if (record === undefined) continue;
      if (only === undefined) {
        yield record.changes;
        continue;
      }
      yield record.byNamespace.get(only) ?? NO_CHANGES;
      if (seesPlans) yield record.byNamespace.get(PLANS) ?? NO_CHANGES;
    }
  }

  /** Sequence numbers are dense, so a place follows from the difference. */
  #indexAfter(seq: number): number {
    return this.#records.length - (this.#lastSeq - seq);
  }
}

const NO_CHANGES: readonly Change[] = [];

function byNamespace(changes: readonly Change[]): LoggedRecord['byNamespace'] {
  const [first] = changes;
  if (first === undefined) return NOWHERE;
  const place = placeOf(first);
  // Nearly every commit is of one namespace.
  if (changes.every((change) => placeOf(change) === place)) return new Map([[place, changes]]);
  return Map.groupBy(changes, placeOf);
}

const NOWHERE: LoggedRecord['byNamespace'] = new Map();

function placeOf([kind, namespace]: Change): string {
  return kind === 'upgrade' ? PLANS : namespace;
}

/** Bounds of the log: minutes of a busy backend, tens of megabytes at the most. */
const BOUNDS = { recordsMax: 20_000, changesMax: 500_000 };

/** The log of a shard, filled with what the store retains and kept up to date until it is disposed of. */
export async function openChangeLog(
  store: Store,
  shard: string,
  commits: Pick<CommitBoard, 'onCommit'>,
): Promise<{ readonly log: ChangeLog } & Disposable> {
  const log = new ChangeLog(BOUNDS);
  const watch = await store.watch(shard, 0, (record) => log.add(record));
  // Both at once, so that no commit falls in between; one that was told here already comes again at most.
  watch.close();
  const listening = commits.onCommit((commit) => log.add(commit));
  log.startAfter(store.lastSeq(shard));
  return { log, [Symbol.dispose]: () => listening[Symbol.dispose]() };
}

import type { CommitBoard } from '../model/transaction/commit-board.ts';
import type { Change, ChangeRecord, Store } from '../ports.ts';

/** A record with its changes by namespace, so that a reader need not examine those of others. */
interface LoggedRecord {
  readonly seq: number;
  readonly changes: readonly Change[];
  readonly byNamespace: ReadonlyMap<string, readonly Change[]>;
}

/** The pseudo-namespace for the changes of upgrade plans, which are in no namespace. */
const PLANS = '';

/** Selects changes. */
export interface ChangesOf {
  /** The only namespace; undefined: all of them. */
  readonly only: string | undefined;
  /** True if the changes of upgrade plans are included. */
  readonly seesPlans: boolean;
}

const ALL_CHANGES: ChangesOf = { only: undefined, seesPlans: true };

/**
 * Keeps the retained changes in memory, so that a consumer can fall behind or come back without a queue of its own.
 * Changes are kept as long as the store retains them, but within the limits here.
 */
export class ChangeLog {
  #records: LoggedRecord[] = [];
  /** Index of the oldest record in `#records`; the records before it are removed occasionally. */
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

  /** Sets the begin of an empty log: after this sequence number. */
  startAfter(seq: number): void {
    if (this.#records.length === 0) this.#lastSeq = seq;
  }

  /** Clears the log, because the writes up to this sequence number were not announced one by one. */
  restartAfter(seq: number): void {
    this.#records = [];
    this.#start = 0;
    this.#changeCount = 0;
    this.#lastSeq = seq;
  }

  /** Appends the next write; a known one is skipped. */
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

  /** True if every change after `seq` is in the log. */
  reaches(seq: number): boolean {
    const first = this.#records[this.#start]?.seq ?? this.#lastSeq + 1;
    return seq >= first - 1 && seq <= this.#lastSeq;
  }

  /** Yields the changes after `seq`, which must be in reach, oldest first; within a commit those of plans come last. */
  *after(seq: number, selection = ALL_CHANGES): Generator<Change, void, undefined> {
    for (const some of this.#partsAfter(seq, selection)) yield* some;
  }

  /** Returns the number of changes after `seq`, which must be in reach. */
  countAfter(seq: number, selection = ALL_CHANGES): number {
    let count = 0;
    for (const { length } of this.#partsAfter(seq, selection)) count += length;
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

  /** Returns an index. Sequence numbers are dense, so it follows from the difference. */
  #indexAfter(seq: number): number {
    return this.#records.length - (this.#lastSeq - seq);
  }
}

const NO_CHANGES: readonly Change[] = [];

function byNamespace(changes: readonly Change[]): LoggedRecord['byNamespace'] {
  const [first] = changes;
  if (first === undefined) return NOWHERE;
  const namespaceKey = namespaceKeyOf(first);
  // Nearly every commit belongs to one namespace.
  if (changes.every((change) => namespaceKeyOf(change) === namespaceKey)) return new Map([[namespaceKey, changes]]);
  return Map.groupBy(changes, namespaceKeyOf);
}

const NOWHERE: LoggedRecord['byNamespace'] = new Map();

function namespaceKeyOf([kind, namespace]: Change): string {
  return kind === 'upgrade' ? PLANS : namespace;
}

/** Limits of the log: minutes of a busy backend, tens of megabytes at the most. */
const BOUNDS = { recordsMax: 20_000, changesMax: 500_000 };

/** Opens the log of a shard, filled with the retained changes and kept up to date until disposal. */
export async function openChangeLog(
  store: Store,
  shard: string,
  commits: Pick<CommitBoard, 'onCommit'>,
): Promise<{ readonly log: ChangeLog } & Disposable> {
  const log = new ChangeLog(BOUNDS);
  const watch = await store.watch(shard, 0, (record) => log.add(record));
  // Without a pause in between, so that no commit is missed; a known one may at most come again.
  watch.close();
  const listening = commits.onCommit((commit) => log.add(commit));
  log.startAfter(store.lastSeq(shard));
  return { log, [Symbol.dispose]: () => listening[Symbol.dispose]() };
}

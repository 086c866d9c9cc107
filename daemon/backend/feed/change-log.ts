import type { CommitBoard } from '../model/transaction/commit-board.ts';
import type { Change, ChangeRecord, Store } from '../ports.ts';

/**
 * A change record with its changes grouped by namespace, so that a reader of one namespace does not scan all changes.
 */
interface LoggedRecord {
  readonly seq: number;
  readonly changes: readonly Change[];
  readonly byNamespace: ReadonlyMap<string, readonly Change[]>;
}

/** The pseudo-namespace for the changes of upgrade plans, which are in no namespace. */
const PLANS_NAMESPACE = '';

/** Selects the changes that a consumer reads from the change log. */
export interface ChangeSelection {
  /** The only namespace whose changes are selected; undefined to select all namespaces. */
  readonly only: string | undefined;
  /** True if the changes of upgrade plans are selected, too. */
  readonly seesPlans: boolean;
}

const ALL_CHANGES: ChangeSelection = { only: undefined, seesPlans: true };

/**
 * Recent changes in memory. A feed consumer that is behind or reconnects reads the changes that it missed from this
 * log, so it needs no queue. When the log exceeds its limits, the oldest records are removed.
 */
export class ChangeLog {
  #records: LoggedRecord[] = [];
  /** Index of the oldest valid record in `#records`. The outdated records before it are removed from time to time. */
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

  /** Sets the sequence number after which an empty log begins. A log with records is not changed. */
  startAfter(seq: number): void {
    if (this.#records.length === 0) this.#lastSeq = seq;
  }

  /** Clears the log, which then begins after `seq`. Used if the writes up to `seq` were not announced one by one. */
  restartAfter(seq: number): void {
    this.#records = [];
    this.#start = 0;
    this.#changeCount = 0;
    this.#lastSeq = seq;
  }

  /** Appends the record of the next write. A record that is already in the log is ignored. */
  add(record: ChangeRecord): void {
    if (record.seq <= this.#lastSeq) return;
    this.#records.push({ seq: record.seq, changes: record.changes, byNamespace: groupByNamespace(record.changes) });
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
  hasAllAfter(seq: number): boolean {
    const first = this.#records[this.#start]?.seq ?? this.#lastSeq + 1;
    return seq >= first - 1 && seq <= this.#lastSeq;
  }

  /**
   * Yields the selected changes after `seq`, oldest first; `hasAllAfter(seq)` must be true. If a single namespace is
   * selected, the changes of upgrade plans come last within each commit.
   */
  *after(seq: number, selection = ALL_CHANGES): Generator<Change, void, undefined> {
    for (const some of this.#partsAfter(seq, selection)) yield* some;
  }

  /** Returns the number of selected changes after `seq`; `hasAllAfter(seq)` must be true. */
  countAfter(seq: number, selection = ALL_CHANGES): number {
    let count = 0;
    for (const { length } of this.#partsAfter(seq, selection)) count += length;
    return count;
  }

  *#partsAfter(seq: number, { only, seesPlans }: ChangeSelection): Generator<readonly Change[], void, undefined> {
    for (let at = this.#indexAfter(seq); at < this.#records.length; at++) {
      const record = this.#records[at];
      if (record === undefined) continue;
      if (only === undefined) {
        yield record.changes;
        continue;
      }
      yield record.byNamespace.get(only) ?? NO_CHANGES;
      if (seesPlans) yield record.byNamespace.get(PLANS_NAMESPACE) ?? NO_CHANGES;
    }
  }

  /** Returns the index of the first record after `seq`. Sequence numbers have no gaps, so the index can be computed. */
  #indexAfter(seq: number): number {
    return this.#records.length - (this.#lastSeq - seq);
  }
}

const NO_CHANGES: readonly Change[] = [];

function groupByNamespace(changes: readonly Change[]): LoggedRecord['byNamespace'] {
  const [first] = changes;
  if (first === undefined) return NO_NAMESPACES;
  const namespaceKey = namespaceKeyOf(first);
  // Nearly every commit belongs to one namespace.
  if (changes.every((change) => namespaceKeyOf(change) === namespaceKey)) return new Map([[namespaceKey, changes]]);
  return Map.groupBy(changes, namespaceKeyOf);
}

const NO_NAMESPACES: LoggedRecord['byNamespace'] = new Map();

function namespaceKeyOf([kind, namespace]: Change): string {
  return kind === 'upgrade' ? PLANS_NAMESPACE : namespace;
}

/** Limits of the change log: a few minutes of a busy backend, at most tens of megabytes of memory. */
const CHANGE_LOG_LIMITS = { recordsMax: 20_000, changesMax: 500_000 };

/**
 * Creates the change log of a shard (a part of the store with its own sequence of writes) from the change records in
 * the store. New commits are added until disposal.
 */
export async function openChangeLog(
  store: Store,
  shard: string,
  commits: Pick<CommitBoard, 'onCommit'>,
): Promise<{ readonly log: ChangeLog } & Disposable> {
  const log = new ChangeLog(CHANGE_LOG_LIMITS);
  const watch = await store.watch(shard, 0, (record) => log.add(record));
  // Nothing is awaited between `watch.close` and `onCommit`, so no commit is missed. A repeated commit is ignored.
  watch.close();
  const listening = commits.onCommit((commit) => log.add(commit));
  log.startAfter(store.lastSeq(shard));
  return { log, [Symbol.dispose]: () => listening[Symbol.dispose]() };
}

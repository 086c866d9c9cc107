import type { Change, ChangeRecord, Store } from '../ports.ts';

/**
 * The retained changes in memory, so that a consumer can fall behind or come back without anything being kept for it.
 * As long as the store retains them, and no longer than the bound here.
 */
export class ChangeLog {
  #records: ChangeRecord[] = [];
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

  add(record: ChangeRecord): void {
    this.#records.push(record);
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

  /** The changes after `seq`, which must be in reach, oldest first. */
  *after(seq: number): Generator<Change, void, undefined> {
    for (let at = this.#indexAfter(seq); at < this.#records.length; at++) yield* this.#records[at]?.changes ?? [];
  }

  /** How many changes there are after `seq`, which must be in reach. */
  countAfter(seq: number): number {
    let count = 0;
    for (let at = this.#indexAfter(seq); at < this.#records.length; at++) {
      count += this.#records[at]?.changes.length ?? 0;
    }
    return count;
  }

  /** Sequence numbers are dense, so a place follows from the difference. */
  #indexAfter(seq: number): number {
    return this.#records.length - (this.#lastSeq - seq);
  }
}

/** Bounds of the log: minutes of a busy backend, tens of megabytes at the most. */
const BOUNDS = { recordsMax: 20_000, changesMax: 500_000 };

/** The log of a shard, filled with what the store retains and kept up to date until it is closed. */
export async function openChangeLog(store: Store, shard: string): Promise<{ readonly log: ChangeLog; close(): void }> {
  const log = new ChangeLog(BOUNDS);
  const watch = await store.watch(shard, 0, (record) => log.add(record));
  log.startAfter(store.lastSeq(shard));
  return { log, close: () => watch.close() };
}

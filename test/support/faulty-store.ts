import type {
  ChangeRecord,
  Change,
  Durability,
  Key,
  Lease,
  Store,
  StoreOp,
  StoreSchema,
} from '../../daemon/backend/ports.ts';
import { MonError } from '../../shared/errors.ts';

/** A wrapper for a store with failures that a test controls. */
export class FaultyStore implements Store {
  readonly id: string;
  readonly schema: StoreSchema;
  /** Number of attempted writes, including those that were rejected. */
  writes = 0;
  /** Total number of changes that successful writes have published. */
  announced = 0;
  /** Number of reads in progress. */
  reading = 0;
  /** Decides before each write whether it is rejected, as on a full disk. */
  refuses: (ops: readonly StoreOp[]) => boolean = () => false;
  /** Decides before each scan whether it is rejected. A backend scans the store to load its state. */
  refusesScans: () => boolean = () => false;
  /** Decides before each read of values by their keys whether it is rejected. */
  refusesReads: () => boolean = () => false;
  /** Reason why the store rejects writes, as while it is being opened again; `undefined` if it accepts them. */
  closedFor: MonError | undefined;
  readonly #mendedListeners = new Set<() => void>();
  readonly #store: Store;
  #gate: Promise<void> | undefined;

  constructor(store: Store) {
    this.#store = store;
    this.id = store.id;
    this.schema = store.schema;
  }

  /** Simulates a slow disk: blocks all writes until the returned function is called. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#gate = promise;
    return () => {
      this.#gate = undefined;
      resolve();
    };
  }

  scan(
    prefix: Key,
    options?: { readonly after?: Key; readonly limit?: number },
  ): AsyncIterable<readonly [Key, string]> {
    if (this.refusesScans()) throw new MonError('unavailable', 'the disk does not read');
    return this.#store.scan(prefix, options);
  }

  async getMany(keys: readonly Key[]): Promise<(string | undefined)[]> {
    if (this.refusesReads()) throw new MonError('unavailable', 'the disk does not read');
    this.reading++;
    try {
      return await this.#store.getMany(keys);
    } finally {
      this.reading--;
    }
  }

  lastSeq(shard: string): number {
    return this.#store.lastSeq(shard);
  }

  async write(
    lease: Lease,
    ops: readonly StoreOp[],
    changes: readonly Change[],
    durability?: Durability,
  ): Promise<number> {
    this.writes++;
    await this.#gate;
    if (this.refuses(ops)) throw new MonError('unavailable', 'the disk is full');
    const seq = await this.#store.write(lease, ops, changes, durability);
    this.announced += changes.length;
    return seq;
  }

  get canAmend(): boolean {
    return this.#store.canAmend;
  }

  get refusal(): MonError | undefined {
    return this.closedFor ?? this.#store.refusal;
  }

  onMended(listener: () => void): Disposable {
    this.#mendedListeners.add(listener);
    const real = this.#store.onMended(listener);
    return {
      [Symbol.dispose]: () => {
        this.#mendedListeners.delete(listener);
        real[Symbol.dispose]();
      },
    };
  }

  /** Ends the state in `closedFor`, and notifies the listeners that the store accepts writes again. */
  mend(): void {
    this.closedFor = undefined;
    for (const listener of this.#mendedListeners) listener();
  }

  watch(
    shard: string,
    afterSeq: number,
    listener: (record: ChangeRecord) => void,
  ): Promise<{ readonly first: number; close(): void }> {
    return this.#store.watch(shard, afterSeq, listener);
  }

  acquire(name: string, ttlMs: number): Promise<Lease> {
    return this.#store.acquire(name, ttlMs);
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}

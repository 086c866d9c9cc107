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

/** A store over a real one with failures that a test controls. */
export class TroubledStore implements Store {
  readonly id: string;
  readonly schema: StoreSchema;
  /** Number of attempted writes, including rejected ones. */
  writes = 0;
  /** Number of changes that were announced with writes. */
  announced = 0;
  /** Number of reads in progress. */
  reading = 0;
  /** Called before each write; true means that the disk rejects it. */
  refuses: (ops: readonly StoreOp[]) => boolean = () => false;
  /** Called before each scan, which reads the whole state again. */
  refusesScans: () => boolean = () => false;
  /** Called before values are read by their keys. */
  refusesReads: () => boolean = () => false;
  /** Why it rejects writes, like a store that is being opened again. */
  closedFor: MonError | undefined;
  readonly #mendedListeners = new Set<() => void>();
  readonly #store: Store;
  #gate: Promise<void> | undefined;

  constructor(store: Store) {
    this.#store = store;
    this.id = store.id;
    this.schema = store.schema;
  }

  /** Simulates a slow disk: no write begins until the returned function is called. */
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

  /** Makes the disk work again. */
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

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

/** A store over a real one that has the troubles a test gives it. */
export class TroubledStore implements Store {
  readonly id: string;
  readonly schema: StoreSchema;
  /** Writes that were tried, the refused ones included. */
  writes = 0;
  /** Asked before each write; true: the disk refuses it. */
  refuses: (ops: readonly StoreOp[]) => boolean = () => false;
  /** Asked before each scan, which reads the whole state again. */
  refusesScans: () => boolean = () => false;
  readonly #store: Store;
  #gate: Promise<void> | undefined;

  constructor(store: Store) {
    this.#store = store;
    this.id = store.id;
    this.schema = store.schema;
  }

  /** A disk that takes its time: no write begins until the returned function is called. */
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

  getMany(keys: readonly Key[]): Promise<(string | undefined)[]> {
    return this.#store.getMany(keys);
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
    return await this.#store.write(lease, ops, changes, durability);
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

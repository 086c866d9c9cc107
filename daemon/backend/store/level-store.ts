import { BusyError, MonError } from '../../../shared/errors.ts';
import { SystemClock } from '../../clock/system-clock.ts';
import type { Change, ChangeRecord, Clock, Durability, Key, Lease, Store, StoreOp } from '../ports.ts';
import {
  AMENDABLE_PREFIX,
  encodeAmendable,
  AMENDMENT_SUFFIX,
  encodeAmendment,
  isAmendable,
  applyAmendment,
} from './amendments.ts';
import { AtomicWriter, type WriteEntry } from './atomic-writer.ts';
import { parseChanges, serializeChanges } from './change-record.ts';
import { diskError } from './disk-error.ts';
import { readEntries, type EntryRange, type StoredEntry } from './entries.ts';
import { changeKey, epochKey, EPOCHS_PREFIX, lastSeqKey, STORE_ID } from './keys.ts';
import { LevelSchema } from './level-schema.ts';
import { LevelUpgradeTarget } from './level-upgrade-target.ts';
import { batchSlice } from './time-slice.ts';
import { AMENDING_SCHEMA } from './migrations/004-amendments.ts';
import { MIGRATIONS } from './migrations/list.ts';
import type { Migration } from './migrations/migration.ts';
import { convertEntries, PendingMigrations, convertValues } from './migrations/pending-migrations.ts';
import { ensureSchema } from './migrations/schema-version.ts';
import { closeDatabase, openDatabase, WRITE_BUFFER_BYTES, type LossPolicy } from './open-database.ts';
import { ReadGate } from './read-gate.ts';
import { Reopener } from '../../disk/reopener.ts';
import { RETENTION_DEFAULT, type RetentionLimits } from './retention.ts';
import { assertShard, emptyShard, loadShard, type Shard } from './shard.ts';
import { encodeTuple, tupleRange } from './tuple.ts';
import { encodeNamed, scanRange } from './scan-range.ts';
import { SerialQueue } from './serial-queue.ts';
import { watchShard } from './watch-shard.ts';
import { type Database } from './database.ts';

export interface LevelStoreOptions {
  /**
   * Size of LevelDB's write buffer in bytes, the memory for entries that are not yet sorted into a file. 32 to 64 MiB
   * keep a store with 200,000 keys fast.
   */
  readonly writeBufferBytes?: number;
  /** Limits of the retained change records, which `watch` can replay. */
  readonly retention?: RetentionLimits;
  /** Present if the operator accepts that damaged entries are lost, see `openDatabase`. */
  readonly loss?: LossPolicy | undefined;
  /** Clock that times the retries after a disk failure. Default: the system clock. */
  readonly clock?: Pick<Clock, 'after' | 'monotonic'>;
  /** The migrations that lead to the newest schema. Default: all migrations; only tests pass others. */
  readonly migrations?: readonly Migration[];
}

/**
 * Opens the LevelDB store of one backend in the directory `dir`, and locks the directory for this process until
 * `close`.
 *
 * @throws MonError if the directory cannot be used; see `openDatabase`, `ensureSchema` and `loadShard`
 */
export async function openLevelStore(dir: string, options: LevelStoreOptions = {}): Promise<Store> {
  const database = await openDatabase(dir, options.writeBufferBytes ?? WRITE_BUFFER_BYTES, options.loss);
  try {
    return await LevelStore.onDatabase(database, options);
  } catch (error) {
    await closeDatabase(database);
    throw error instanceof MonError ? error : diskError(dir, 'read', error);
  }
}

export class LevelStore implements Store {
  readonly id: string;
  readonly schema: LevelSchema;
  readonly #database: Database;
  readonly #writer: AtomicWriter;
  readonly #gate: ReadGate;
  readonly #reopener: Reopener;
  readonly #mendedListeners = new Set<() => void>();
  readonly #retention: RetentionLimits;
  readonly #shards = new Map<string, Shard>();
  /** The queue that runs writes one at a time. */
  readonly #writeQueue = new SerialQueue();
  #closed: Promise<void> | undefined;

  private constructor(
    database: Database,
    options: LevelStoreOptions,
    { id, version }: { readonly id: string; readonly version: number },
  ) {
    this.id = id;
    this.#database = database;
    const { writeBufferBytes = WRITE_BUFFER_BYTES, clock = new SystemClock() } = options;
    this.#writer = new AtomicWriter(database, writeBufferBytes, clock);
    this.#gate = new ReadGate(clock);
    this.#reopener = new Reopener(() => this.#reopen(), clock);
    this.#retention = options.retention ?? RETENTION_DEFAULT;
    const target = new LevelUpgradeTarget(database, {
      write: (entries) => this.#write(entries, 'power'),
      runExclusive: (task) => this.#runExclusive(task),
    });
    const migrations = new PendingMigrations(target, version, options.migrations ?? MIGRATIONS);
    this.schema = new LevelSchema(database, id, migrations);
  }

  /** Creates the store on top of an open database, and initializes the database if it is empty. */
  static async onDatabase(database: Database, options: LevelStoreOptions = {}): Promise<LevelStore> {
    const version = await ensureSchema(database, options.migrations ?? MIGRATIONS);
    const id = await database.get(encodeTuple(STORE_ID));
    if (id === undefined) {
      throw new MonError('internal', `the store in ${database.location} is damaged: it has no id; restore a backup`);
    }
    const store = new LevelStore(database, options, { id: String(JSON.parse(id)), version });
    // Every shard that was ever written to has an epoch, because a write requires a lease.
    for await (const [key] of readEntries(database, tupleRange(EPOCHS_PREFIX))) {
      const name = String(key.at(-1));
      store.#shards.set(name, await loadShard(database, name, store.#retention, options.loss !== undefined));
    }
    return store;
  }

  scan(
    prefix: Key,
    options: { readonly after?: Key; readonly limit?: number } = {},
  ): AsyncIterable<readonly [Key, string]> {
    this.#assertOpen();
    const read = this.schema.reader();
    return convertEntries(this.#entries(scanRange(prefix, options)), read);
  }

  async getMany(keys: readonly Key[]): Promise<(string | undefined)[]> {
    this.#assertOpen();
    const encoded = keys.map(encodeNamed);
    const read = this.schema.reader();
    let values: (string | undefined)[];
    const reading = await this.#gate.enter();
    try {
      values = await amendedValues(this.#database, encoded);
    } catch (error) {
      throw diskError(this.#database.location, 'read', error);
    } finally {
      reading[Symbol.dispose]();
    }
    return convertValues(keys, values, read);
  }

  lastSeq(shard: string): number {
    return this.#shards.get(shard)?.retention.last ?? 0;
  }

  async write(
    lease: Lease,
    ops: readonly StoreOp[],
    changes: readonly Change[],
    durability: Durability = 'power',
  ): Promise<number> {
    return this.#runExclusive(async () => {
      const shard = this.#shard(lease.name);
      assertHolder(shard, lease.epoch);
      const { retention } = shard;
      const seq = retention.last + 1;
      // LevelDB applies a batch in order, so the last operation on a key wins.
      const entries: WriteEntry[] = [];
      const timeSlice = batchSlice(ops.length);
      for (const op of ops) {
        if (timeSlice?.isDue === true) await timeSlice.shareFirst();
        addEntries(entries, op);
      }
      for (let old = retention.first; old < retention.firstAfter(changes.length); old++) {
        entries.push([encodeTuple(changeKey(shard.name, old)), undefined]);
      }
      entries.push([encodeTuple(changeKey(shard.name, seq)), serializeChanges(changes)]);
      entries.push([encodeTuple(lastSeqKey(shard.name)), String(seq)]);
      await this.#write(entries, durability);
      retention.append(changes.length);
      for (const watcher of shard.watchers) watcher({ seq, changes });
      return seq;
    });
  }

  async watch(
    shardName: string,
    afterSeq: number,
    listener: (record: ChangeRecord) => void,
  ): Promise<{ readonly first: number; close(): void }> {
    return watchShard(afterSeq, listener, (watcher) =>
      // The watcher is registered between two writes, so that no write falls between the retained records and the new
      // records.
      this.#runExclusive(async () => {
        const shard = this.#shard(shardName);
        const { first, last } = shard.retention;
        shard.watchers.add(watcher);
        const range = {
          gte: encodeTuple(changeKey(shardName, Math.max(first, afterSeq + 1))),
          lt: encodeTuple(changeKey(shardName, last + 1)),
        };
        return { shard, first, past: recordsOf(this.#entries(range)) };
      }),
    );
  }

  /**
   * Acquires a lease, which always succeeds: the lock of the directory excludes other processes, and within this
   * process the newest lease replaces earlier ones.
   */
  async acquire(name: string): Promise<Lease> {
    return this.#runExclusive(async () => {
      const shard = this.#shard(name);
      const epoch = shard.epoch + 1;
      await this.#write([[encodeTuple(epochKey(name)), String(epoch)]], 'power');
      shard.epoch = epoch;
      shard.holder = epoch;
      return {
        name,
        epoch,
        // `lost` never resolves, because no other process can open the directory.
        lost: new Promise(() => undefined),
        renew: async () => assertHolder(shard, epoch),
        release: async () => {
          if (shard.holder === epoch) shard.holder = undefined;
        },
      };
    });
  }

  get canAmend(): boolean {
    return this.schema.version >= AMENDING_SCHEMA;
  }

  get refusal(): MonError | undefined {
    return this.#writer.refusal;
  }

  onMended(listener: () => void): Disposable {
    this.#mendedListeners.add(listener);
    return { [Symbol.dispose]: () => void this.#mendedListeners.delete(listener) };
  }

  async close(): Promise<void> {
    this.#reopener[Symbol.dispose]();
    this.#closed ??= this.#closeAfter(this.#writeQueue.allDone);
    return this.#closed;
  }

  async #closeAfter(pendingWrites: Promise<unknown>): Promise<void> {
    await pendingWrites;
    // If the directory was replaced, its files belong to another store, and `closeDatabase` would change them.
    await (this.#writer.isSameStore ? closeDatabase(this.#database) : this.#database.close());
    await this.#writer.close();
  }

  /**
   * Writes entries, and starts to reopen the database if the disk fails. Call it only while no other write is in
   * progress.
   */
  async #write(entries: readonly WriteEntry[], durability: Durability): Promise<void> {
    try {
      await this.#writer.write(entries, durability);
    } finally {
      if (this.#writer.refusal !== undefined) this.#reopener.start();
    }
  }

  async #reopen(): Promise<void> {
    await this.#runExclusive(() => this.#gate.shut(() => this.#writer.reopen(() => this.#assertSame())));
    for (const listener of this.#mendedListeners) listener();
  }

  /**
   * Verifies that the reopened database has the last acknowledged write of each shard, and that no other process has
   * changed it.
   */
  async #assertSame(): Promise<void> {
    for (const shard of this.#shards.values()) await assertShard(this.#database, shard);
  }

  #entries(range: EntryRange): AsyncGenerator<StoredEntry, void, undefined> {
    if (this.#gate.isShut) return this.#entriesLater(range);
    return readEntries(this.#database, range, this.#gate.begin());
  }

  /**
   * Reads a range after the database was reopened. Nothing is written meanwhile, so an iteration that begins at once
   * yields the entries as they were at the time of the call.
   */
  async *#entriesLater(range: EntryRange): AsyncGenerator<StoredEntry, void, undefined> {
    yield* readEntries(this.#database, range, await this.#gate.enter());
  }

  #shard(name: string): Shard {
    let shard = this.#shards.get(name);
    if (shard === undefined) {
      shard = emptyShard(name, this.#retention);
      this.#shards.set(name, shard);
    }
    return shard;
  }

  async #runExclusive<T>(task: () => Promise<T>): Promise<T> {
    this.#assertOpen();
    return await this.#writeQueue.run(task);
  }

  #assertOpen(): void {
    if (this.#closed !== undefined) throw new BusyError('the store is closed');
  }
}

function addEntries(entries: WriteEntry[], op: StoreOp): void {
  const key = encodeNamed(op.key);
  switch (op.type) {
    case 'put':
      entries.push([key, op.value]);
      break;
    case 'amendable':
      entries.push([key, encodeAmendable(op.stamp, op.parts)]);
      break;
    case 'amend':
      entries.push([key + AMENDMENT_SUFFIX, encodeAmendment(op.stamp, op.parts)]);
      break;
    case 'del':
      entries.push([key, undefined]);
      if (op.key[0] === AMENDABLE_PREFIX) entries.push([key + AMENDMENT_SUFFIX, undefined]);
      break;
  }
}

/**
 * Returns the values of encoded keys, in the same order, with their amendments applied; undefined for a missing key.
 */
async function amendedValues(database: Database, keys: readonly string[]): Promise<(string | undefined)[]> {
  const values = await database.getMany([...keys]);
  const amendable = keys.filter((_, at) => isAmendable(values[at] ?? ''));
  if (amendable.length === 0) return values;
  // Amendable values are read again, each together with its amendment, as of one moment. A write may have replaced both
  // since the first read.
  const pairs = await database.getMany(amendable.flatMap((key) => [key, key + AMENDMENT_SUFFIX]));
  let next = 0;
  return values.map((value) => {
    if (value === undefined || !isAmendable(value)) return value;
    const at = 2 * next++;
    const now = pairs[at];
    return now === undefined ? undefined : applyAmendment(now, pairs[at + 1]);
  });
}

async function* recordsOf(entries: AsyncIterable<StoredEntry>): AsyncGenerator<ChangeRecord, void, undefined> {
  for await (const [key, value] of entries) yield { seq: Number(key.at(-1)), changes: parseChanges(value) };
}

function assertHolder(shard: Shard, epoch: number): void {
  if (shard.holder === epoch) return;
  throw new MonError(
    'conflict',
    `the lease of shard ${shard.name} (epoch ${String(epoch)}) has expired: acquire the lease again`,
  );
}

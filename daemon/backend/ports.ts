import type { MonError } from '../../shared/errors.ts';
import type { PendingStep, StepProgress, UpgradeObstacle } from '../../shared/schemas/store-upgrade.ts';
export type { Clock, PlanningClock } from '../clock/clock.ts';

/**
 * The ports of the backend: the interfaces of the store, the disk and the clock. With them, monitoring rules and result
 * processing do not depend on a particular database or on the system clock.
 */

/**
 * The key of a stored value: a tuple of strings and numbers. Tuples with different elements never have the same
 * encoding: `['a:b', 'c']` and `['a', 'b:c']` are two keys. Keys are ordered part by part.
 */
export type Key = readonly (string | number)[];

export type StoreOp =
  | { readonly type: 'put'; readonly key: Key; readonly value: string }
  | { readonly type: 'del'; readonly key: Key }
  | AmendableOp
  | AmendOp;

/**
 * An operation that stores a value split into parts, so that an `AmendOp` can replace some of the parts later. It is
 * only allowed for keys that begin with `check`.
 */
export interface AmendableOp {
  readonly type: 'amendable';
  readonly key: Key;
  /**
   * Text that identifies the value: no other value stored under this key, at any time, may have the same stamp. A stamp
   * contains no blanks.
   */
  readonly stamp: string;
  /** The parts whose concatenation is the value. */
  readonly parts: readonly string[];
}

/**
 * An operation that replaces some parts of the value that an `AmendableOp` stored, and supersedes all earlier
 * `AmendOp`s for that value. If the stored value has a different stamp, the operation is ignored.
 */
export interface AmendOp {
  readonly type: 'amend';
  readonly key: Key;
  /** The stamp of the stored value whose parts are replaced. */
  readonly stamp: string;
  /** The new text of each part; undefined for a part that stays as the `AmendableOp` stored it. */
  readonly parts: readonly (string | undefined)[];
}

/**
 * A change of a silence. Its subscription and check identify the silence; null means any. For a silence with a selector
 * both are null, and `bySearch` contains the id and the selector. They cannot be looked up after the silence was
 * deleted.
 */
export type SilencedChange = readonly [
  'silenced',
  namespace: string,
  subscription: string | null,
  check: string | null,
  bySearch?: { readonly id: string; readonly selector: string },
];

/**
 * One change of a committed write, for the feed. It only identifies the object that changed; the current state of the
 * object is read from the registry.
 */
export type Change =
  | readonly ['event', namespace: string, client: string, check: string]
  | SilencedChange
  | readonly ['client', namespace: string, client: string]
  /** A set of attributes of clients or checks was created or removed. */
  | readonly ['attributes', namespace: string, id: string]
  | readonly ['stash', namespace: string, path: string]
  | readonly ['upgrade', namespace: string, id: number]
  /** The pending notification of a handler's group, or the time of its next flush, may have changed. */
  | readonly ['group', namespace: string, handler: string, key: string]
  /** An event started or stopped inhibiting other events by an inhibition rule. */
  | readonly ['inhibitor', namespace: string, rule: string, client: string, check: string]
  /** The number of events that an inhibition rule inhibits changed. */
  | readonly ['inhibited', namespace: string, rule: string];

/** The changes of one committed write. Each write to a shard gets the next sequence number, so there are no gaps. */
export interface ChangeRecord {
  readonly seq: number;
  readonly changes: readonly Change[];
}

/**
 * The kind of failure that a committed write survives. `power`: a power loss, because the write is synced to the disk
 * (fsync). `process`: only a crash of the process.
 */
export type Durability = 'power' | 'process';

/**
 * The right to write to a shard: a part of the store with its own sequence of writes. Each acquisition gets a higher
 * number, the epoch. Writes with a lower epoch are rejected.
 */
export interface Lease {
  readonly name: string;
  readonly epoch: number;
  /**
   * Resolves with the reason when the lease is lost, because another process acquired it, or because the store contains
   * other writes than this process expects.
   */
  readonly lost: Promise<MonError>;
  /** @throws MonError `conflict` if the lease was released, or acquired again by this or another process */
  renew(): Promise<void>;
  release(): Promise<void>;
}

/**
 * A durable key-value store with a log of its changes; the registry is its copy in memory. Keys sort part by part:
 * numbers by value, strings by UTF-8 bytes, numbers before strings.
 */
export interface Store {
  /** The permanent id of this store. A store that was restored from a backup or created anew has another id. */
  readonly id: string;

  /**
   * Returns the entries whose key starts with the parts of `prefix`, in the order of their keys, as they are at the
   * time of the call.
   *
   * @param options `after`: the key after which the scan begins; default: the first key below `prefix`. `limit`: the
   *   maximum number of entries; default: no limit
   */
  scan(prefix: Key, options?: { readonly after?: Key; readonly limit?: number }): AsyncIterable<readonly [Key, string]>;

  /** Returns the values of `keys`, in the same order; undefined for a key that has no value. */
  getMany(keys: readonly Key[]): Promise<(string | undefined)[]>;

  /** Returns the sequence number of the last write to the shard; 0 before the first write. */
  lastSeq(shard: string): number;

  /**
   * Writes all of `ops` and the change record, or nothing. If several operations have the same key, the last one wins.
   *
   * @returns the sequence number of this write
   * @throws MonError `conflict` if `lease` is no longer valid; `unavailable` if the disk or the database rejects the
   *   write. Then nothing of the write is stored, even after a restart, unless the error is an `UnsettledWriteError`:
   *   then the outcome is unknown.
   */
  write(lease: Lease, ops: readonly StoreOp[], changes: readonly Change[], durability?: Durability): Promise<number>;

  /**
   * True if the store accepts operations of type `amendable` and `amend`. An upgrade of the store can make it true; it
   * never becomes false again.
   */
  readonly canAmend: boolean;

  /**
   * The error with which the store rejects all writes, after its disk or database failed and until a retry succeeds;
   * undefined while writes are accepted.
   */
  readonly refusal: MonError | undefined;

  /** Calls `listener` whenever the store accepts writes again after a failure. Disposal removes the listener. */
  onMended(listener: () => void): Disposable;

  /**
   * Calls `listener` for every write after `afterSeq`, in order: first for the retained change records, then for each
   * new write. After the returned promise has resolved, `listener` is called for a new write before the promise of that
   * `write` resolves.
   *
   * @returns `first`: the oldest sequence number whose change record is retained; `close`: a function that ends the
   *   watch
   */
  watch(
    shard: string,
    afterSeq: number,
    listener: (record: ChangeRecord) => void,
  ): Promise<{ readonly first: number; close(): void }>;

  /**
   * The schema of the stored data. Even before an upgrade, reads return values in the newest form, and writes accept
   * values in that form.
   */
  readonly schema: StoreSchema;

  /**
   * Acquires the lease of a shard.
   *
   * @param name the name of the shard
   * @param ttlMs time until the lease expires unless it is renewed, in milliseconds
   * @throws MonError `conflict` if another process has the lease
   */
  acquire(name: string, ttlMs: number): Promise<Lease>;

  close(): Promise<void>;
}

/** The read operations of a store. */
export type ReadStore = Pick<Store, 'scan' | 'getMany'>;

/** The options of a long operation on all stored data, such as a backup or an upgrade. */
export interface StoreOperationOptions {
  /**
   * Aborts the operation after the current batch, with the reason of the signal. Batches that an upgrade has already
   * written remain.
   */
  readonly signal: AbortSignal;
  /** Awaited after each batch, so that the backend serves requests in between. Default: no pause. */
  readonly pause?: (() => Promise<void>) | undefined;
}

export interface UpgradeOptions extends StoreOperationOptions {
  readonly onProgress: (progress: StepProgress) => void;
}

/** The schema version of the stored data, with functions that upgrade or back up the data (architecture, State). */
export interface StoreSchema {
  readonly version: number;
  /** The newest schema version, which this program writes. */
  readonly newest: number;

  /**
   * Returns the number of free bytes on the disk of the store, and the number that a backup or an upgrade needs.
   * Undefined for a PostgreSQL store, whose administrators are responsible for its space and its backups.
   */
  diskSpace(): Promise<{ readonly free: number; readonly needed: number } | undefined>;

  /** Returns the upgrade steps from `version` to `newest`, in order. */
  pending(): Promise<readonly PendingStep[]>;

  /**
   * Returns the problems in the stored data that block an upgrade, because a step of `upgrade` would fail; empty if
   * there are none.
   */
  obstacles(): Promise<readonly UpgradeObstacle[]>;

  /**
   * Upgrades all stored data to the newest version, while other operations read and write. Call it only if `obstacles`
   * returns an empty list. After an error it can be called again.
   *
   * @throws MonError `unavailable` if the disk fails; the reason of the signal if the upgrade was aborted
   */
  upgrade(options: UpgradeOptions): Promise<void>;

  /**
   * Creates a verified copy of all stored data as it is at one moment between two writes. Writes continue meanwhile.
   *
   * @param options `dir`: the directory of the backup, which must not exist; default: a new one below the state
   *   directory
   * @throws MonError `conflict` if `dir` exists, `unavailable` if there is no space or the disk fails, `invalid` for a
   *   PostgreSQL store, which only its own tools can back up; the reason of the signal
   */
  backUp(options: StoreOperationOptions & { readonly dir?: string | undefined }): Promise<{
    readonly dir: string;
    readonly manifest: Readonly<{ entries: number; bytes: number; sha256: string }>;
  }>;
}

/**
 * The purpose of reserved disk space. `running`: for operations that must be possible on a full disk, such as
 * deletions; `opening`: for opening the store at the next start.
 */
export type ReserveUse = 'running' | 'opening';

/** The disk that holds the store, with the space reserved there. */
export interface Disk {
  /** The directory of the store. */
  readonly dir: string;
  /** Returns the number of free bytes, without the reserved space; undefined if it cannot be determined. */
  freeBytes(): Promise<number | undefined>;
  /** Returns the number of bytes that are reserved for a purpose, or 0 if none are. */
  reservedBytes(use: ReserveUse): Promise<number>;
  /** Reserves disk space for a purpose. When the disk is full, `releaseReserve` frees it. */
  reserve(bytes: number, use: ReserveUse): Promise<void>;
  /** Frees the space that is reserved for a purpose. */
  releaseReserve(use: ReserveUse): Promise<void>;
}

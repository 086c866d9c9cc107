import type { MonError } from '../../shared/errors.ts';
import type { PendingStep, StepProgress, UpgradeObstacle } from '../../shared/schemas/store-upgrade.ts';
export type { Clock, PlanningClock } from '../clock/clock.ts';

/**
 * The interfaces that the backend needs from outside, so that rules and pipeline depend on no database, socket or wall
 * clock.
 */

/** A tuple of name parts, encoded so that `['a:b', 'c']` and `['a', 'b:c']` differ. Keys are ordered part by part. */
export type Key = readonly (string | number)[];

export type StoreOp =
  | { readonly type: 'put'; readonly key: Key; readonly value: string }
  | { readonly type: 'del'; readonly key: Key }
  | AmendableOp
  | AmendOp;

/** Puts a value whose parts may be amended later. Only for keys of `check`. */
export interface AmendableOp {
  readonly type: 'amendable';
  readonly key: Key;
  /** The stamp of the value: no other value that is ever put under this key may have it. It contains no blanks. */
  readonly stamp: string;
  /** The value, split into parts. */
  readonly parts: readonly string[];
}

/**
 * Replaces parts of a value that was put as amendable, including those that an earlier amendment replaced. If another
 * value has replaced it meanwhile, nothing changes.
 */
export interface AmendOp {
  readonly type: 'amend';
  readonly key: Key;
  /** The stamp of the value. */
  readonly stamp: string;
  /** The new parts; undefined: the part as it was put. */
  readonly parts: readonly (string | undefined)[];
}

/**
 * A silence by its two parts. If both are null, it is given by its id and selector, because after its removal they are
 * recorded nowhere else.
 */
export type SilencedChange = readonly [
  'silenced',
  namespace: string,
  subscription: string | null,
  check: string | null,
  bySearch?: { readonly id: string; readonly selector: string },
];

/** A change of a write, for the feed. It holds keys only; the latest state is read from the registry. */
export type Change =
  | readonly ['event', namespace: string, client: string, check: string]
  | SilencedChange
  | readonly ['client', namespace: string, client: string]
  | readonly ['stash', namespace: string, path: string]
  | readonly ['upgrade', namespace: string, id: number]
  /** The pending notification of a group of a handler, or its time, may have changed. */
  | readonly ['group', namespace: string, handler: string, key: string]
  /** An event has started or ceased to inhibit others by a rule. */
  | readonly ['inhibitor', namespace: string, rule: string, client: string, check: string]
  /** The number of events that a rule inhibits has changed. */
  | readonly ['inhibited', namespace: string, rule: string];

/** One committed write. Sequence numbers have no gaps: each write has the next one. */
export interface ChangeRecord {
  readonly seq: number;
  readonly changes: readonly Change[];
}

/** `power`: survives a power loss (fsync). `process`: survives a kill of the process. */
export type Durability = 'power' | 'process';

/** The right to write to a shard. A later holder has a higher epoch; writes with an older one are rejected. */
export interface Lease {
  readonly name: string;
  readonly epoch: number;
  /**
   * Resolves with the reason when the lease is lost: another holder took it, or data that was written under it is gone.
   */
  readonly lost: Promise<MonError>;
  /** @throws MonError `conflict` if another holder has the lease by now */
  renew(): Promise<void>;
  release(): Promise<void>;
}

/**
 * A durable, ordered log of keys and values under the registry. Keys sort part by part: numbers by value, strings by
 * UTF-8 bytes, numbers before strings.
 */
export interface Store {
  /** The permanent id of this store; a restored or emptied store has another id. */
  readonly id: string;

  /**
   * Returns the entries whose key starts with the parts of `prefix`, in order, `after` excluded. Reads the state at the
   * time of the call.
   *
   * @param limit the maximum number of entries; default: no limit
   */
  scan(prefix: Key, options?: { readonly after?: Key; readonly limit?: number }): AsyncIterable<readonly [Key, string]>;

  /** Returns the values in the order of `keys`; `undefined` for a missing key. */
  getMany(keys: readonly Key[]): Promise<(string | undefined)[]>;

  /** The last sequence number written to the shard; 0 before the first. */
  lastSeq(shard: string): number;

  /**
   * Writes all of `ops` and the change record, or nothing. The last op on a key wins.
   *
   * @returns the sequence number of this write
   * @throws MonError `conflict` if `lease` is not the newest; `unavailable` if the disk rejects the write: then nothing
   *   of it is stored, even after a restart, unless the error is an `UnsettledWriteError`
   */
  write(lease: Lease, ops: readonly StoreOp[], changes: readonly Change[], durability?: Durability): Promise<number>;

  /** True if the store accepts `amendable` and `amend`; once true, always true. */
  readonly canAmend: boolean;

  /**
   * The reason why the store accepts no writes now: the disk failed and is tried repeatedly. Undefined: it accepts
   * them.
   */
  readonly refusal: MonError | undefined;

  /** Calls `listener` whenever the store accepts writes again. */
  onMended(listener: () => void): Disposable;

  /**
   * Calls `listener` for every write after `afterSeq`: first the retained writes, then each new one, in order. Once the
   * returned promise has settled, a listener is called before its `write` settles.
   *
   * @returns `first`: the oldest sequence number that is retained, so earlier writes cannot be replayed; `close` ends
   *   the watch
   */
  watch(
    shard: string,
    afterSeq: number,
    listener: (record: ChangeRecord) => void,
  ): Promise<{ readonly first: number; close(): void }>;

  /** The schema of the stored data. Whatever its version, reads return the newest form and writes accept it. */
  readonly schema: StoreSchema;

  /** @throws MonError `conflict` if another holder has the lease */
  acquire(name: string, ttlMs: number): Promise<Lease>;

  close(): Promise<void>;
}

/** The read operations of a store. */
export type ReadStore = Pick<Store, 'scan' | 'getMany'>;

/** The options of a long operation on all stored data. */
export interface StoreWork {
  /** Stops the operation after the current batch, with the reason of the signal. Completed batches remain. */
  readonly signal: AbortSignal;
  /** Awaited after each batch, so that requests are served meanwhile. Default: no pause. */
  readonly pause?: (() => Promise<void>) | undefined;
}

export interface UpgradeOptions extends StoreWork {
  readonly onProgress: (progress: StepProgress) => void;
}

/** The version of the stored data, and the upgrade to the newest one (architecture, State). */
export interface StoreSchema {
  readonly version: number;
  /** The version that the program writes. */
  readonly newest: number;

  /**
   * Returns the free bytes at the store, and the bytes that a backup or an upgrade needs. Undefined for a database,
   * where space and backups are up to its administrators.
   */
  diskSpace(): Promise<{ readonly free: number; readonly needed: number } | undefined>;

  /** Returns the steps from `version` to `newest`, in order. */
  pending(): Promise<readonly PendingStep[]>;

  /** Returns the obstacles that would prevent `upgrade` from a step. */
  obstacles(): Promise<readonly UpgradeObstacle[]>;

  /**
   * Upgrades all stored data to the newest version, while others read and write. `obstacles` must have returned none.
   *
   * @throws MonError `unavailable` if the disk fails; the reason of the signal. It can be called again.
   */
  upgrade(options: UpgradeOptions): Promise<void>;

  /**
   * Creates a verified copy of all stored data as of one moment between two writes, whatever is written meanwhile.
   *
   * @param dir must not exist; default: a new one below the state directory
   * @throws MonError `conflict` if `dir` exists, `unavailable` if there is no space or the disk fails
   */
  backUp(options: StoreWork & { readonly dir?: string | undefined }): Promise<{
    readonly dir: string;
    readonly manifest: Readonly<{ entries: number; bytes: number; sha256: string }>;
  }>;
}

/** The purpose of reserved space: operations on a full disk, or the next start. */
export type ReserveUse = 'running' | 'opening';

/** The disk of the store. */
export interface Disk {
  /** The directory of the store. */
  readonly dir: string;
  /** Returns the free bytes, without the reserved ones; undefined: unknown. */
  freeBytes(): Promise<number | undefined>;
  /** Returns the number of reserved bytes. */
  reservedBytes(use: ReserveUse): Promise<number>;
  /** Reserves space on the disk for later use. */
  setAside(bytes: number, use: ReserveUse): Promise<void>;
  /** Frees the reserved space. */
  giveOut(use: ReserveUse): Promise<void>;
}

import type { MonError } from '../../shared/errors.ts';
import type { PendingStep, StepProgress, UpgradeObstacle } from '../../shared/schemas/store-upgrade.ts';

/** What the backend needs from outside, so that rules and pipeline know no database, socket or wall clock. */

/** A tuple of name parts; encoded so that `['a:b', 'c']` and `['a', 'b:c']` differ and order is part by part. */
export type Key = readonly (string | number)[];

export type StoreOp =
  | { readonly type: 'put'; readonly key: Key; readonly value: string }
  | { readonly type: 'del'; readonly key: Key }
  | AmendableOp
  | AmendOp;

/** Puts a value, of which parts may be amended later. For keys of `check` alone. */
export interface AmendableOp {
  readonly type: 'amendable';
  readonly key: Key;
  /** No other value that is ever put in this place may have it. Without blanks. */
  readonly stamp: string;
  /** The value, taken apart. */
  readonly parts: readonly string[];
}

/**
 * Replaces parts of a value that was put as amendable, and those that an earlier amendment had replaced. Nothing
 * changes when another one is in its place by now.
 */
export interface AmendOp {
  readonly type: 'amend';
  readonly key: Key;
  /** Of the value. */
  readonly stamp: string;
  /** Undefined: as it was put. */
  readonly parts: readonly (string | undefined)[];
}

/**
 * An entry by its two parts or, where both are null, by its id and its selector: when it is gone, nobody else knows
 * that.
 */
export type SilencedChange = readonly [
  'silenced',
  namespace: string,
  subscription: string | null,
  check: string | null,
  bySearch?: { readonly id: string; readonly selector: string },
];

/** What a write changed, for the feed: keys only, the newest state is read from the registry. */
export type Change =
  | readonly ['event', namespace: string, client: string, check: string]
  | SilencedChange
  | readonly ['client', namespace: string, client: string]
  | readonly ['stash', namespace: string, path: string]
  | readonly ['upgrade', namespace: string, id: number]
  /** What is to be told of a group of a handler, or when, may be something else. */
  | readonly ['group', namespace: string, handler: string, key: string]
  /** An event keeps others quiet by a rule, or does not any more. */
  | readonly ['inhibitor', namespace: string, rule: string, client: string, check: string]
  /** What a rule keeps quiet is more or less than before. */
  | readonly ['inhibited', namespace: string, rule: string];

/** One committed write. Sequence numbers are dense: each write has the next one. */
export interface ChangeRecord {
  readonly seq: number;
  readonly changes: readonly Change[];
}

/** `power`: survives a power loss (fsync). `process`: survives a kill of the process. */
export type Durability = 'power' | 'process';

/** The right to write to a shard. A later holder has a higher epoch; writes with an older one are refused. */
export interface Lease {
  readonly name: string;
  readonly epoch: number;
  /** Settles, with the reason, when it is lost: somebody else took it, or what was written under it is gone. */
  readonly lost: Promise<MonError>;
  /** @throws MonError `conflict` when somebody else holds it by now */
  renew(): Promise<void>;
  release(): Promise<void>;
}

/**
 * A durable, ordered log of keys and values under the registry. Keys sort part by part: numbers by value, strings by
 * UTF-8 bytes, numbers before strings.
 */
export interface Store {
  /** Names this store for good; a restored or emptied one has another id. */
  readonly id: string;

  /**
   * Entries whose key starts with the parts of `prefix`, in order, `after` excluded. Sees the state at the call.
   *
   * @param limit most entries; default no limit
   */
  scan(prefix: Key, options?: { readonly after?: Key; readonly limit?: number }): AsyncIterable<readonly [Key, string]>;

  /** Values in the order of `keys`; `undefined` where there is none. */
  getMany(keys: readonly Key[]): Promise<(string | undefined)[]>;

  /** The last sequence number written to the shard; 0 before the first. */
  lastSeq(shard: string): number;

  /**
   * All of `ops` and the change record, or nothing; the last op on a key wins.
   *
   * @returns the sequence number of this write
   * @throws MonError `conflict` when `lease` is not the newest; `unavailable` when the disk refuses: then nothing of it
   * is
   *   there, also after a restart, unless it is an `UnsettledWriteError`
   */
  write(lease: Lease, ops: readonly StoreOp[], changes: readonly Change[], durability?: Durability): Promise<number>;

  /** Whether it takes `amendable` and `amend`; once it does, it always does. */
  readonly canAmend: boolean;

  /** Why it takes no write now: the disk failed, and is tried again and again. Undefined while it takes them. */
  readonly refusal: MonError | undefined;

  /** Calls `listener` whenever it takes writes again. */
  onMended(listener: () => void): Disposable;

  /**
   * Calls `listener` for every write after `afterSeq`: first the retained ones, then each new one, in order; once
   * the returned promise has settled, before the `write` settles.
   *
   * @returns `first`: the oldest sequence number that is retained (writes before it cannot be replayed); `close` ends
   * it
   */
  watch(
    shard: string,
    afterSeq: number,
    listener: (record: ChangeRecord) => void,
  ): Promise<{ readonly first: number; close(): void }>;

  /** The form of what is stored. Whatever it is, reads give the newest and writes take it. */
  readonly schema: StoreSchema;

  /** @throws MonError `conflict` when the lease is held elsewhere */
  acquire(name: string, ttlMs: number): Promise<Lease>;

  close(): Promise<void>;
}

/** What is read of it. */
export type ReadStore = Pick<Store, 'scan' | 'getMany'>;

/** Long work on all that is stored. */
export interface StoreWork {
  /** Ends it after the batch under way, with its reason. What is done stays done. */
  readonly signal: AbortSignal;
  /** Awaited after each batch, for the sake of those who are served meanwhile. Default: nobody is. */
  readonly rest?: (() => Promise<void>) | undefined;
}

export interface UpgradeOptions extends StoreWork {
  readonly onProgress: (progress: StepProgress) => void;
}

/** The form of what is stored, by number, and the way to the newest one (architecture, State). */
export interface StoreSchema {
  readonly version: number;
  /** The one that the program writes. */
  readonly newest: number;

  /**
   * Bytes that are free where it is stored, and that a backup of it or its upgrade needs; undefined: that is the
   * business of those who run the database, and so are backups.
   */
  room(): Promise<{ readonly free: number; readonly needed: number } | undefined>;

  /** Steps that lead from `version` to `newest`, in order. */
  pending(): Promise<readonly PendingStep[]>;

  /** What would keep `upgrade` from a step. */
  obstacles(): Promise<readonly UpgradeObstacle[]>;

  /**
   * Brings all that is stored to the newest form, while others read and write. Nobody may have found an obstacle.
   *
   * @throws MonError `unavailable` when the disk refuses; the reason of the signal. It can be called again.
   */
  upgrade(options: UpgradeOptions): Promise<void>;

  /**
   * A verified copy of all that is stored, as it is at one moment between two writes, whatever is written meanwhile.
   *
   * @param dir must not exist; default: one of its own beneath the state directory
   * @throws MonError `conflict` when `dir` exists, `unavailable` when there is no room or the disk fails
   */
  backUp(options: StoreWork & { readonly dir?: string | undefined }): Promise<{
    readonly dir: string;
    readonly manifest: Readonly<{ entries: number; bytes: number; sha256: string }>;
  }>;
}

/** The purpose of space that is set aside: what goes on while the disk is full, or the next start. */
export type ReserveUse = 'running' | 'opening';

/** The disk of the store. */
export interface Disk {
  /** The directory of the store. */
  readonly dir: string;
  /** Bytes that are free, beside what is set aside; undefined: it cannot be told. */
  freeBytes(): Promise<number | undefined>;
  /** Bytes that are set aside. */
  reservedBytes(use: ReserveUse): Promise<number>;
  /** Takes room on the disk, so that it is there later. */
  setAside(bytes: number, use: ReserveUse): Promise<void>;
  /** Makes what was set aside free. */
  giveOut(use: ReserveUse): Promise<void>;
}

/** Time, so that tests can move it. */
export interface Clock {
  /**
   * Epoch milliseconds. It does not follow the machine's clock where that is set; when that is believed later, all
   * times that wait to come are moved with it (docs/operations.md, Time).
   */
  now(): number;
  /** Milliseconds of a clock that only measures intervals. */
  monotonic(): number;
  /** Calls `task` once after `delayMs`. */
  after(delayMs: number, task: () => void): Disposable;
  /** Calls `task` every `periodMs`, first after one period. */
  every(periodMs: number, task: () => void): Disposable;
}

/** For what is planned ahead. */
export interface PlanningClock extends Clock {
  /** As `now`, without the moves: never goes back and never steps. */
  steady(): number;
}

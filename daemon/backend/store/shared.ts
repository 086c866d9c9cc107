import type { Change, Key, Lease, Store } from '../ports.ts';

/** What the backends that share a store ask it beside what every store is asked. */
export interface SharedStore extends Store {
  /** Names this process among those that share it: whoever holds a lease is named so. */
  readonly self: string;
  /** Where it is, without credentials. */
  readonly shown: string;
  /** A secret by which they recognize each other if they have no peer key; whoever reads the database has it too. */
  readonly secret: string;

  /** All that is stored, as it is at one moment, whatever is written meanwhile. */
  snapshot(shard: string): Promise<StoreSnapshot>;

  /**
   * Writes of whoever held the shard.
   *
   * @param seq after this number
   * @throws MonError `unavailable`
   */
  writtenAfter(shard: string, seq: number, limit: number): Promise<Written>;

  /** Calls `listener` soon after somebody has written; it may miss some while the database is away. */
  onWritten(listener: () => void): Disposable;

  /** Calls `listener` soon after a lease was released; it may miss some while the database is away. */
  onReleased(listener: () => void): Disposable;

  /**
   * Gives a lease back, for another member to take.
   *
   * @param to who is to be first; undefined: anybody
   */
  offer(lease: Lease, to: string | undefined): Promise<void>;

  /**
   * Says that this member is there, and hears how everything stands.
   *
   * @param told undefined: it only listens
   * @throws MonError `unavailable`
   */
  meet(shard: string, told: ToldOfItself | undefined): Promise<Standing>;

  /** This member ends. */
  leave(): Promise<void>;
}

export interface StoreSnapshot extends Pick<Store, 'scan' | 'getMany'>, AsyncDisposable {
  /** The last write that is in it. */
  readonly seq: number;
}

export interface Written {
  /** The id of the write after which it was asked for; undefined: it is not kept any more. */
  readonly after: string | undefined;
  /** In order and without a gap among themselves; when the first is not the next one, those between are not kept any more. */
  readonly records: readonly WrittenRecord[];
}

/** A write, with what it touched: by now there may be later values. */
export interface WrittenRecord {
  readonly seq: number;
  /** No other write has it, also none that has this number in a copy of the database. */
  readonly id: string;
  readonly changes: readonly Change[];
  readonly keys: readonly Key[];
}

export interface ToldOfItself {
  readonly name: string;
  readonly url: string;
  readonly fingerprint: string | undefined;
  /** Proves to the others that a backend with their key has written this row; undefined: an earlier version did. */
  readonly proof: string | undefined;
  readonly version: string;
  /** The last write in its memory. */
  readonly seq: number;
}

/** One that shares the store. Times are epoch milliseconds by the clock of the database. */
export interface StoredMember extends ToldOfItself {
  readonly id: string;
  readonly sinceMs: number;
  readonly seenMs: number;
}

export interface Standing {
  /** By the clock of the database, epoch milliseconds. */
  readonly nowMs: number;
  readonly members: readonly StoredMember[];
  /** Of the shard; undefined: nobody has ever written to it. */
  readonly lease:
    | {
        /** Undefined: it was released. */
        readonly holder: string | undefined;
        readonly sinceMs: number;
        /** When it was released, when it was. */
        readonly goodUntilMs: number;
        /** Whom the last holder wants to come next. */
        readonly offeredTo: string | undefined;
        readonly epoch: number;
        readonly seq: number;
      }
    | undefined;
}

export function isShared(store: Store): store is SharedStore {
  return 'meet' in store;
}

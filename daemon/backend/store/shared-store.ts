import type { Change, Key, Lease, Store } from '../ports.ts';

/** A store that several backends share. */
export interface SharedStore extends Store {
  /** Identifies this process among the backends that share the store, for example as the holder of a lease. */
  readonly self: string;
  /** Location of the store, without credentials. */
  readonly shown: string;
  /**
   * A secret by which the backends recognize each other if they have no peer key. Any reader of the database has it
   * too.
   */
  readonly secret: string;

  /** Reads the whole store as it is at one moment, while writes continue. */
  snapshot(shard: string): Promise<StoreSnapshot>;

  /**
   * Returns writes to a shard, whichever member made them.
   *
   * @param seq after this sequence number
   * @throws MonError `unavailable`
   */
  writtenAfter(shard: string, seq: number, limit: number): Promise<Written>;

  /** Calls `listener` soon after a member has written; it may miss writes while the database is unavailable. */
  onWritten(listener: () => void): Disposable;

  /** Calls `listener` soon after a lease was released; it may miss releases while the database is unavailable. */
  onReleased(listener: () => void): Disposable;

  /**
   * Releases a lease, for another member to acquire.
   *
   * @param to the member that may acquire it first; undefined: any member
   */
  offer(lease: Lease, to: string | undefined): Promise<void>;

  /**
   * Announces this member, and reads the state of the cluster.
   *
   * @param announcement undefined: the member only reads
   * @throws MonError `unavailable`
   */
  meet(shard: string, announcement: MemberAnnouncement | undefined): Promise<Standing>;

  /** Removes this member from the list of members. */
  leave(): Promise<void>;
}

export interface StoreSnapshot extends Pick<Store, 'scan' | 'getMany'>, AsyncDisposable {
  /** The last write that the snapshot contains. */
  readonly seq: number;
}

export interface Written {
  /** The id of the write with the requested sequence number; undefined: it is no longer retained. */
  readonly after: string | undefined;
  /**
   * The writes in order and without a gap between them. If the first is not the next one, those between are no longer
   * retained.
   */
  readonly records: readonly WrittenRecord[];
}

/** A write and the keys it touched, which may have later values by now. */
export interface WrittenRecord {
  readonly seq: number;
  /** Unique among all writes, even if a copy of the database has a write with the same sequence number. */
  readonly id: string;
  readonly changes: readonly Change[];
  readonly keys: readonly Key[];
}

export interface MemberAnnouncement {
  readonly name: string;
  readonly url: string;
  readonly fingerprint: string | undefined;
  /**
   * Proves to the other members that a backend with their key wrote this row; undefined: an earlier version wrote it.
   */
  readonly proof: string | undefined;
  readonly version: string;
  /** The last write in the memory of the member. */
  readonly seq: number;
}

/** A backend that shares the store. Times are epoch milliseconds by the clock of the database. */
export interface StoredMember extends MemberAnnouncement {
  readonly id: string;
  readonly sinceMs: number;
  readonly seenMs: number;
}

export interface Standing {
  /** Time by the clock of the database, epoch milliseconds. */
  readonly nowMs: number;
  readonly members: readonly StoredMember[];
  /** The lease of the shard; undefined: the shard was never written to. */
  readonly lease:
    | {
        /** Undefined: the lease was released. */
        readonly holder: string | undefined;
        readonly sinceMs: number;
        /** Expiry of the lease, or the time of its release. */
        readonly goodUntilMs: number;
        /** The member that the last holder chose as the next. */
        readonly offeredTo: string | undefined;
        readonly epoch: number;
        readonly seq: number;
      }
    | undefined;
}

export function isShared(store: Store): store is SharedStore {
  return 'meet' in store;
}

import type { Change, Key, Lease, Store } from '../ports.ts';

/** A store that several backends share. */
export interface SharedStore extends Store {
  /** Identifies this process among the backends that share the store, for example as the holder of a lease. */
  readonly self: string;
  /** Location of the store as shown to operators, without credentials. */
  readonly shown: string;
  /**
   * A secret in the database, by which the backends authenticate each other if they have no peer key. Anyone who can
   * read the database can read the secret too.
   */
  readonly secret: string;

  /** Opens a view of the whole store as it is at one moment, while writes continue. */
  snapshot(shard: string): Promise<StoreSnapshot>;

  /**
   * Returns the writes to a shard after a sequence number, whichever member made them.
   *
   * @param seq the sequence number after which the writes begin
   * @param limit the maximum number of writes
   * @throws MonError `unavailable` if the database cannot be read
   */
  writtenAfter(shard: string, seq: number, limit: number): Promise<WrittenPage>;

  /**
   * Calls `listener` soon after any member has written; while the database is unavailable, calls can be missing.
   * Disposal removes the listener.
   */
  onWritten(listener: () => void): Disposable;

  /**
   * Calls `listener` soon after a lease was released; while the database is unavailable, calls can be missing. Disposal
   * removes the listener.
   */
  onReleased(listener: () => void): Disposable;

  /**
   * Releases a lease, so that another member can acquire it.
   *
   * @param to the id of the member that should acquire it next; undefined if any member may
   */
  offer(lease: Lease, to: string | undefined): Promise<void>;

  /**
   * Announces this member to the other members, and reads the list of members and the lease of a shard.
   *
   * @param announcement the properties of this member; undefined to read without an announcement
   * @throws MonError `unavailable` if the database cannot be reached
   */
  meet(shard: string, announcement: MemberAnnouncement | undefined): Promise<MemberStanding>;

  /** Removes this member from the list of members. */
  leave(): Promise<void>;

  /**
   * Removes another member from the list of members.
   *
   * @throws MonError `unavailable` if the database cannot be reached
   */
  removeMember(id: string): Promise<void>;
}

export interface StoreSnapshot extends Pick<Store, 'scan' | 'getMany'>, AsyncDisposable {
  /** Sequence number of the last write that the snapshot contains. */
  readonly seq: number;
}

export interface WrittenPage {
  /** The id of the write with the requested sequence number; undefined if this write is no longer retained. */
  readonly after: string | undefined;
  /**
   * The writes after the requested sequence number, in order and without gaps between them. If the first of them does
   * not follow that number directly, the writes in between are no longer retained.
   */
  readonly records: readonly WrittenRecord[];
}

/** A committed write, with the keys that it changed. Since then, the keys can have received newer values. */
export interface WrittenRecord {
  readonly seq: number;
  /**
   * An id that is unique among all writes, even if a copy of the database has another write with the same sequence
   * number.
   */
  readonly id: string;
  readonly changes: readonly Change[];
  readonly keys: readonly Key[];
}

export interface MemberAnnouncement {
  readonly name: string;
  readonly url: string;
  readonly fingerprint: string | undefined;
  /**
   * A signature that proves that a backend with the shared peer key wrote this announcement; undefined if an earlier
   * version of mon wrote it.
   */
  readonly proof: string | undefined;
  readonly version: string;
  /** Sequence number of the last write that the member has in its memory. */
  readonly seq: number;
}

/**
 * A backend that shares the store, as recorded in the database. Times are epoch milliseconds by the clock of the
 * database.
 */
export interface StoredMember extends MemberAnnouncement {
  readonly id: string;
  readonly sinceMs: number;
  readonly seenMs: number;
}

export interface MemberStanding {
  /** The current time by the clock of the database, in epoch milliseconds. */
  readonly nowMs: number;
  readonly members: readonly StoredMember[];
  /** The lease of the shard; undefined if no process has ever acquired it. */
  readonly lease:
    | {
        /** The id of the process that acquired the lease last; undefined if that process released it. */
        readonly holder: string | undefined;
        readonly sinceMs: number;
        /** Time when the lease expires, or when it was released, in epoch milliseconds. */
        readonly goodUntilMs: number;
        /** The id of the member that the last holder chose as the next holder; undefined if any member may be next. */
        readonly offeredTo: string | undefined;
        readonly epoch: number;
        readonly seq: number;
      }
    | undefined;
}

export function isShared(store: Store): store is SharedStore {
  return 'meet' in store;
}

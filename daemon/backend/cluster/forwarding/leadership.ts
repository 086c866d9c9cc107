/** The role of this backend among those that share the store, at the moment. */
export interface Leadership {
  /** True if this backend is the leader: then nothing is forwarded. */
  readonly isWriter: boolean;

  /**
   * True if this backend was the leader and another one is by now. Later writes no longer reach the memory of this
   * backend.
   */
  readonly isSucceeded: boolean;

  /**
   * Returns the leader. Waits a few seconds if there is none.
   *
   * @returns `self` if this backend has become the leader
   * @throws MonError `unavailable` if there is no leader in time; the reason of the signal
   */
  writer(signal?: AbortSignal): Promise<'self' | PeerAddress>;

  /**
   * Resolves when the write with this sequence number is in the memory of this backend.
   *
   * @throws MonError `unavailable` if it does not arrive in time
   */
  caughtUp(seq: number): Promise<void>;

  /**
   * Rejects reads from stale memory. Called before this backend answers by itself.
   *
   * @throws MonError `unavailable` while it is too far behind the leader
   */
  refuseStale(): void;

  /** Sequence number of the newest write that is committed and in the memory of this backend. */
  readonly seq: number;
}

/** The address of another backend, such as the leader. */
export interface PeerAddress {
  readonly id: string;
  /** URL of its API, such as `https://10.0.0.1:4567`. */
  readonly url: string;
  /** SHA-256 of its certificate in hexadecimal, with or without colons; undefined: it uses plain HTTP. */
  readonly fingerprint: string | undefined;
}

/** The current role of this backend, leader or follower, and how far its memory is behind the leader. */
export interface Leadership {
  /** True if this backend is the leader, so that it forwards no requests. */
  readonly isLeader: boolean;

  /**
   * True if this backend was the leader and another member is the leader now. The writes of that member do not reach
   * the memory of this backend.
   */
  readonly hasSuccessor: boolean;

  /**
   * Returns the address of the leader, or `self` if this backend is the leader. If there is no leader, waits a few
   * seconds for one.
   *
   * @throws MonError `unavailable` if there is no leader in time, or the leader is not trusted; the abort reason of
   *   `signal`
   */
  awaitLeader(signal?: AbortSignal): Promise<'self' | PeerAddress>;

  /**
   * Resolves when the write with this sequence number is in the memory of this backend.
   *
   * @throws MonError `unavailable` if it does not arrive in time
   */
  waitForWrite(seq: number): Promise<void>;

  /**
   * Throws if the memory of this backend can be stale. Call it before a request is answered from memory.
   *
   * @throws MonError `unavailable` if this backend is too far behind the leader, or in doubt about its own leadership
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
  /** SHA-256 of its certificate in hexadecimal, with or without colons; undefined if it serves plain HTTP. */
  readonly fingerprint: string | undefined;
}

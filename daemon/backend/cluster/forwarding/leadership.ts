/** How this backend stands among those that share the store, at the moment. */
export interface Leadership {
  /** Whether this one writes now: then nothing is sent on. */
  readonly isWriter: boolean;

  /** Whether this one has written, and another one does by now: what that writes does not come into the memory of this one any more. */
  readonly isSucceeded: boolean;

  /**
   * Who writes. Waits up to a few seconds for one to be there.
   *
   * @returns `self` when it is this one by then
   * @throws MonError `unavailable` when none comes in time; the reason of the signal
   */
  writer(signal?: AbortSignal): Promise<'self' | PeerPlace>;

  /**
   * Settles when the write with this number is in the memory of this backend.
   *
   * @throws MonError `unavailable` when it does not come in time
   */
  caughtUp(seq: number): Promise<void>;

  /**
   * Asked before this backend answers by itself.
   *
   * @throws MonError `unavailable` while it is too far behind the one that writes
   */
  refuseStale(): void;

  /** Of the newest write that is committed and in the memory of this backend. */
  readonly seq: number;
}

/** Where another backend is reached, such as the one that writes. */
export interface PeerPlace {
  readonly id: string;
  /** Of its API: `https://10.0.0.1:4567`. */
  readonly url: string;
  /** SHA-256 of its certificate in hexadecimal, with or without colons; undefined: it speaks plain HTTP. */
  readonly fingerprint: string | undefined;
}

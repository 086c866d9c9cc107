/** The sizes of the measurements, from the command line. */
export interface BenchSizes {
  /** Clients in the store of `clients`. */
  readonly clients: number;
  /** Results in the store of `start`, and in the part `start` of `turns`. */
  readonly results: number;
  /** Sizes of `cluster`: idle agents of each member, checks in the store, results per second at each leader. */
  readonly agents: number;
  readonly keys: number;
  readonly rate: number;
  /** Parts of `cluster` and `turns` to run; empty means all. */
  readonly parts: readonly string[];
  /** Transitions in the week of `travel`. */
  readonly transitions: number;
  /** Servers of `peers` that already run, as KIND=URL. */
  readonly peers: readonly string[];
  /**
   * The clone of the project that `turns` compares with this one; `undefined` compares this one with itself.
   */
  readonly other: string | undefined;
}

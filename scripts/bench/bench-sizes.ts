/** The sizes of the benchmarks, as given on the command line. */
export interface BenchSizes {
  /** Number of clients in the store of the benchmark `clients`. */
  readonly clients: number;
  /** Number of results in the store of the benchmark `start`, and in the part `start` of `turns`. */
  readonly results: number;
  /**
   * Number of idle agents of each member in the benchmark `cluster`. `keys` is the number of keys in its store; `rate`
   * is the results per second at each leader.
   */
  readonly agents: number;
  readonly keys: number;
  readonly rate: number;
  /** Parts of the benchmarks `cluster` and `turns` to run; empty means all parts. */
  readonly parts: readonly string[];
  /** Number of transitions in the week of the benchmark `travel`. */
  readonly transitions: number;
  /** Servers that already run, for the benchmark `peers`, each as KIND=URL. */
  readonly peers: readonly string[];
  /**
   * Path of the repository clone that the benchmark `turns` compares with this clone; `undefined` compares this clone
   * with itself.
   */
  readonly other: string | undefined;
}

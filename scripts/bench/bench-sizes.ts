/** How much is measured with, from the command line. */
export interface BenchSizes {
  /** In the store of `clients`. */
  readonly clients: number;
  /** In the store of `start`, and of the part of `turns` of that name. */
  readonly results: number;
  /** Of `cluster`: idle agents of each member, checks in the store, results per second at each writer. */
  readonly agents: number;
  readonly keys: number;
  readonly rate: number;
  /** Of `cluster` and `turns`: which parts; none: all. */
  readonly parts: readonly string[];
  /** Of the week of `travel`. */
  readonly transitions: number;
  /** Servers that run already, of `peers`, as KIND=URL. */
  readonly peers: readonly string[];
  /** Of `turns`: the clone of the project that is measured beside this one; undefined: this one itself. */
  readonly other: string | undefined;
}

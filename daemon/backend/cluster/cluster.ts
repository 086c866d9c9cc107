import type { ClusterView } from '../../../shared/schemas/cluster.ts';

/** The backends that share a store: this one, the one that writes, and the others. */
export interface Cluster {
  /** How it stands, as this member knows it. */
  view(): ClusterView;

  /**
   * Has another member write, and waits until it does; writes wait meanwhile, and none of them fails.
   *
   * @param to id or name of the member; default: any other one
   * @returns how it stands then
   * @throws MonError `invalid` when there is nobody else or the name is ambiguous, `not_found` when there is no such member,
   *   `conflict` when that one is behind or gone, `unavailable` when it does not come to it in time
   */
  handOver(to: string | undefined): Promise<ClusterView>;
}

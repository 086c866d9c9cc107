import type { ClusterView } from '../../../shared/schemas/cluster.ts';

/** The backends that share a store: this one, the leader, and the others. */
export interface Cluster {
  /** Returns the state of the cluster, as this member knows it. */
  view(): ClusterView;

  /**
   * Hands the leadership over to another member, and waits until that member is the leader. Writes wait meanwhile, and
   * none of them fails.
   *
   * @param to id or name of the member; default: any other member
   * @returns the state of the cluster afterwards
   * @throws MonError `invalid` if there is no other member or the name is ambiguous, `not_found` if there is no such
   *   member, `conflict` if that member is behind or gone, `unavailable` if the handover does not complete in time
   */
  handOver(to: string | undefined): Promise<ClusterView>;
}

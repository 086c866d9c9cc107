import type { ClusterView } from '../../../shared/schemas/cluster.ts';

/** The cluster: all backends that share a store, including this backend. */
export interface Cluster {
  /** Returns the state of the cluster, as this member knows it. */
  view(): ClusterView;

  /** False if this member has accepted no writes for some seconds, because there is no leader or no database. */
  readonly acceptsWrites: boolean;

  /**
   * Hands the leadership over to another member, and waits until that member is the leader. Writes are delayed during
   * the handover, but they do not fail.
   *
   * @param to id or name of the next leader; if undefined, the member with the least lag is chosen
   * @returns the state of the cluster afterwards
   * @throws MonError `invalid` if there is no other member or the name is ambiguous, `not_found` if there is no such
   *   member, `conflict` if the member is lagging, lost, not trusted or the leader already, `unavailable` if this
   *   backend is not the leader or no member takes over in time
   */
  handOver(to: string | undefined): Promise<ClusterView>;

  /**
   * Removes a lost member from the list of members. If the member comes back, it lists itself again.
   *
   * @param id the id of the member
   * @returns the state of the cluster afterwards
   * @throws MonError `unavailable` if the database cannot be reached
   */
  remove(id: string): Promise<ClusterView>;
}

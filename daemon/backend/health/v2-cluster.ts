import type { OnV2 } from '../http/route.ts';
import type { Store } from '../ports.ts';
import type { BackendStatus } from './backend-status.ts';
import { memberOf } from './v2-member.ts';

/** What the one member of a cluster is told of. */
export interface ClusterDeps {
  readonly status: BackendStatus;
  readonly store: Store;
}

/** `cluster id` and `cluster member-list` of clients: one member, itself (clients 6). */
export function clusterOnV2({ status, store }: ClusterDeps): OnV2<'cluster'> {
  return {
    id: (_request, reply) => reply.type('text/plain; charset=utf-8').send(JSON.stringify(store.id)),
    members: (_request, reply) => {
      const { id } = memberOf(store.id);
      const header = { cluster_id: id, member_id: id, raft_term: 1 };
      // There is nobody to replicate to, so there are no addresses to tell.
      const member = { ID: id, name: status.hostname, peerURLs: [], clientURLs: [] };
      return reply.type('text/plain; charset=utf-8').send(JSON.stringify({ header, members: [member] }));
    },
  };
}

import type { V2Handlers } from '../http/route.ts';
import { memberId, v2Members, type MemberDependencies } from './v2-member.ts';

/**
 * Serves the id and the members of the cluster, for the commands `cluster id` and `cluster member-list` (clients 6).
 */
export function clusterOnV2(deps: MemberDependencies): V2Handlers<'cluster'> {
  const { store } = deps;
  return {
    id: (_request, reply) => reply.type('text/plain; charset=utf-8').send(JSON.stringify(store.id)),
    members: (_request, reply) => {
      const { own, members } = v2Members(deps);
      const header = { cluster_id: memberId(store.id).number, member_id: own.number, raft_term: 1 };
      const shown = members.map(({ id, name, urls }) => ({ ID: id.number, name, peerURLs: urls, clientURLs: urls }));
      return reply.type('text/plain; charset=utf-8').send(JSON.stringify({ header, members: shown }));
    },
  };
}

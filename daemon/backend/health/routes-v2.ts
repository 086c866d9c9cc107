import type { V2_HEALTH } from '../../../shared/api/v2.ts';
import type { Handlers } from '../http/route.ts';
import { memberId, v2Members, type MemberDependencies } from './v2-member.ts';

/**
 * Serves `GET /health` of the v2 API to all callers: the members with their problems, always with the status 200
 * (clients 6). On the main listener this path belongs to the v1 API.
 */
export function healthOnV2(deps: MemberDependencies): Handlers<typeof V2_HEALTH> {
  return {
    health: (_request, reply) => {
      const { own, members } = v2Members(deps);
      const health = {
        Alarms: null,
        ClusterHealth: members.map(({ id, name, problem }) => ({
          MemberID: id.number,
          MemberIDHex: id.hex,
          Name: name,
          Err: problem,
          Healthy: problem === '',
        })),
        Header: { cluster_id: memberId(deps.store.id).number, member_id: own.number, raft_term: 1 },
      };
      return reply.type('text/plain; charset=utf-8').send(JSON.stringify(health));
    },
  };
}

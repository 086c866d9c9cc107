import type { V2_HEALTH } from '../../../shared/api/v2.ts';
import type { BackendStatus } from './backend-status.ts';
import type { Handlers } from '../http/route.ts';
import type { ClusterDeps } from './v2-cluster.ts';
import { memberOf } from './v2-member.ts';

/**
 * `GET /health` of the newer API, open to everybody and always 200: one member, with what ails it (clients 6). On
 * the main listener this path is the one of the legacy API.
 */
export function healthOnV2({ status, store }: ClusterDeps): Handlers<typeof V2_HEALTH> {
  const { id: memberId, hex: memberIdHex } = memberOf(store.id);
  return {
    health: (_request, reply) => {
      const problem = problemOf(status);
      const member = {
        MemberID: memberId,
        MemberIDHex: memberIdHex,
        Name: status.hostname,
        Err: problem,
        Healthy: problem === '',
      };
      const health = {
        Alarms: null,
        ClusterHealth: [member],
        Header: { cluster_id: memberId, member_id: memberId, raft_term: 1 },
      };
      return reply.type('text/plain; charset=utf-8').send(JSON.stringify(health));
    },
  };
}

/** Empty: nothing ails it. */
function problemOf({ isStoreOpen, isTakingResults }: BackendStatus): string {
  if (!isStoreOpen) return 'the store does not accept writes';
  return isTakingResults ? '' : 'the backend is stopping';
}

import type { FastifyInstance } from 'fastify';
import type { ApiParts } from '../http/parts.ts';
import { needs, routes } from '../http/route.ts';
import { memberOf } from '../http/v2-member.ts';

/**
 * `GET /health` of the newer API, open to everybody and always 200: one member, with what ails it (clients 6). On
 * the main listener this path is the one of the legacy API.
 */
export function v2HealthRoutes(app: FastifyInstance, { status, store }: ApiParts): void {
  const { id: memberId, hex: memberIdHex } = memberOf(store.id);
  routes(app, '/health', {
    GET: needs('public', (_request, reply) => {
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
    }),
  });
}

/** Empty: nothing ails it. */
function problemOf({ isStoreOpen, isTakingResults }: ApiParts['status']): string {
  if (!isStoreOpen) return 'the store does not accept writes';
  return isTakingResults ? '' : 'the backend is stopping';
}

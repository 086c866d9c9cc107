import type { FastifyInstance } from 'fastify';
import { V2_PREFIX } from '../access/principal.ts';
import type { ApiParts } from '../http/parts.ts';
import { needs, routes } from '../http/route.ts';
import { memberOf } from '../http/v2-member.ts';

/** `cluster id` and `cluster member-list` of clients: one member, itself (clients 6). */
export function clusterRoutes(app: FastifyInstance, parts: ApiParts): void {
  const { store, status } = parts;
  routes(app, `${V2_PREFIX}/cluster/id`, {
    GET: needs('admin', (_request, reply) => reply.type('text/plain; charset=utf-8').send(JSON.stringify(store.id))),
  });
  routes(app, `${V2_PREFIX}/cluster/members`, {
    GET: needs('admin', (_request, reply) => {
      const { id } = memberOf(store.id);
      const header = { cluster_id: id, member_id: id, raft_term: 1 };
      // There is nobody to replicate to, so there are no addresses to tell.
      const member = { ID: id, name: status.hostname, peerURLs: [], clientURLs: [] };
      return reply.type('text/plain; charset=utf-8').send(JSON.stringify({ header, members: [member] }));
    }),
  });
}

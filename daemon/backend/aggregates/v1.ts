import type { FastifyInstance } from 'fastify';
import { sendList } from '../http/list.ts';
import { v1Face } from '../http/face.ts';
import { v1Namespace, type ApiParts } from '../http/parts.ts';
import { needs, routes } from '../http/route.ts';
import { aggregateMemberRoutes } from './members.ts';

/** Named aggregates (completion 1.7). */
export function aggregateRoutes(app: FastifyInstance, parts: ApiParts): void {
  routes(app, '/aggregates', {
    GET: needs('read', (request, reply) =>
      sendList(request, reply, v1Namespace(parts).aggregates.sorted(), (some) => some.map(({ name }) => ({ name }))),
    ),
  });
  aggregateMemberRoutes(app, parts, v1Face('/aggregates/:aggregate', parts));
}

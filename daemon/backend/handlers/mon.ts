import type { FastifyInstance } from 'fastify';
import { handlerStatuses } from './read.ts';
import { visibleNamespaces } from '../http/v2-collection.ts';
import { sendList } from '../http/list.ts';
import type { ApiParts } from '../http/parts.ts';
import { monRoutes } from '../http/mon-routes.ts';

/** What each handler does and has before it. */
export function handlerRoutes(app: FastifyInstance, parts: ApiParts): void {
  const { clock, config, handlers, deadLetters } = parts;
  const { definitions } = config;
  monRoutes(app, {
    handlers: (request, reply) => {
      const namespaces = visibleNamespaces(request, parts);
      const statuses = handlerStatuses({ definitions, handlers, deadLetters }, namespaces, clock.now());
      return sendList(request, reply, statuses, (some) => some);
    },
  });
}

import type { FastifyInstance } from 'fastify';
import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';
import { handlerStatuses } from '../../read/handlers.ts';
import { sendList } from '../list.ts';
import type { ApiParts } from '../parts.ts';
import { needs, routes } from '../routes.ts';

/** What each handler does and has before it. */
export function handlerRoutes(app: FastifyInstance, { config, clock, handlers, deadLetters }: ApiParts): void {
  routes(app, '/api/mon/v1/handlers', {
    GET: needs('read', (request, reply) =>
      sendList(
        request,
        reply,
        handlerStatuses(config.definitions.in(DEFAULT_NAMESPACE), handlers, deadLetters, clock.now()),
        (some) => some,
      ),
    ),
  });
}

import type { FastifyInstance } from 'fastify';
import { MonError } from '../../../shared/errors.ts';
import { resolveSchema } from '../../../shared/schemas/event.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import { actorOf } from '../access/actor.ts';
import { readBody, validator } from '../http/json-body.ts';
import { issued, type ApiParts } from '../http/parts.ts';
import { routes } from '../http/route.ts';
import { needsOfEvents } from '../http/v1-internal-failures.ts';

const validate = validator(resolveSchema);

/** Resolves an event on request (completion 1.4). */
export function resolveRoutes(app: FastifyInstance, parts: ApiParts): void {
  routes(app, '/resolve', {
    POST: needsOfEvents('resolve', async (request, reply) => {
      const { client, check } = readBody(request, validate);
      try {
        await parts.events.resolve(DEFAULT_NAMESPACE, client, check, actorOf(request));
      } catch (error) {
        // The one error without a body (reference 4.4).
        if (error instanceof MonError && error.code === 'not_found') return reply.code(404).send();
        throw error;
      }
      return reply.code(202).send(issued(parts));
    }),
  });
}

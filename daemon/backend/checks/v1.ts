import type { FastifyInstance } from 'fastify';
import { MonError } from '../../../shared/errors.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import { shownCheck, shownChecks } from './read.ts';
import { actorOf } from '../access/actor.ts';
import { sendList } from '../http/list.ts';
import { issued, type ApiParts } from '../http/parts.ts';
import { pathName } from '../http/path-name.ts';
import { needs, routes } from '../http/route.ts';

/** Check definitions, and what is known of a check (completion 1.6). */
export function checkRoutes(app: FastifyInstance, parts: ApiParts): void {
  const { checks, config } = parts;

  routes(app, '/checks', {
    GET: needs('read', (request, reply) =>
      sendList(request, reply, shownChecks(config.definitions.in(DEFAULT_NAMESPACE)), (some) => some),
    ),
  });

  routes(app, '/checks/:check', {
    GET: needs('read', (request) => {
      const name = pathName(request, 'check');
      const check = shownCheck(config.definitions.in(DEFAULT_NAMESPACE), name);
      if (check === undefined) throw new MonError('not_found', `no check ${name} is defined for subscriptions`);
      return check;
    }),

    // Accepted also when nothing is known of it, as at the peer.
    DELETE: needs('resolve', async (request, reply) => {
      await checks.remove(DEFAULT_NAMESPACE, pathName(request, 'check'), actorOf(request));
      return reply.code(202).send(issued(parts));
    }),
  });
}

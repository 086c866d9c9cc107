import type { FastifyInstance } from 'fastify';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import { requestSchema } from '../../../shared/schemas/request.ts';
import { creatorOf } from '../access/principal.ts';
import { actorOf } from '../access/actor.ts';
import { readBody, validator } from '../http/json-body.ts';
import { issued, type ApiParts } from '../http/parts.ts';
import { needs, routes } from '../http/route.ts';

const validate = validator(requestSchema);

/** Asks for one run of a check now (completion 1.6). */
export function requestRoutes(app: FastifyInstance, parts: ApiParts): void {
  routes(app, '/request', {
    POST: needs('resolve', async (request, reply) => {
      const { check, subscribers, reason, creator: claimed } = readBody(request, validate);
      const creator = creatorOf(request.principal, claimed);
      const order = {
        check,
        subscribers: subscribers?.filter((subscription) => typeof subscription === 'string'),
        apiRequested: { reason: reason ?? null, creator: creator ?? null },
      };
      parts.requests.refuseUnknown(DEFAULT_NAMESPACE, check);
      // Before it is sent: there must be no run that nobody is known to have asked for.
      await parts.audit.record(actorOf(request, creator), {
        action: 'check.request',
        target: check,
        after: { subscribers: order.subscribers ?? null },
        reason,
      });
      await parts.requests.order(DEFAULT_NAMESPACE, order);
      return reply.code(202).send(issued(parts));
    }),
  });
}

import type { FastifyInstance } from 'fastify';
import { requestSchema } from '../../../shared/schemas/request.ts';
import { creatorOf } from '../access/principal.ts';
import { actorOf } from '../access/actor.ts';
import { readBody, validator } from '../http/json-body.ts';
import { targetIn } from '../audit/write.ts';
import { monFace, v1Face, type Face } from '../http/face.ts';
import { issued, type ApiParts } from '../http/parts.ts';
import { routes } from '../http/route.ts';

const validate = validator(requestSchema);

/** Asks for one run of a check now (completion 1.6), on the wire of v1 and of ours. */
export function requestRoutes(app: FastifyInstance, parts: ApiParts): void {
  requestRoutesAt(app, parts, v1Face('/request', parts));
  requestRoutesAt(app, parts, monFace('/request', parts));
}

function requestRoutesAt(app: FastifyInstance, parts: ApiParts, { path, namespaceOf, needs }: Face): void {
  routes(app, path, {
    POST: needs('resolve', async (request, reply) => {
      const { check, subscribers, reason, creator: claimed } = readBody(request, validate);
      const { name: namespace } = namespaceOf(request);
      const creator = creatorOf(request.principal, claimed);
      const order = {
        check,
        subscribers: subscribers?.filter((subscription) => typeof subscription === 'string'),
        apiRequested: { reason: reason ?? null, creator: creator ?? null },
      };
      parts.requests.refuseUnknown(namespace, check);
      // Before it is sent: there must be no run that nobody is known to have asked for.
      await parts.audit.record(actorOf(request, creator), {
        action: 'check.request',
        target: targetIn(namespace, check),
        after: { subscribers: order.subscribers ?? null },
        reason,
      });
      await parts.requests.order(namespace, order);
      return reply.code(202).send(issued(parts));
    }),
  });
}

import type { FastifyInstance } from 'fastify';
import { coreCheckOf } from '../../../../shared/domain/core/check.ts';
import { subscriptionOfCore } from '../../../../shared/domain/core/subscription.ts';
import { coreCheckSchema } from '../../../../shared/schemas/core/check.ts';
import { executeCheckSchema } from '../../../../shared/schemas/core/execute-check.ts';
import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';
import { CORE_PREFIX } from '../access.ts';
import { actorOf } from '../actor.ts';
import { readBody, validator } from '../json-body.ts';
import { issued, type ApiParts } from '../parts.ts';
import { needs, routes } from '../routes.ts';
import { collectionRoutes, inNamespace, pathPart } from './collection.ts';
import { definitionCollection } from './definitions.ts';
import { notFound } from './errors.ts';

const validateExecution = validator(executeCheckSchema);

/** Check definitions, and running one now (completion 1.17). */
export function coreCheckRoutes(app: FastifyInstance, parts: ApiParts): void {
  const { audit, config, registry, requests } = parts;
  const { definitions } = config;
  const collection = definitionCollection(parts, {
    kind: 'checks',
    fieldRoot: 'check',
    schema: coreCheckSchema,
    configured: () =>
      [...definitions.configured('checks').values()].map((check) => coreCheckOf(DEFAULT_NAMESPACE, check)),
    place: inNamespace,
  });
  collectionRoutes(app, parts, collection);

  routes(app, `${CORE_PREFIX}/namespaces/:namespace/checks/:name/execute`, {
    POST: needs('resolve', async (request, reply) => {
      const namespace = pathPart(request, 'namespace');
      const check = pathPart(request, 'name');
      const isThere = registry.declared.has(namespace) && definitions.in(namespace).check(check) !== undefined;
      if (!isThere) throw notFound();
      const { creator, reason, subscriptions } = readBody(request, validateExecution);
      const actor = actorOf(request, creator);
      const subscribers = (subscriptions ?? []).length === 0 ? undefined : subscriptions?.map(subscriptionOfCore);
      // Before it is sent: there must be no run that nobody is known to have asked for.
      await audit.record(actor, {
        action: 'check.request',
        target: namespace === DEFAULT_NAMESPACE ? check : `${namespace}/${check}`,
        after: { subscribers: subscribers ?? null },
        reason,
      });
      const apiRequested = { reason: reason ?? null, creator: actor.who };
      await requests.order(namespace, { check, subscribers, apiRequested });
      // As text, which the peer calls it; its clients do not look.
      return reply
        .code(202)
        .type('text/plain')
        .send(JSON.stringify(issued(parts)));
    }),
  });
}

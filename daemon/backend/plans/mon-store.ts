import type { FastifyInstance } from 'fastify';
import { storeUpgradeRequestSchema } from '../../../shared/schemas/store-upgrade.ts';
import { actorOf } from '../access/actor.ts';
import { readBody, validator } from '../http/json-body.ts';
import type { ApiParts } from '../http/parts.ts';
import { inAllNamespaces, routes } from '../http/route.ts';

const validate = validator(storeUpgradeRequestSchema);

/** The schema of the store, and its upgrade while the backend serves. */
export function storeRoutes(app: FastifyInstance, { storeUpgrades }: ApiParts): void {
  routes(app, '/api/mon/v1/store/upgrade', {
    GET: inAllNamespaces('read', () => storeUpgrades.status()),
    POST: inAllNamespaces('admin', async (request, reply) => {
      await storeUpgrades.start(actorOf(request), readBody(request, validate));
      return reply.code(202).send(await storeUpgrades.status());
    }),
  });
}

import type { FastifyInstance } from 'fastify';
import { storeUpgradeRequestSchema } from '../../../../shared/schemas/store-upgrade.ts';
import { actorOf } from '../actor.ts';
import { readBody, validator } from '../json-body.ts';
import type { ApiParts } from '../parts.ts';
import { inAllNamespaces, routes } from '../routes.ts';

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

import type { FastifyInstance } from 'fastify';
import { MON_API } from '../../../shared/api/mon.ts';
import { actorOf } from '../access/actor.ts';
import { readBody } from '../http/json-body.ts';
import type { ApiParts } from '../http/parts.ts';
import { bodyValidator, monRoutes } from '../http/mon-routes.ts';

const validate = bodyValidator(MON_API.startStoreUpgrade);

/** The schema of the store, and its upgrade while the backend serves. */
export function storeRoutes(app: FastifyInstance, { storeUpgrades }: ApiParts): void {
  monRoutes(app, {
    storeUpgrade: () => storeUpgrades.status(),
    startStoreUpgrade: async (request) => {
      await storeUpgrades.start(actorOf(request), readBody(request, validate));
      return storeUpgrades.status();
    },
  });
}

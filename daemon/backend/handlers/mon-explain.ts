import type { FastifyInstance } from 'fastify';
import { MonError } from '../../../shared/errors.ts';
import type { Explanation } from '../../../shared/schemas/explain.ts';
import { explainEvent } from './explain.ts';
import { askedNamespace } from '../http/asked-namespace.ts';
import type { ApiParts } from '../http/parts.ts';
import { pathName } from '../http/path-name.ts';
import { monRoutes } from '../http/mon-routes.ts';

/** "Why was I not paged?" */
export function explainRoutes(app: FastifyInstance, parts: ApiParts): void {
  monRoutes(app, {
    explainEvent: async (request): Promise<Explanation> => {
      const client = pathName(request, 'client');
      const check = pathName(request, 'check');
      const entry = askedNamespace(request, parts).check(client, check);
      const explanation = entry === undefined ? undefined : await explainEvent(parts, entry, parts.clock.now());
      if (explanation === undefined) {
        throw new MonError('not_found', `there is neither an event nor a result of ${client}/${check}`);
      }
      return explanation;
    },
  });
}

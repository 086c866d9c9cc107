import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { Simulation } from '../../../shared/schemas/explain.ts';
import { incomingFromApi } from './write.ts';
import { simulateResult } from './simulate.ts';
import { validateSubmitted } from './validate-result.ts';
import { readClient } from '../clients/read.ts';
import { readBody } from '../http/json-body.ts';
import { askedNamespace } from '../http/asked-namespace.ts';
import type { ApiParts } from '../http/parts.ts';
import { monRoutes } from '../http/mon-routes.ts';

/** What a result would do, said by the rules that would do it. */
export function simulateRoutes(app: FastifyInstance, parts: ApiParts): void {
  const { clock, config, handling, store } = parts;
  monRoutes(app, {
    simulate: async (request): Promise<Simulation> => {
      const nowMs = clock.now();
      const namespace = askedNamespace(request, parts);
      const result = incomingFromApi(
        readBody(request, validateSubmitted),
        config.definitions.in(namespace.name),
        Math.floor(nowMs / 1000),
      );
      const record = await readClient(store, namespace.clients.get(result.client));
      return simulateResult({ namespace, record, handling, nowMs, newId: randomUUID }, result);
    },
  });
}

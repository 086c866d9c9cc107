import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { Simulation } from '../../../../shared/schemas/explain.ts';
import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';
import { incomingFromApi } from '../../pipeline/results.ts';
import { simulateResult } from '../../pipeline/simulate.ts';
import { validateSubmitted } from '../../pipeline/validate-result.ts';
import { readClient } from '../../read/clients.ts';
import { readBody } from '../json-body.ts';
import { legacyNamespace, type ApiParts } from '../parts.ts';
import { needs, routes } from '../routes.ts';

/** What a result would do, said by the rules that would do it. */
export function simulateRoutes(app: FastifyInstance, parts: ApiParts): void {
  const { clock, config, handling, store } = parts;
  routes(app, '/api/mon/v1/simulate', {
    POST: needs('read', async (request): Promise<Simulation> => {
      const nowMs = clock.now();
      const result = incomingFromApi(
        readBody(request, validateSubmitted),
        config.definitions.in(DEFAULT_NAMESPACE),
        Math.floor(nowMs / 1000),
      );
      const namespace = legacyNamespace(parts);
      const record = await readClient(store, namespace.clients.get(result.client));
      return simulateResult({ namespace, record, handling, nowMs, newId: randomUUID }, result);
    }),
  });
}

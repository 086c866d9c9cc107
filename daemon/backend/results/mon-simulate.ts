import { randomUUID } from 'node:crypto';
import type { Simulation } from '../../../shared/schemas/explain.ts';
import { incomingFromApi } from './commands.ts';
import { simulateResult, type PredictRuleVerdicts } from './simulate.ts';
import { validateSubmitted } from './validate-result.ts';
import { readClient } from '../model/clients/queries.ts';
import { readBody } from '../http/json-body.ts';
import { requestedNamespace, type NamespaceDependencies } from '../namespaces/request-namespaces.ts';
import type { ConfigInForce } from '../config/config-in-force.ts';
import type { Routing } from '../model/notify/routing.ts';
import type { Clock, Store } from '../ports.ts';
import type { MonHandlers } from '../http/route.ts';

interface SimulationDependencies extends NamespaceDependencies {
  readonly clock: Clock;
  readonly config: ConfigInForce;
  readonly routing: Routing;
  readonly store: Store;
}

/**
 * Serves the route that simulates a result: it evaluates the result by the same rules as a real one, and stores
 * nothing.
 *
 * @param rulesAfter returns the verdicts of the aggregate rules as if the result were stored
 */
export function simulationOnMon(
  deps: SimulationDependencies,
  rulesAfter: PredictRuleVerdicts,
): MonHandlers<'simulate'> {
  const { clock, config, registry, routing, store } = deps;
  return {
    simulate: async (request): Promise<Simulation> => {
      const nowMs = clock.now();
      const namespace = requestedNamespace(request, deps);
      const result = incomingFromApi(
        readBody(request, validateSubmitted),
        config.definitions.inNamespace(namespace.name),
        Math.floor(nowMs / 1000),
      );
      const record = await readClient(store, namespace.clients.get(result.client));
      return simulateResult({ namespace, record, routing, registry, nowMs, newId: randomUUID, rulesAfter }, result);
    },
  };
}

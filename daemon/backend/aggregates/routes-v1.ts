import { sendList } from '../http/list.ts';
import type { V1Handlers } from '../http/route.ts';
import { v1Namespace } from '../namespaces/request-namespaces.ts';
import { aggregateHandlers, type AggregateDependencies } from './members.ts';

/** Serves aggregates in the v1 API (completion 1.7). */
export function aggregatesOnV1(
  deps: AggregateDependencies,
): V1Handlers<
  'aggregates' | 'aggregate' | 'aggregateClients' | 'aggregateChecks' | 'aggregateResults' | 'deleteAggregate'
> {
  return {
    aggregates: (request, reply) =>
      sendList(request, reply, v1Namespace(request, deps).aggregates.sorted(), (some) =>
        some.map(({ name }) => ({ name })),
      ),
    ...aggregateHandlers(deps, v1Namespace),
  };
}

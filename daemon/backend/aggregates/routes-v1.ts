import { sendList } from '../http/list.ts';
import type { OnV1 } from '../http/route.ts';
import { v1Namespace } from '../namespaces/request-namespaces.ts';
import { oneAggregate, type AggregateDeps } from './members.ts';

/** Serves aggregates in the v1 API (completion 1.7). */
export function aggregatesOnV1(
  deps: AggregateDeps,
): OnV1<'aggregates' | 'aggregate' | 'aggregateClients' | 'aggregateChecks' | 'aggregateResults' | 'deleteAggregate'> {
  return {
    aggregates: (request, reply) =>
      sendList(request, reply, v1Namespace(request, deps).aggregates.sorted(), (some) =>
        some.map(({ name }) => ({ name })),
      ),
    ...oneAggregate(deps, v1Namespace),
  };
}

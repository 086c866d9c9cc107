import type { FastifyRequest } from 'fastify';
import type { ParsedQuery } from '../../../shared/api/endpoint.ts';
import type { MON_API } from '../../../shared/api/mon.ts';
import { SEVERITIES, type Severity } from '../../../shared/domain/severity.ts';
import { MonError } from '../../../shared/errors.ts';
import type { AggregateResults, AggregateSummary } from '../../../shared/schemas/aggregate.ts';
import type { EventCache } from '../model/events/event-cache.ts';
import {
  checksOf,
  checksOfClient,
  clientsOf,
  freshSummaryOf,
  readOutputs,
  summaryOf,
  type Freshness,
  type MemberOutput,
} from './queries.ts';
import type { CheckAggregate, ClientEntry, Namespace } from '../model/registry/namespace.ts';
import { actorOf } from '../access/actor.ts';
import { sendList } from '../http/list.ts';
import { pathName } from '../http/path-name.ts';
import type { MonHandlers } from '../http/route.ts';
import type { NamespaceDependencies, NamespaceOf } from '../namespaces/request-namespaces.ts';
import type { ConfigInForce } from '../config/config-in-force.ts';
import type { Clock, Store } from '../ports.ts';
import type { Aggregates } from './commands.ts';

/** Dependencies of the routes for aggregates in the v1 and mon API. */
export interface AggregateDependencies extends NamespaceDependencies {
  readonly aggregates: Aggregates;
  readonly memberOutputs: EventCache<MemberOutput>;
  readonly clock: Clock;
  readonly config: Pick<ConfigInForce, 'program'>;
  readonly store: Store;
}

/**
 * Returns the request handlers for a single aggregate in the v1 or mon API.
 *
 * @param shown callback that returns the summary of the aggregate as the API shows it
 */
export function aggregateHandlers(
  deps: AggregateDependencies,
  namespaceOf: NamespaceOf,
  shown = (_namespace: Namespace, _aggregate: CheckAggregate, summary: AggregateSummary): AggregateSummary => summary,
): MonHandlers<'aggregate' | 'deleteAggregate' | 'aggregateClients' | 'aggregateChecks' | 'aggregateResults'> {
  const { aggregates, clock, memberOutputs, store } = deps;

  function find(request: FastifyRequest): CheckAggregate | undefined {
    return namespaceOf(request, deps).aggregates.get(pathName(request, 'aggregate'));
  }
  function get(request: FastifyRequest): CheckAggregate {
    const aggregate = find(request);
    if (aggregate !== undefined) return aggregate;
    throw new MonError('not_found', `there is no aggregate ${pathName(request, 'aggregate')}`);
  }
  function freshness(query: ParsedQuery<(typeof MON_API)['aggregate']>): Freshness {
    return { maxAge: query.max_age, nowMs: clock.now() };
  }

  return {
    aggregate: async (request, _reply, query) => {
      const namespace = namespaceOf(request, deps);
      const aggregate = get(request);
      const { maxAge, nowMs } = freshness(query);
      const summary =
        maxAge === undefined
          ? summaryOf(namespace, aggregate, nowMs)
          : await freshSummaryOf(namespace, aggregate, maxAge, nowMs);
      return shown(namespace, aggregate, summary);
    },
    deleteAggregate: async (request, reply) => {
      await aggregates.remove(namespaceOf(request, deps).name, pathName(request, 'aggregate'), actorOf(request));
      return reply.send();
    },
    aggregateClients: async (request, reply) => {
      const aggregate = find(request);
      if (aggregate === undefined) return reply.code(404).send([]);
      const clients = await clientsOf(namespaceOf(request, deps), aggregate);
      const read = (some: readonly ClientEntry[]): unknown[] => some.map((client) => checksOfClient(aggregate, client));
      return sendList(request, reply, clients, read, { isPaginated: false });
    },
    aggregateChecks: async (request, reply) => {
      const aggregate = find(request);
      if (aggregate === undefined) return reply.code(404).send([]);
      const checks = await checksOf(namespaceOf(request, deps), aggregate);
      return sendList(request, reply, checks, (some) => some, { isPaginated: false });
    },
    aggregateResults: async (request, reply, query) => {
      // The severity is validated before the aggregate is looked up, as in Sensu Core (legacy-peer, Aggregates).
      const severity = pathSeverity(request);
      const aggregate = get(request);
      const namespace = namespaceOf(request, deps);
      const outputs = await readOutputs(store, namespace, aggregate, severity, freshness(query), memberOutputs);
      request.peer?.addBufferedBytes(lengthOf(outputs));
      return sendList(request, reply, outputs, (some) => some, { isPaginated: false });
    },
  };
}

/**
 * Estimates how many bytes of memory a list of outputs uses while it is sent. The list must be complete before it is
 * sent, because the most frequent outputs come first.
 */
function lengthOf(results: readonly AggregateResults[]): number {
  let length = 0;
  for (const { summary } of results)
    for (const { output, clients } of summary) length += output.length + 8 * clients.length;
  return length;
}

function pathSeverity(request: FastifyRequest): Severity {
  const severity = pathName(request, 'severity');
  const match = SEVERITIES.find((one) => one === severity);
  if (match !== undefined) return match;
  throw new MonError('invalid', `"${severity}" is not a severity: use one of ${SEVERITIES.join(', ')}`);
}

import type { FastifyInstance } from 'fastify';
import { AGGREGATE_SEARCH } from '../../../shared/domain/search-nouns.ts';
import type { NamedAggregate } from '../../../shared/schemas/aggregate.ts';
import { summaryOf } from './read.ts';
import type { Aggregate } from './state.ts';
import { sendList } from '../http/list.ts';
import { v1Namespace, type ApiParts } from '../http/parts.ts';
import { queryOf } from '../http/query.ts';
import { needs, routes } from '../http/route.ts';
import { searchFilter } from '../http/search.ts';

/** All aggregates by name, each with its counters, found by a search (`?q=`), in one answer. */
export function aggregateRoutesOfMon(app: FastifyInstance, parts: ApiParts): void {
  routes(app, '/api/mon/v1/aggregates', {
    GET: needs('read', (request, reply) => {
      const namespace = v1Namespace(parts);
      const freshness = { maxAge: undefined, nowMs: parts.clock.now() };
      const shown = (aggregate: Aggregate): NamedAggregate => ({
        name: aggregate.name,
        ...summaryOf(namespace, aggregate, freshness),
      });
      const where = searchFilter(
        AGGREGATE_SEARCH,
        queryOf(request),
        (aggregate: NamedAggregate) => aggregate,
        freshness.nowMs,
      );
      return sendList(request, reply, namespace.aggregates.sorted(), (some) => some.map(shown), { where });
    }),
  });
}

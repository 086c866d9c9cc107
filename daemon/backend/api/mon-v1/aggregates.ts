import type { FastifyInstance } from 'fastify';
import { AGGREGATE_SEARCH } from '../../../../shared/domain/search-nouns.ts';
import type { NamedAggregate } from '../../../../shared/schemas/aggregate.ts';
import { summaryOf } from '../../read/aggregates.ts';
import type { Aggregate } from '../../registry/aggregates.ts';
import { sendList } from '../list.ts';
import { legacyNamespace, type ApiParts } from '../parts.ts';
import { queryOf } from '../query.ts';
import { needs, routes } from '../routes.ts';
import { searchFilter } from '../search.ts';

/** All aggregates by name, each with its counters, found by a search (`?q=`), in one answer. */
export function aggregateRoutesOfMon(app: FastifyInstance, parts: ApiParts): void {
  routes(app, '/api/mon/v1/aggregates', {
    GET: needs('read', (request, reply) => {
      const namespace = legacyNamespace(parts);
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

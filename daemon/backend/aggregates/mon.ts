import type { FastifyInstance } from 'fastify';
import { AGGREGATE_SEARCH } from '../../../shared/domain/search-nouns.ts';
import type { NamedAggregate } from '../../../shared/schemas/aggregate.ts';
import { summaryOf } from './read.ts';
import type { Aggregate } from './state.ts';
import { sendList } from '../http/list.ts';
import { askedNamespaces, entriesOf, type Placed } from '../http/asked-namespace.ts';
import { aggregateMemberRoutes } from './members.ts';
import { monFace } from '../http/face.ts';
import type { ApiParts } from '../http/parts.ts';
import { queryOf } from '../http/query.ts';
import { monRoutes } from '../http/mon-routes.ts';
import { searchFilter } from '../http/search.ts';

/** All aggregates by name, each with its counters, found by a search (`?q=`), in one answer. */
export function aggregateRoutesOfMon(app: FastifyInstance, parts: ApiParts): void {
  monRoutes(app, {
    aggregates: (request, reply) => {
      const asked = askedNamespaces(request, parts);
      const freshness = { maxAge: undefined, nowMs: parts.clock.now() };
      const shown = ({ namespace, entry }: Placed<Aggregate>): NamedAggregate =>
        asked.placed({ name: entry.name, ...summaryOf(namespace, entry, freshness) }, namespace.name);
      const where = searchFilter(
        AGGREGATE_SEARCH,
        queryOf(request),
        (aggregate: NamedAggregate) => aggregate,
        freshness.nowMs,
      );
      const entries = entriesOf(asked, ({ aggregates }) => aggregates.sorted());
      return sendList(request, reply, entries, (some) => some.map(shown), { where });
    },
  });
  aggregateMemberRoutes(app, parts, monFace('/aggregates/:aggregate', parts));
}

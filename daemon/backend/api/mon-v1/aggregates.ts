import type { FastifyInstance } from 'fastify';
import type { NamedAggregate } from '../../../../shared/schemas/aggregate.ts';
import { summaryOf } from '../../read/aggregates.ts';
import type { Aggregate } from '../../registry/aggregates.ts';
import { sendList } from '../list.ts';
import { legacyNamespace, type ApiParts } from '../parts.ts';
import { needs, routes } from '../routes.ts';

/** All aggregates by name, each with its counters, in one answer. */
export function aggregateRoutesOfMon(app: FastifyInstance, parts: ApiParts): void {
  routes(app, '/api/mon/v1/aggregates', {
    GET: needs('read', (request, reply) => {
      const namespace = legacyNamespace(parts);
      const freshness = { maxAge: undefined, nowMs: parts.clock.now() };
      const shown = (aggregate: Aggregate): NamedAggregate => ({
        name: aggregate.name,
        ...summaryOf(namespace, aggregate, freshness),
      });
      return sendList(request, reply, namespace.aggregates.sorted(), (some) => some.map(shown));
    }),
  });
}

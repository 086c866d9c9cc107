import type { FastifyInstance, FastifyRequest } from 'fastify';
import { SEVERITIES, type Severity } from '../../../shared/domain/severity.ts';
import { MonError } from '../../../shared/errors.ts';
import type { AggregateResults } from '../../../shared/schemas/aggregate.ts';
import { checksOf, checksOfClient, clientsOf, readOutputs, summaryOf, type Freshness } from './read.ts';
import type { Aggregate } from './state.ts';
import type { ClientEntry } from '../registry/entries.ts';
import { actorOf } from '../access/actor.ts';
import { sendList } from '../http/list.ts';
import type { Face } from '../http/face.ts';
import type { ApiParts } from '../http/parts.ts';
import { pathName } from '../http/path-name.ts';
import { queryOf, wholeNumber } from '../http/query.ts';
import { routes } from '../http/route.ts';

/** What one aggregate is, on the wire of v1 or of ours. */
export function aggregateMemberRoutes(app: FastifyInstance, parts: ApiParts, face: Face): void {
  const { path, namespaceOf, needs, needsUnlessOpen } = face;
  const { aggregates, clock, store } = parts;

  function find(request: FastifyRequest): Aggregate | undefined {
    return namespaceOf(request).aggregates.get(pathName(request, 'aggregate'));
  }
  function get(request: FastifyRequest): Aggregate {
    const aggregate = find(request);
    if (aggregate !== undefined) return aggregate;
    throw new MonError('not_found', `there is no aggregate ${pathName(request, 'aggregate')}`);
  }
  function freshness(request: FastifyRequest): Freshness {
    return { maxAge: wholeNumber(queryOf(request), 'max_age'), nowMs: clock.now() };
  }

  routes(app, path, {
    GET: needs('read', (request) => summaryOf(namespaceOf(request), get(request), freshness(request))),

    DELETE: needsUnlessOpen('admin', async (request, reply) => {
      await aggregates.remove(namespaceOf(request).name, pathName(request, 'aggregate'), actorOf(request));
      return reply.code(204).send();
    }),
  });

  routes(app, `${path}/clients`, {
    GET: needs('read', (request, reply) => {
      const aggregate = find(request);
      if (aggregate === undefined) return reply.code(404).send([]);
      const clients = clientsOf(namespaceOf(request), aggregate);
      const read = (some: readonly ClientEntry[]): unknown[] => some.map((client) => checksOfClient(aggregate, client));
      return sendList(request, reply, clients, read, { isPaginated: false });
    }),
  });

  routes(app, `${path}/checks`, {
    GET: needs('read', (request, reply) => {
      const aggregate = find(request);
      if (aggregate === undefined) return reply.code(404).send([]);
      const checks = checksOf(namespaceOf(request), aggregate);
      return sendList(request, reply, checks, (some) => some, { isPaginated: false });
    }),
  });

  routes(app, `${path}/results/:severity`, {
    GET: needs('read', async (request, reply) => {
      // Before the aggregate, as the peer does (legacy-peer, Aggregates).
      const severity = severityIn(request);
      const aggregate = get(request);
      const outputs = await readOutputs(store, namespaceOf(request), aggregate, severity, freshness(request));
      request.peer?.hold(lengthOf(outputs));
      return sendList(request, reply, outputs, (some) => some, { isPaginated: false });
    }),
  });
}

/** About what they take in memory: they cannot be made as they are read, because the most frequent ones come first. */
function lengthOf(results: readonly AggregateResults[]): number {
  let length = 0;
  for (const { summary } of results)
    for (const { output, clients } of summary) length += output.length + 8 * clients.length;
  return length;
}

function severityIn(request: FastifyRequest): Severity {
  const { severity } = request.params as { readonly severity: string };
  const known = SEVERITIES.find((one) => one === severity);
  if (known !== undefined) return known;
  throw new MonError('invalid', `"${severity}" is no severity: use one of ${SEVERITIES.join(', ')}`);
}

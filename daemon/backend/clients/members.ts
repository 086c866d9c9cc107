import type { FastifyInstance } from 'fastify';
import { clientSchema } from '../../../shared/schemas/client.ts';
import { readHistories, resultsOfClient } from '../results/read.ts';
import { readBody, validator } from '../http/json-body.ts';
import { sendList } from '../http/list.ts';
import { routes } from '../http/route.ts';
import { actorOf } from '../access/actor.ts';
import type { Face } from '../http/face.ts';
import { issued, type ApiParts } from '../http/parts.ts';
import { pathName } from '../http/path-name.ts';
import { queryOf, wholeNumber } from '../http/query.ts';

const validate = validator(clientSchema);

/** Makes or replaces a client, on the wire of v1 or of ours. */
export function savesClient({ namespaceOf, needs }: Face, { clients }: ApiParts): ReturnType<Face['needs']> {
  return needs('submit', async (request, reply) => {
    const { name } = namespaceOf(request);
    const client = readBody(request, validate);
    await clients.put(name, client);
    return reply.code(201).send({ name: client.name });
  });
}

/** What was reported of a client, on the wire of v1 or of ours. */
export function historyRoutes(app: FastifyInstance, { store }: ApiParts, { path, namespaceOf, needs }: Face): void {
  routes(app, path, {
    GET: needs('read', (request, reply) => {
      const client = namespaceOf(request).clients.get(pathName(request, 'client'));
      const checks = client === undefined ? [] : resultsOfClient(client);
      return sendList(request, reply, checks, (some) => readHistories(store, some), { isPaginated: false });
    }),
  });
}

/** Deletes one client, on the wire of v1 or of ours. */
export function deletesClient(
  { namespaceOf, needsUnlessOpen }: Face,
  parts: ApiParts,
): ReturnType<Face['needsUnlessOpen']> {
  return needsUnlessOpen('admin', async (request, reply) => {
    const invalidation = invalidationOf(queryOf(request));
    await parts.clients.remove(namespaceOf(request).name, pathName(request, 'client'), invalidation, actorOf(request));
    return reply.code(202).send(issued(parts));
  });
}

/** `invalidate` counts also as a bare key (clients 2); without `invalidate_expire` it ends with the deletion. */
function invalidationOf(query: URLSearchParams): { readonly expireSeconds: number | undefined } {
  const isWanted = query.has('invalidate') && query.get('invalidate') !== 'false';
  return { expireSeconds: isWanted ? wholeNumber(query, 'invalidate_expire') : undefined };
}

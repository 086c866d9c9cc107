import type { FastifyInstance } from 'fastify';
import { MonError } from '../../../shared/errors.ts';
import { clientSchema } from '../../../shared/schemas/client.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import { readClient, readClients, readClientTexts, shownClient } from './read.ts';
import { readHistories, resultsOfClient } from '../results/read.ts';
import { actorOf } from '../access/actor.ts';
import { readBody, validator } from '../http/json-body.ts';
import { sendList } from '../http/list.ts';
import { issued, v1Namespace, type ApiParts } from '../http/parts.ts';
import { pathName } from '../http/path-name.ts';
import { queryOf, wholeNumber } from '../http/query.ts';
import { needs, needsUnlessOpen, routes } from '../http/route.ts';

const validate = validator(clientSchema);

/** The client registry (completion 1.6). */
export function clientRoutes(app: FastifyInstance, parts: ApiParts): void {
  const { clients, store } = parts;

  routes(app, '/clients', {
    GET: needs('read', (request, reply) =>
      sendList(
        request,
        reply,
        v1Namespace(parts).sortedClients(),
        async (entries) => (await readClients(store, entries)).map(([, client]) => shownClient(client)),
        { readTexts: (entries) => readClientTexts(store, entries) },
      ),
    ),

    POST: needs('submit', async (request, reply) => {
      const client = readBody(request, validate);
      await clients.put(DEFAULT_NAMESPACE, client);
      return reply.code(201).send({ name: client.name });
    }),
  });

  routes(app, '/clients/:client', {
    GET: needs('read', async (request) => {
      const name = pathName(request, 'client');
      const client = await readClient(store, v1Namespace(parts).clients.get(name));
      if (client === undefined) throw new MonError('not_found', `there is no client ${name}`);
      return shownClient(client);
    }),

    DELETE: needsUnlessOpen('admin', async (request, reply) => {
      const invalidation = invalidationOf(queryOf(request));
      await clients.remove(DEFAULT_NAMESPACE, pathName(request, 'client'), invalidation, actorOf(request));
      return reply.code(202).send(issued(parts));
    }),
  });

  routes(app, '/clients/:client/history', {
    GET: needs('read', (request, reply) => {
      const client = v1Namespace(parts).clients.get(pathName(request, 'client'));
      const checks = client === undefined ? [] : resultsOfClient(client);
      return sendList(request, reply, checks, (some) => readHistories(store, some), { isPaginated: false });
    }),
  });
}

/** `invalidate` counts also as a bare key (clients 2); without `invalidate_expire` it ends with the deletion. */
function invalidationOf(query: URLSearchParams): { readonly expireSeconds: number | undefined } {
  const isWanted = query.has('invalidate') && query.get('invalidate') !== 'false';
  return { expireSeconds: isWanted ? wholeNumber(query, 'invalidate_expire') : undefined };
}

import type { FastifyInstance } from 'fastify';
import { redact, redactKeysOf } from '../../../../shared/domain/redact.ts';
import { MonError } from '../../../../shared/errors.ts';
import { clientSchema, type Client } from '../../../../shared/schemas/client.ts';
import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';
import { readHistory } from '../../read/results.ts';
import { actorOf } from '../actor.ts';
import { readBody, validator } from '../json-body.ts';
import { sendList } from '../list.ts';
import { issued, legacyNamespace, type ApiParts } from '../parts.ts';
import { pathName } from '../path-name.ts';
import { queryOf, wholeNumber } from '../query.ts';
import { needs, routes } from '../routes.ts';

const validate = validator(clientSchema);

/** The client registry (completion 1.6). */
export function clientRoutes(app: FastifyInstance, parts: ApiParts): void {
  const { clients, store } = parts;

  routes(app, '/clients', {
    GET: needs('read', (request, reply) =>
      sendList(request, reply, legacyNamespace(parts).sortedClients(), (entries) =>
        entries.map(({ record }) => shown(record)),
      ),
    ),

    POST: needs('submit', async (request, reply) => {
      const client = readBody(request, validate);
      await clients.put(DEFAULT_NAMESPACE, client);
      return reply.code(201).send({ name: client.name });
    }),
  });

  routes(app, '/clients/:client', {
    GET: needs('read', (request) => {
      const name = pathName(request, 'client');
      const client = legacyNamespace(parts).clients.get(name);
      if (client === undefined) throw new MonError('not_found', `there is no client ${name}`);
      return shown(client.record);
    }),

    DELETE: needs('admin', async (request, reply) => {
      const invalidation = invalidationOf(queryOf(request));
      await clients.remove(DEFAULT_NAMESPACE, pathName(request, 'client'), invalidation, actorOf(request));
      return reply.code(202).send(issued(parts));
    }),
  });

  routes(app, '/clients/:client/history', {
    GET: needs('read', async (request, reply) => {
      const client = legacyNamespace(parts).clients.get(pathName(request, 'client'));
      const histories = client === undefined ? [] : await readHistory(store, client);
      return sendList(request, reply, histories, (some) => some, { isPaginated: false });
    }),
  });
}

function shown(client: Client): Client {
  return redact(client, redactKeysOf(client));
}

/** `invalidate` counts also as a bare key (clients, section 2); without `invalidate_expire` it ends with the deletion. */
function invalidationOf(query: URLSearchParams): { readonly expireSeconds: number | undefined } {
  const isWanted = query.has('invalidate') && query.get('invalidate') !== 'false';
  return { expireSeconds: isWanted ? wholeNumber(query, 'invalidate_expire') : undefined };
}
